"""What the reporter says about xdist, nested suites, pytest.main and unittest."""

import pytest
from builders.scenario import ALL, BOTH, FAIL, GOOD, LOOP, UNITTEST, Scenario, check, run_all
from builders.suite_run import SuiteRun

pytestmark = pytest.mark.toolchain

SCENARIOS = (
    Scenario("xdist", f"named {ALL}", {"test_a.py": FAIL}, "pytest -q -n 2", 1, needs_xdist=True),
    Scenario(
        "xdist, keyword",
        "named test_1=passed (k,deselected)",
        {"test_a.py": FAIL},
        "pytest -q -n 2 -k test_1",
        needs_xdist=True,
    ),
    Scenario(
        "xdist, collection error",
        "does-not-compile",
        {"test_a.py": "import nosuchmod\n", "test_b.py": GOOD},
        "pytest -q -n 2",
        1,
        needs_xdist=True,
    ),
    Scenario(
        "xdist, a worker dies",
        f"named {BOTH} test_z=failed",
        {"test_a.py": GOOD + "import os\ndef test_z(): os._exit(0)\n"},
        "pytest -q -n 1",
        1,
        needs_xdist=True,
    ),
    Scenario(
        "xdist, stop at first",
        "named test_first=failed (stopped)",
        {"test_a.py": "import time\ndef test_first(): assert 0\n" + LOOP.replace("30", "3") + GOOD},
        "pytest -q -n 1 -x",
        2,
        needs_xdist=True,
    ),
    Scenario(
        "xdist, reports edited",
        f"named {ALL} !report outcome changed",
        {
            "conftest.py": "import pytest\n@pytest.hookimpl(wrapper=True)\n"
            "def pytest_runtest_makereport(item, call):\n"
            "    r = yield\n    r.outcome = 'passed'\n    r.longrepr = None\n    return r\n",
            "test_a.py": FAIL,
        },
        "pytest -q -n 1",
        needs_xdist=True,
    ),
    Scenario(
        "pytest.main",
        f"named {ALL}",
        {"test_a.py": FAIL, "r.py": "import pytest\npytest.main(['-q'])\n"},
        "python r.py",
    ),
    Scenario(
        "pytest.main twice",
        f"named {BOTH} | named test_1=passed (k,deselected)",
        {
            "test_a.py": GOOD,
            "r.py": "import pytest\npytest.main(['-q'])\npytest.main(['-q', '-k', 'test_1'])\n",
        },
        "python r.py",
    ),
    Scenario(
        "pytest inside a test",
        "named test_i=passed",
        {
            "conftest.py": "pytest_plugins = ['pytester']\n",
            "test_a.py": "def test_i(pytester):\n"
            "    pytester.makepyfile('def test_q(): assert 0')\n"
            "    pytester.runpytest_inprocess().assert_outcomes(failed=1)\n",
        },
    ),
    Scenario(
        "pytest in a process of a test",
        "named test_i=passed",
        {
            "test_a.py": "import subprocess, sys\ndef test_i(tmp_path):\n"
            "    (tmp_path / 'test_q.py').write_text('def test_q(): assert 0')\n"
            "    done = subprocess.run([sys.executable, '-m', 'pytest', '-q'], cwd=tmp_path)\n"
            "    assert done.returncode == 1\n",
        },
    ),
    Scenario(
        "unittest",
        "named test_a=passed test_b=failed",
        {"test_a.py": UNITTEST},
        "python -m unittest -q",
        1,
    ),
    Scenario(
        "unittest, code does not import",
        "does-not-compile",
        {"test_a.py": "import nosuch\n", "test_b.py": UNITTEST},
        "python -m unittest -q",
        1,
    ),
    Scenario(
        "unittest by pytest",
        "named test_a=passed test_b=failed",
        {
            "test_a.py": "import unittest\nclass A(unittest.TestCase):\n"
            "    def test_a(self): self.assertEqual(1, 1)\n    def test_b(self):\n"
            "        with self.subTest(1): self.assertEqual(1, 2)\n"
            "        with self.subTest(2): self.assertEqual(1, 2)\n"
        },
        exit_code=1,
    ),
    Scenario(
        "unittest, keyword",
        "named test_b=failed (k)",
        {"test_a.py": UNITTEST},
        "python -m unittest -q -k test_b",
        1,
    ),
    Scenario(
        "unittest, one method",
        "named test_a=passed (args)",
        {"test_a.py": UNITTEST},
        "python -m unittest -q test_a.A.test_a",
    ),
    Scenario(
        "unittest, the only module",
        "named test_a=passed test_b=failed",
        {"test_a.py": UNITTEST},
        "python -m unittest -q test_a",
        1,
    ),
    Scenario(
        "unittest, one module of two",
        "named test_a=passed test_b=failed (args)",
        {"test_a.py": UNITTEST, "test_b.py": UNITTEST},
        "python -m unittest -q test_a",
        1,
    ),
    Scenario(
        "unittest, module missing", "-", {"test_a.py": UNITTEST}, "python -m unittest -q test_zz", 1
    ),
    Scenario(
        "unittest, stop at first",
        "named test_a=failed (stopped)",
        {"test_a.py": UNITTEST.replace("1, 1", "1, 3")},
        "python -m unittest -q -f",
        1,
    ),
    Scenario(
        "unittest, class set-up fails",
        "named test_a=failed test_b=failed",
        {"test_a.py": UNITTEST + "    @classmethod\n    def setUpClass(cls): raise ValueError\n"},
        "python -m unittest -q",
        1,
    ),
    Scenario(
        "unittest, skipped and expected",
        "named test_a=skipped test_b=skipped test_c=failed",
        {
            "test_a.py": "import unittest\nclass A(unittest.TestCase):\n"
            "    @unittest.skip('later')\n    def test_a(self): pass\n"
            "    @unittest.expectedFailure\n    def test_b(self): self.fail()\n"
            "    @unittest.expectedFailure\n    def test_c(self): pass\n"
        },
        "python -m unittest -q",
        1,
    ),
    Scenario(
        "unittest, exit while importing",
        "died (no finish)",
        {"test_a.py": "import os; os._exit(0)\n"},
        "python -m unittest -q",
    ),
    Scenario(
        "unittest as a script",
        "named test_a=passed test_b=failed",
        {"test_a.py": UNITTEST + "unittest.main()\n"},
        "python test_a.py",
        1,
    ),
)


@pytest.fixture(scope="module")
def runs() -> dict[str, SuiteRun]:
    return run_all(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_suite_is_told_as_what_it_was(runs: dict[str, SuiteRun], scenario: Scenario) -> None:
    check(runs[scenario.name], scenario)

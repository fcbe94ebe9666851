"""What the reporter says about filtered, bailed and listed suites, and about wrong flags."""

import pytest
from builders.scenario import ALL, BOTH, FAIL, GOOD, Scenario, check, run_all
from builders.suite_run import SuiteRun

pytestmark = pytest.mark.toolchain

SCENARIOS = (
    Scenario(
        "own options dropped",
        f"named {BOTH}",
        {"pytest.ini": "[pytest]\naddopts = -k test_1\n", "test_a.py": GOOD},
        "pytest -q -o addopts=",
    ),
    Scenario(
        "other file names",
        f"named {BOTH} (override)",
        {"test_a.py": FAIL, "check_b.py": GOOD},
        "pytest -q -o python_files=check_*.py",
    ),
    Scenario(
        "test files outside the workspace's tests folder",
        f"named {BOTH} (args)",
        {"tests/test_a.py": GOOD, "src/test_b.py": FAIL},
        "pytest -q tests",
    ),
    Scenario(
        "keyword", "named test_1=passed (k,deselected)", {"test_a.py": FAIL}, "pytest -q -k test_1"
    ),
    Scenario(
        "keyword that fits none", "named (k,deselected)", {"test_a.py": FAIL}, "pytest -k zzz", 5
    ),
    Scenario(
        "node id", "named test_1=passed (args)", {"test_a.py": FAIL}, "pytest test_a.py::test_1"
    ),
    Scenario("node id missing", "-", {"test_a.py": FAIL}, "pytest test_a.py::test_zz", 4),
    Scenario("file missing", "-", {"test_a.py": FAIL}, "pytest test_zz.py", 4),
    Scenario("bad flag", "-", {"test_a.py": FAIL}, "pytest -q --nosuch", 4),
    Scenario(
        "stop at first",
        "named test_first=failed (stopped)",
        {"test_a.py": "def test_first(): assert 0\n" + GOOD, "test_b.py": GOOD},
        "pytest -q -x",
        1,
    ),
    Scenario(
        "last failed",
        "named test_bad=failed (lf)",
        {"test_a.py": FAIL, "test_b.py": GOOD},
        "LAB_REPORTER_OFF=1 pytest -q; pytest -q --lf",
        1,
    ),
    Scenario(
        "last failed, all pass",
        f"named {BOTH} (lf)",
        {"test_a.py": GOOD},
        "LAB_REPORTER_OFF=1 pytest -q; pytest -q --lf",
    ),
    Scenario(
        "items dropped",
        f"named {BOTH} (dropped)",
        {
            "conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[:2]\n",
            "test_a.py": FAIL,
        },
    ),
    Scenario(
        "file ignored by the conftest",
        f"named {BOTH}",
        {"conftest.py": "collect_ignore = ['test_a.py']\n", "test_a.py": FAIL, "test_b.py": GOOD},
    ),
    Scenario("collect only", "-", {"test_a.py": FAIL}, "pytest -q --collect-only"),
    Scenario(
        "collect only by ini",
        "-",
        {"pytest.ini": "[pytest]\naddopts = --collect-only\n", "test_a.py": FAIL},
    ),
    Scenario(
        "mark",
        "named test_b=passed (m,deselected)",
        {"test_a.py": "import pytest\n@pytest.mark.slow\ndef test_a(): pass\ndef test_b(): pass\n"},
        "pytest -q -m 'not slow' -W ignore",
    ),
    Scenario(
        "deselect",
        f"named {BOTH} (deselected)",
        {"test_a.py": FAIL},
        "pytest -q --deselect test_a.py::test_bad",
    ),
    Scenario(
        "maximum of failures",
        "named test_0=failed test_1=failed (stopped)",
        {"test_a.py": "def test_0(): assert 0\ndef test_1(): assert 0\ndef test_2(): pass\n"},
        "pytest -q --maxfail=2",
        1,
    ),
    Scenario(
        "stepwise",
        "named test_0=failed (sw,stopped)",
        {"test_a.py": "def test_0(): assert 0\ndef test_1(): assert 0\ndef test_2(): pass\n"},
        "pytest -q --sw",
        2,
    ),
    Scenario(
        "one file of two",
        f"named {BOTH} (args)",
        {"test_a.py": FAIL, "test_b.py": GOOD},
        "pytest -q test_b.py",
    ),
    Scenario("the only file", f"named {BOTH}", {"test_b.py": GOOD}, "pytest -q test_b.py"),
    Scenario("the only folder", f"named {BOTH}", {"tests/test_b.py": GOOD}, "pytest -q tests/"),
    Scenario(
        "from the tests' folder",
        f"named {BOTH}",
        {"tests/test_b.py": GOOD},
        "cd tests && pytest -q",
    ),
    Scenario(
        "testpaths",
        f"named {ALL}",
        {"pytest.ini": "[pytest]\ntestpaths = t\n", "t/test_a.py": FAIL, "test_b.py": GOOD},
        exit_code=1,
    ),
    Scenario(
        "filter in the ini file",
        "named test_1=passed (k,deselected)",
        {"pytest.ini": "[pytest]\naddopts = -k test_1\n", "test_a.py": FAIL},
    ),
    Scenario(
        "version, help, fixtures",
        "-",
        {"test_a.py": GOOD},
        "pytest --version; pytest -h >/dev/null; pytest --fixtures -q >/dev/null",
    ),
)


@pytest.fixture(scope="module")
def runs() -> dict[str, SuiteRun]:
    return run_all(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_suite_is_told_as_what_it_was(runs: dict[str, SuiteRun], scenario: Scenario) -> None:
    check(runs[scenario.name], scenario)

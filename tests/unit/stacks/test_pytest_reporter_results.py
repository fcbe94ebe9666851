"""What the reporter says about how a pytest suite ended."""

import pytest
from builders.scenario import (
    ALL,
    BOTH,
    FAIL,
    GOOD,
    LOOP,
    SET_ZERO,
    WRAPPED,
    Scenario,
    check,
    run_all,
)
from builders.suite_run import SuiteRun

pytestmark = pytest.mark.toolchain

SCENARIOS = (
    Scenario("pass", f"named {BOTH}", {"test_a.py": GOOD}),
    Scenario("fail", f"named {ALL}", {"test_a.py": FAIL}, exit_code=1),
    Scenario(
        "collection error",
        "does-not-compile",
        {"test_a.py": "import nosuchmod\n", "test_b.py": GOOD},
        exit_code=2,
    ),
    Scenario(
        "collection error, continued",
        "does-not-compile",
        {"test_a.py": "import nosuchmod\n", "test_b.py": GOOD},
        "pytest -q --continue-on-collection-errors",
        1,
    ),
    Scenario(
        "syntax error in a test",
        "does-not-compile",
        {"test_a.py": "def test_a(:\n", "test_b.py": GOOD},
        exit_code=2,
    ),
    Scenario(
        "syntax error in the code",
        "does-not-compile",
        {"m.py": "def f(:\n", "test_a.py": "import m\ndef test_a(): pass\n"},
        exit_code=2,
    ),
    Scenario(
        "root conftest does not import",
        "does-not-compile",
        {"conftest.py": "import nosuchmod\n", "test_b.py": GOOD},
        exit_code=4,
    ),
    Scenario(
        "lower conftest does not import",
        "does-not-compile",
        {"sub/conftest.py": "import nosuchmod\n", "sub/test_b.py": GOOD, "test_a.py": GOOD},
        exit_code=2,
    ),
    Scenario("no tests in the file", "named", {"test_a.py": "x = 1\n"}, exit_code=5),
    Scenario("empty folder", "named", {"x.txt": ""}, exit_code=5),
    Scenario(
        "a test exits the process",
        "died (no finish)",
        {"test_a.py": GOOD + "import os\ndef test_z(): os._exit(0)\n"},
    ),
    Scenario(
        "sys.exit in a test",
        f"named {BOTH} test_z=failed",
        {"test_a.py": GOOD + "import sys\ndef test_z(): sys.exit(0)\n"},
        exit_code=1,
    ),
    Scenario(
        "pytest.exit in a test",
        f"named {BOTH} (stopped)",
        {"test_a.py": GOOD + "import pytest\ndef test_z(): pytest.exit('bye', returncode=0)\n"},
    ),
    Scenario(
        "abort",
        "died (no finish)",
        {"test_a.py": GOOD + "import os\ndef test_z(): os.abort()\n"},
        exit_code=134,
    ),
    Scenario("exit while importing", "died (no finish)", {"test_a.py": "import os; os._exit(0)\n"}),
    Scenario(
        "exit while importing the conftest",
        "died (no finish)",
        {"conftest.py": "import os; os._exit(0)\n", "test_a.py": GOOD},
    ),
    Scenario(
        "sys.exit while importing", "died", {"test_a.py": "import sys; sys.exit(0)\n"}, "pytest", 3
    ),
    Scenario(
        "module skipped",
        "named",
        {"test_a.py": "import pytest; pytest.skip('x', allow_module_level=True)\n"},
        exit_code=5,
    ),
    Scenario(
        "a hook raises",
        "died",
        {
            "conftest.py": "def pytest_runtest_protocol(item): raise RuntimeError('boom')\n",
            "test_a.py": GOOD,
        },
        exit_code=3,
    ),
    Scenario(
        "exit code set to 0",
        f"named {ALL} !exit code changed",
        {"conftest.py": SET_ZERO, "test_a.py": FAIL},
    ),
    Scenario(
        "exit code set to 0 last",
        f"named {ALL} !exit code changed",
        {
            "conftest.py": "import pytest\n@pytest.hookimpl(trylast=True)\n" + SET_ZERO,
            "test_a.py": FAIL,
        },
    ),
    Scenario(
        "exit code set to 0 around",
        f"named {ALL} !exit code changed",
        {
            "conftest.py": "import pytest\n" + WRAPPED + "def pytest_sessionfinish(session):\n"
            "    r = yield\n    session.exitstatus = 0\n    return r\n",
            "test_a.py": FAIL,
        },
    ),
    Scenario(
        "exit after the end",
        f"named {ALL}",
        {
            "conftest.py": "import os\ndef pytest_unconfigure(config):\n    os._exit(0)\n",
            "test_a.py": FAIL,
        },
    ),
    Scenario(
        "reports edited",
        f"named {ALL} !report outcome changed",
        {
            "conftest.py": "import pytest\n@pytest.hookimpl(wrapper=True)\n"
            "def pytest_runtest_makereport(item, call):\n"
            "    r = yield\n    r.outcome = 'passed'\n    r.longrepr = None\n    return r\n",
            "test_a.py": FAIL,
        },
    ),
    Scenario(
        "skip marks",
        "named test_1=skipped test_2=skipped test_bad=skipped",
        {"test_a.py": "import pytest\npytestmark = pytest.mark.skip('later')\n" + FAIL},
    ),
    Scenario(
        "expected failures",
        "named test_a=skipped test_b=failed test_c=failed",
        {
            "test_a.py": "import pytest\n@pytest.mark.xfail\ndef test_a(): assert 0\n"
            "@pytest.mark.xfail\ndef test_b(): pass\n"
            "@pytest.mark.xfail(strict=True)\ndef test_c(): pass\n"
        },
        exit_code=1,
    ),
    Scenario(
        "error in set-up",
        "named test_a=failed test_b=passed",
        {
            "test_a.py": "import pytest\n@pytest.fixture\ndef f(): raise ValueError\n"
            "def test_a(f): pass\ndef test_b(): pass\n"
        },
        exit_code=1,
    ),
    Scenario(
        "error in teardown",
        "named test_a=failed test_b=passed",
        {
            "test_a.py": "import pytest\n@pytest.fixture\ndef f():\n    yield\n"
            "    raise ValueError\ndef test_a(f): pass\ndef test_b(): pass\n"
        },
        exit_code=1,
    ),
    Scenario(
        "no such fixture",
        "named test_a=failed",
        {"test_a.py": "def test_a(nosuch): pass\n"},
        exit_code=1,
    ),
    Scenario(
        "name error",
        "named test_a=failed",
        {"test_a.py": "def test_a():\n    assert undefined_fn(1) == 2\n"},
        exit_code=1,
    ),
    Scenario(
        "keyboard interrupt",
        "died",
        {"test_a.py": GOOD + "def test_z(): raise KeyboardInterrupt\n"},
        exit_code=2,
    ),
    Scenario(
        "terminated",
        "died (no finish)",
        {
            "test_a.py": GOOD + "import os, signal\n"
            "def test_z(): os.kill(os.getpid(), signal.SIGTERM)\n"
        },
        exit_code=143,
    ),
    Scenario(
        "timed out", "died (no finish)", {"test_a.py": GOOD + LOOP}, "timeout 2 pytest -q", 124
    ),
    Scenario(
        "interrupted by a timeout",
        "died",
        {"test_a.py": GOOD + LOOP},
        "timeout -s INT 2 pytest -q",
        124,
    ),
)


@pytest.fixture(scope="module")
def runs() -> dict[str, SuiteRun]:
    return run_all(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_suite_is_told_as_what_it_was(runs: dict[str, SuiteRun], scenario: Scenario) -> None:
    check(runs[scenario.name], scenario)

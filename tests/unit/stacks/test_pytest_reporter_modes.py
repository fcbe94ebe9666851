"""The reporter's modes: events, a report file, the preflight, off, and life without a sink."""

import ast
import hashlib
import json
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders.suite_run import REPORTER, SuiteRun, run_suite
from lab.gateway.client import Gateway
from lab.gateway.evidence import first_break
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for
from lab.store.schema import check

pytestmark = pytest.mark.toolchain

GOOD = "def test_1(): pass\n"
LIFE = {
    "src/life.py": "def alive(n): return n == 3\n",
    "tests/test_life.py": (
        "import pytest\nfrom life import alive\n\nclass TestAlive:\n"
        "    @pytest.mark.parametrize('n', ['a::b', 3])\n"
        "    def test_three(self, n): assert alive(n) == (n == 3)\n\n"
        "def test_bad(): assert alive(2)\n\n@pytest.mark.skip\ndef test_later(): pass\n"
    ),
    "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\ntestpaths = ['tests']\n",
}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as started:
        yield started


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        yield Path(name)


def own(**variables: str) -> dict[str, str]:
    tools = tools_for(LabPaths(REPOSITORY), "python-pytest")
    return {"PATH": f"{tools.agent_bin}:/usr/bin:/bin", **variables}


def kinds(ran: SuiteRun) -> list[str]:
    return [line["kind"] for line in ran.lines]


def test_a_suite_is_loaded_started_and_finished(gateway: Gateway, folder: Path) -> None:
    ran = run_suite(gateway, folder, LIFE, "pytest -q", own())
    loaded, started, finished = ran.lines
    source = hashlib.sha256(LIFE["src/life.py"].encode()).hexdigest()
    assert kinds(ran) == ["loaded", "started", "finished"]
    assert loaded["preflight"] is False
    assert loaded["peer"]["pid"] == loaded["pid"]
    assert "pytest" in started["peer"]["command"]
    assert started["runner"] == "pytest"
    assert started["version"].count(".") == 2
    assert started["arguments"] == ["-q"]
    assert started["route"] == "interpreter"
    assert sorted(started["files"]) == ["pyproject.toml", "src/life.py", "tests/test_life.py"]
    assert started["files"]["src/life.py"] == source
    assert finished["session"] == started["session"]
    assert finished["exit_code"] == 1
    assert finished["tests"] == [
        [["tests/test_life.py", "TestAlive", "test_three[a::b]"], "passed"],
        [["tests/test_life.py", "TestAlive", "test_three[3]"], "passed"],
        [["tests/test_life.py", "test_bad"], "failed"],
        [["tests/test_life.py", "test_later"], "skipped"],
    ]
    assert first_break(ran.lines) is None


@pytest.mark.parametrize(
    "command",
    ["cd tests && pytest -q", "pytest -q --rootdir tests tests", "pytest -q -c tests/own.ini"],
)
def test_ids_are_relative_to_the_workspace_wherever_pytest_has_its_root(
    gateway: Gateway, folder: Path, command: str
) -> None:
    files = {"tests/test_a.py": GOOD, "tests/own.ini": "[pytest]\n"}
    ran = run_suite(gateway, folder, files, command, own())
    assert ran.of_kind("finished")[0]["tests"] == [[["tests/test_a.py", "test_1"], "passed"]]


def test_files_are_hashed_before_a_conftest_can_change_them(gateway: Gateway, folder: Path) -> None:
    files = {"a.py": "", "test_a.py": GOOD, "conftest.py": "open('a.py', 'w').write('x = 1')\n"}
    ran = run_suite(gateway, folder, files, "pytest -q", own())
    assert ran.of_kind("started")[0]["files"]["a.py"] == hashlib.sha256(b"").hexdigest()


def test_a_long_suite_says_that_it_is_alive(gateway: Gateway, folder: Path) -> None:
    quick = "from lab_reporter import suite\nsuite.HEARTBEAT_SECONDS = 0.0\n"
    files = {"conftest.py": quick, "test_a.py": GOOD + "def test_2(): pass\n"}
    ran = run_suite(gateway, folder, files, "pytest -q", own())
    assert [line["tests_done"] for line in ran.of_kind("heartbeat")] == [1, 2]


def test_the_preflight_tells_the_template_and_no_suite(gateway: Gateway, folder: Path) -> None:
    files = {"pyproject.toml": "[project]\n", "src/a.py": ""}
    ran = run_suite(gateway, folder, files, "python -m pytest -q", own(LAB_PREFLIGHT="1"))
    loaded, baseline = ran.lines
    assert (loaded["kind"], loaded["preflight"]) == ("loaded", True)
    assert sorted(baseline["files"]) == ["pyproject.toml", "src/a.py"]


def test_switched_off_it_tells_nothing(gateway: Gateway, folder: Path) -> None:
    ran = run_suite(gateway, folder, {"test_a.py": GOOD}, "pytest -q", own(LAB_REPORTER_OFF="1"))
    assert (ran.exit_code, ran.lines) == (0, ())


def test_every_line_that_is_told_fits_the_schema(gateway: Gateway, folder: Path) -> None:
    command = "pytest -q; pytest --nosuch; pytest -q -k three; LAB_PREFLIGHT=1 pytest -q"
    ran = run_suite(gateway, folder, LIFE, command, own())
    faults = [fault for line in ran.lines for fault in check("event", line, line["kind"])]
    assert set(kinds(ran)) == {"loaded", "started", "finished", "withdrawn", "baseline"}
    assert faults == []


def report_of(gateway: Gateway, folder: Path, files: dict[str, str]) -> tuple[SuiteRun, Any]:
    target = folder / "report.json"
    ran = run_suite(gateway, folder, files, "pytest -q", own(LAB_REPORTER_REPORT=str(target)))
    report = json.loads(target.read_text())
    assert check("suite-report", report, "report") == ()
    return ran, report


def test_a_report_file_holds_every_test_and_no_event_is_told(
    gateway: Gateway, folder: Path
) -> None:
    ran, report = report_of(gateway, folder, LIFE)
    assert ran.lines == ()
    assert report["schema_version"] == 1
    assert report["result"] == "named"
    assert report["counts"] == {"passed": 2, "failed": 1, "skipped": 1}
    assert report["tests"][2] == [["tests/test_life.py", "test_bad"], "failed"]
    assert report["exit_code"] == 1
    assert len(report["seconds"]) == 4
    assert report["duration_seconds"] > sum(report["seconds"]) > 0


def test_a_report_names_what_did_not_compile(gateway: Gateway, folder: Path) -> None:
    _, report = report_of(gateway, folder, {"test_a.py": "import nosuch\n"})
    (error,) = report["collection_errors"]
    assert (report["result"], report["tests"]) == ("does-not-compile", [])
    assert error["id"] == "test_a.py"
    assert "nosuch" in error["message"]


def test_a_report_of_a_suite_that_died_says_so(gateway: Gateway, folder: Path) -> None:
    _, report = report_of(gateway, folder, {"test_a.py": "import os\nos._exit(0)\n"})
    assert (report["result"], report["counts"]["passed"]) == ("died", 0)


def test_without_a_sink_the_spool_takes_the_lines_and_they_are_merged(
    gateway: Gateway, folder: Path
) -> None:
    command = 'LAB_REPORTER_SOCKET="$PWD/none" pytest -q'
    ran = run_suite(gateway, folder, {"test_a.py": GOOD}, command, own())
    assert kinds(ran) == ["loaded", "started", "finished"]
    assert all(line["is_spooled"] and line["peer"] is None for line in ran.lines)
    assert first_break(ran.lines) is None


def test_without_sink_and_spool_the_run_is_as_ever(gateway: Gateway, folder: Path) -> None:
    command = "LAB_REPORTER_SOCKET=/nowhere/s LAB_REPORTER_SPOOL=/nowhere/x pytest -q"
    ran = run_suite(gateway, folder, {"test_a.py": GOOD}, command, own())
    assert (ran.exit_code, ran.lines) == (0, ())


def test_a_sink_that_never_answers_costs_one_short_wait(gateway: Gateway, folder: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as deaf:
        deaf.bind(str(folder / "deaf"))
        deaf.listen(16)
        command = f"LAB_REPORTER_SOCKET={folder / 'deaf'} pytest -q"
        before = time.monotonic()
        ran = run_suite(gateway, folder, {"test_a.py": GOOD}, command, own())
        seconds = time.monotonic() - before
    assert ran.exit_code == 0
    assert kinds(ran) == ["loaded", "started", "finished"]
    assert seconds < 5


def test_a_fault_of_the_reporter_is_told_and_the_run_goes_on(
    gateway: Gateway, folder: Path
) -> None:
    files = {"conftest.py": "from lab_reporter import verdict\nverdict.covers = None\n"}
    ran = run_suite(gateway, folder, {**files, "test_a.py": GOOD}, "pytest -q", own())
    (fault,) = ran.of_kind("reporter-fault")
    assert ran.exit_code == 0
    assert (fault["where"], fault["error"].split(":")[0]) == ("_finish", "TypeError")
    assert ran.of_kind("finished")[0]["result"] == "died"


def test_an_old_python_can_read_the_reporter() -> None:
    """Compile for the oldest Python that a workspace may have."""
    for path in REPORTER.rglob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 9))

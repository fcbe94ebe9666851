"""A way to run a suite, and what the reporter must say about it.

The expected text: result, statuses by leaf, (partial reasons), !tampering; "-" = no suite.
"""

import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from builders.suite_run import SuiteRun, by_path_route, run_suite
from lab.gateway.client import Gateway
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for

GOOD = "def test_1(): pass\ndef test_2(): pass\n"
FAIL = GOOD + "def test_bad(): assert 0\n"
BOTH = "test_1=passed test_2=passed"
ALL = f"{BOTH} test_bad=failed"
WRAPPED = "@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
SET_ZERO = "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"
UNITTEST = (
    "import unittest\nclass A(unittest.TestCase):\n"
    "    def test_a(self): self.assertEqual(1, 1)\n    def test_b(self): self.assertEqual(1, 2)\n"
)
LOOP = "import time\ndef test_z(): time.sleep(30)\n"
Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    expected: str
    files: Files = field(default_factory=dict)
    command: str = "pytest -q"
    exit_code: int = 0
    needs_xdist: bool = False


def run_all(scenarios: Sequence[Scenario]) -> dict[str, SuiteRun]:
    """Run every scenario once, two at a time; returns them by name."""
    folder = Path(tempfile.mkdtemp(prefix="lab-"))
    tools = tools_for(LabPaths(REPOSITORY), "python-pytest")
    own = {"PATH": f"{tools.agent_bin}:/usr/bin:/bin"}
    with Gateway() as gateway, ThreadPoolExecutor(2) as pool:

        def run(numbered: tuple[int, Scenario]) -> SuiteRun:
            number, scenario = numbered
            variables = by_path_route() if scenario.needs_xdist else own
            place = folder / str(number)
            return run_suite(gateway, place, scenario.files, scenario.command, variables)

        found = list(pool.map(run, enumerate(scenarios)))
    shutil.rmtree(folder)
    return {scenario.name: ran for scenario, ran in zip(scenarios, found, strict=True)}


def check(ran: SuiteRun, scenario: Scenario) -> None:
    """Compare what was told and the exit code; the reporter itself must be without fault."""
    assert ran.told() == scenario.expected, ran.output
    assert ran.exit_code == scenario.exit_code, ran.output
    assert ran.of_kind("reporter-fault") == []
    assert ran.of_kind("loaded") != []

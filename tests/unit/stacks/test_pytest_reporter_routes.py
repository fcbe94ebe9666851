"""Which route survives which attack: one row per attack, one column per route.

interpreter = the environment that `lab setup` makes; path = PYTHONPATH; plugin = `-p` alone;
local = what an agent gets on the local executor (the first two together).
"""

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from builders.suite_run import REPORTER, SuiteRun, by_path_route, run_suite
from lab.gateway.client import Gateway
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for
from lab.stacks import STACKS

pytestmark = pytest.mark.toolchain

GOOD = "def test_1(): pass\n"
UNITTEST = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
UNREGISTER = (
    "def pytest_configure(config):\n    manager = config.pluginmanager\n"
    "    for name, plugin in list(manager.list_name_plugin()):\n"
    "        if name.startswith('session-'): manager.unregister(plugin)\n"
)
OWN_VENV = (
    "python -m venv --without-pip .venv && "
    "python -c 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))' "
    "> $(echo .venv/lib/python3*/site-packages)/more.pth && .venv/bin/python -m pytest -q"
)
Files = dict[str, str]
ROUTES = ("interpreter", "path", "plugin", "local")

# attack: (files, command, what the four routes tell); an attacked run must pass all the same
ATTACKS: dict[str, tuple[Files, str, str]] = {
    "pytest": ({}, "pytest -q", "told told told told"),
    "python -m pytest": ({}, "python -m pytest -q", "told told told told"),
    "blocked by name": ({}, "pytest -q -p no:lab_reporter.plugin", "told told missed told"),
    "blocked in the ini file": (
        {"pytest.ini": "[pytest]\naddopts = -p no:lab_reporter.plugin\n"},
        "pytest -q",
        "told told told told",
    ),
    "no autoload": ({}, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -q", "told told told told"),
    "other options": ({}, "PYTEST_ADDOPTS=-q pytest", "told told missed told"),
    "PYTHONPATH of its own": ({}, "PYTHONPATH=src pytest -q", "told missed broken told"),
    "cleared environment": ({}, "env -i PATH=$PATH pytest -q", "told missed missed told"),
    "isolated": ({}, "python -I -m pytest -q", "told missed broken told"),
    "no variables": ({}, "python -E -m pytest -q", "told missed broken told"),
    "unregistered": ({"conftest.py": UNREGISTER}, "pytest -q", "told told told told"),
    "no configuration": (
        {},
        "pytest -q -c /dev/null --noconftest --rootdir .",
        "told told told told",
    ),
    "environment of its own": ({}, OWN_VENV, "missed told told told"),
    "sitecustomize of its own": (
        {"own/sitecustomize.py": "x = 1\n"},
        "PYTHONPATH=own:$PYTHONPATH pytest -q",
        "told missed told told",
    ),
    "module names shadowed": (
        {"socket.py": "raise SystemExit\n", "uuid.py": "raise SystemExit\n"},
        "pytest -q",
        "told told told told",
    ),
    "unittest": ({"test_a.py": UNITTEST}, "python -m unittest -q", "told told missed told"),
}


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str], SuiteRun]:
    """Every attack on every route, run once, two at a time."""
    folder = Path(tempfile.mkdtemp(prefix="lab-"))
    tools = tools_for(LabPaths(REPOSITORY), "python-pytest")
    python = f"{tools.analysis_bin}/python"
    only_package = folder / "plugin"
    shutil.copytree(REPORTER / "lab_reporter", only_package / "lab_reporter")
    plugin = {"PYTHONPATH": str(only_package), "PYTEST_ADDOPTS": "-p lab_reporter.plugin"}
    variables = {
        "interpreter": {"PATH": f"{tools.agent_bin}:/usr/bin:/bin"},
        "path": by_path_route(python),
        "plugin": {**by_path_route(python), **plugin},
        "local": dict(STACKS["python-pytest"].environment(tools)),
    }
    cells = [(attack, route) for attack in ATTACKS for route in ROUTES]
    with Gateway() as gateway, ThreadPoolExecutor(2) as pool:

        def run(cell: tuple[str, str]) -> SuiteRun:
            attack, route = cell
            files, command, _ = ATTACKS[attack]
            place = folder / str(cells.index(cell))
            return run_suite(
                gateway, place, {"test_a.py": GOOD, **files}, command, variables[route]
            )

        found = list(pool.map(run, cells))
    shutil.rmtree(folder)
    return dict(zip(cells, found, strict=True))


def seen(ran: SuiteRun) -> str:
    """Say in one word what became of a run."""
    if ran.exit_code:
        return "broken"
    finished = ran.of_kind("finished")
    is_whole = len(finished) == 1 and len(ran.of_kind("started")) == 1
    return "told" if is_whole and finished[0]["result"] == "named" else "missed"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_route_tells_what_it_is_known_to_tell(
    table: dict[tuple[str, str], SuiteRun], attack: str
) -> None:
    expected = ATTACKS[attack][2].split()
    output = "\n".join(table[attack, route].output for route in ROUTES)
    assert [seen(table[attack, route]) for route in ROUTES] == expected, output


@pytest.mark.parametrize("route", ["interpreter", "path", "plugin"])
def test_an_event_names_the_route_it_came_by(
    table: dict[tuple[str, str], SuiteRun], route: str
) -> None:
    lines = table["pytest", route].lines
    assert {line["route"] for line in lines if "route" in line} == {route}


def test_an_unregistered_reporter_stays_and_says_so(
    table: dict[tuple[str, str], SuiteRun],
) -> None:
    (finished,) = table["unregistered", "local"].of_kind("finished")
    assert finished["tampered"] == ["reporter unregistered"]
    assert finished["tests"] == [[["test_a.py", "test_1"], "passed"]]

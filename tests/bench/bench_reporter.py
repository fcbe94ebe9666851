"""What the reporter and the sink add, beside the same command without them, interleaved."""

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builders.suite_run import lay
from lab.gateway.client import Gateway, reporter_variables
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for

ROUNDS = 30
RUNS = 300
SUITE = {
    "src/m.py": "def double(n): return 2 * n\n",
    "tests/test_m.py": "import pytest\nfrom m import double\n"
    "@pytest.mark.parametrize('n', range(50))\ndef test_n(n): assert double(n) == n + n\n",
    "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\n",
}
COMMANDS = {
    "pytest, 50 tests": ("-m", "pytest", "-q"),
    "unittest, no tests": ("-m", "unittest", "-q"),
    "other python": ("-c", "pass"),
}
# CPU of one invocation; the budget for pytest is "a few milliseconds"
BUDGET_MS = {"pytest, 50 tests": 8.0, "unittest, no tests": 12.0, "other python": 4.0}


def cpu_ms(command: tuple[str, ...], workspace: Path, variables: Mapping[str, str]) -> float:
    """Run a command and return the CPU time of it and its children, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=workspace, env=dict(variables), capture_output=True, timeout=60, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def invocation_rows(gateway: Gateway, folder: Path) -> list[dict[str, Any]]:
    """Compare each command with the reporter at work and switched off, in pairs.

    The median of the differences: what else the machine does moves both of a pair alike.
    """
    tools = tools_for(LabPaths(REPOSITORY), "python-pytest")
    workspace = lay(folder / "w", SUITE)
    socket = gateway.open("bench", folder / "k", folder / "events.jsonl")
    plain = {"PATH": f"{tools.agent_bin}:/usr/bin:/bin", "HOME": str(folder)}
    on = {**plain, **reporter_variables(str(socket), "", str(workspace))}
    off = {**plain, "LAB_REPORTER_OFF": "1"}
    rows = []
    for name, arguments in COMMANDS.items():
        command = (f"{tools.agent_bin}/python", *arguments)
        pairs = [
            (cpu_ms(command, workspace, on), cpu_ms(command, workspace, off)) for _ in range(ROUNDS)
        ]
        without = statistics.median(pair[1] for pair in pairs)
        rows.append(
            {
                "name": f"CPU that the reporter adds: {name}",
                "figure": round(statistics.median(on_ms - off_ms for on_ms, off_ms in pairs), 2),
                "unit": "ms",
                "rival": "the whole command without it",
                "rival_figure": round(without, 2),
                "budget": BUDGET_MS[name],
            }
        )
    gateway.close("bench")
    return rows


def sink_row(gateway: Gateway, folder: Path) -> dict[str, Any]:
    """Measure opening and closing a run's socket, in both processes; the floor is a file."""
    assert gateway.pid is not None
    before = os.times()[0] + os.times()[1] + process_cpu(gateway.pid)
    for number in range(RUNS):
        gateway.open(str(number), folder / str(number), folder / f"{number}.jsonl")
        gateway.close(str(number))
    ours = os.times()[0] + os.times()[1] + process_cpu(gateway.pid) - before
    started = time.process_time()
    for number in range(RUNS):
        (folder / f"floor-{number}").mkdir()
        (folder / f"floor-{number}.jsonl").touch()
    floor = time.process_time() - started
    return {
        "name": "CPU per run: its event socket opened and closed",
        "figure": round(1000 * ours / RUNS, 2),
        "unit": "ms",
        "rival": "a folder and an empty file made",
        "rival_figure": round(1000 * floor / RUNS, 2),
        "budget": 1.5,
    }


def process_cpu(pid: int) -> float:
    """Return a process's CPU seconds so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="lab-") as name, Gateway() as gateway:
        folder = Path(name)
        return [*invocation_rows(gateway, folder), sink_row(gateway, folder)]

"""The runner's share of the performance budget: no-op runs, a finished batch again, bytes per run.

Run it by hand: python tests/bench/bench_runner.py [N ...]. CPU seconds are user and system time of
this process and its children. Every figure stands beside its floor from the same session.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PLACES = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PLACES / "experiments"), str(PLACES / "tests")]

from builders.batches import QUICK, lab_root, plan_of, run_plan  # noqa: E402
from lab.paths import LabPaths  # noqa: E402

SIZES = (500, 1000, 2000, 4000)
FLOOR_RUNS = 300
IN_MEMORY = Path("/dev/shm")
GIT = f"{os.sep}.git{os.sep}"


def cpu_seconds() -> float:
    """Return user and system time of this process and of its ended children."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, kinds))


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall seconds of a call."""
    cpu, wall = cpu_seconds(), time.perf_counter()
    work()
    return cpu_seconds() - cpu, time.perf_counter() - wall


@contextmanager
def root(place: Path | None = None) -> Iterator[LabPaths]:
    with tempfile.TemporaryDirectory(prefix="lab-bench-", dir=place) as folder:
        yield lab_root(Path(folder) / "root")


def spawn_floor() -> float:
    """Return CPU milliseconds of one bare `sh FILE` through subprocess.run."""
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        script = Path(folder) / "x.sh"
        script.write_text("exit 0\n")

        def work() -> None:
            for _ in range(FLOOR_RUNS):
                subprocess.run(["sh", str(script)], capture_output=True, check=True)

        work()
        return measured(work)[0] / FLOOR_RUNS * 1000


def no_op_runs(count: int, place: Path | None = None) -> dict[str, float]:
    """Run a batch of no-op runs; its fixed cost (a batch of one) is taken off."""
    with root(place) as paths:
        one = measured(lambda: run_plan(paths, plan_of(paths, ["calibration-nop"], "one"), QUICK))
        plan = plan_of(paths, ["calibration-nop"] * count, "many")
        many = measured(lambda: run_plan(paths, plan, QUICK))
        again = measured(lambda: run_plan(paths, plan, QUICK))
        fresh = resumed_by_command(paths, plan)
        return {
            "cpu_ms": (many[0] - one[0]) / (count - 1) * 1000,
            "wall_ms": (many[1] - one[1]) / (count - 1) * 1000,
            "again_seconds": again[1],
            "fresh_seconds": fresh,
            "bytes": run_bytes(paths),
        }


def resumed_by_command(paths: LabPaths, plan: Path) -> float:
    """Return wall seconds of `lab batch` on a finished plan, started as a user would."""
    program = "from lab.cli.main import main; main()"
    command = [sys.executable, "-c", program, "--root", str(paths.root), "batch", str(plan)]
    environment = {**os.environ, "PYTHONPATH": str(PLACES / "experiments")}
    began = time.perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    return time.perf_counter() - began


def run_bytes(paths: LabPaths) -> float:
    """Return the mean apparent bytes of a published run without workspace/.git."""
    folders = [path for path in paths.runs.iterdir() if path.name[0] not in "._"]
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    total = sum(file.stat().st_size for file in files if GIT not in str(file))
    return total / len(folders)


def row(name: str, figure: float, unit: str, **other: object) -> dict[str, Any]:
    """Lay one figure out; what is not known is None."""
    empty = {"rival": None, "rival_figure": None, "budget": None}
    return {"name": name, "figure": round(figure, 3), "unit": unit, **empty, **other}


def rows(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """Measure everything; one row per figure, each with its floor or rival and its budget."""
    found: list[dict[str, Any]] = []
    for count in sizes:
        floor = round(spawn_floor(), 3)
        seen = no_op_runs(count)
        rival = {"rival": "bare subprocess.run(sh FILE)", "rival_figure": floor}
        found.append(row(f"no-op run, CPU, N={count}", seen["cpu_ms"], "ms", budget=5.0, **rival))
        found.append(row(f"no-op run, wall, N={count}", seen["wall_ms"], "ms"))
        found.append(row(f"no-op run, bytes, N={count}", seen["bytes"], "bytes", budget=8192))
        found.append(
            row(f"finished batch again, N={count}", seen["fresh_seconds"], "s", budget=0.6)
        )
    if IN_MEMORY.is_dir():
        found.append(in_memory(sizes[-1]))
    return found


def in_memory(count: int) -> dict[str, Any]:
    """The same without the kernel's work for durability, which no-op runs pay three times each."""
    floor = round(spawn_floor(), 3)
    rival = {"rival": "bare subprocess.run(sh FILE)", "rival_figure": floor}
    figure = no_op_runs(count, IN_MEMORY)["cpu_ms"]
    return row(f"no-op run, CPU, N={count}, pool in memory", figure, "ms", budget=5.0, **rival)


if __name__ == "__main__":
    print(json.dumps(rows(tuple(map(int, sys.argv[1:])) or SIZES), indent=1))

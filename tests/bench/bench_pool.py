"""Status and index over a generated pool of 20,000 runs, beside a plain loop over the files.

Standalone: python tests/bench/bench_pool.py (table and JSON). Each figure is the best of several
rounds, ours and the rival's interleaved, so that a busy machine disturbs both alike.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "experiments")]

from builders.pools import cells, fill_pool  # noqa: E402  the line above makes it importable
from builders.questions import small_lab  # noqa: E402  likewise
from lab.paths import LabPaths  # noqa: E402  likewise
from lab.store.index import refresh  # noqa: E402  likewise

CELLS, REPLICATES = 250, 80
ROUNDS = 5
NAIVE = """
import collections, json, os, sys
runs, counts = sys.argv[1], collections.Counter()
for entry in os.scandir(runs):
    if entry.name[0] in "_." or not entry.is_dir():
        continue
    os.stat(f"{entry.path}/metrics.json")
    with open(f"{entry.path}/run.json") as file:
        run = json.load(file)
    with open(f"{entry.path}/metrics.json") as file:
        metrics = json.load(file)
    counts[run["kata"], run["workflow"], run["model"], run["exit_reason"]] += 1
print(len(counts))
"""
STATS = """
import os, sys
for entry in os.scandir(sys.argv[1]):
    if entry.name[0] in "_.":
        continue
    os.lstat(f"{entry.path}/metrics.json")
    os.lstat(f"{entry.path}/run.json")
"""
LAB = [sys.executable, "-c", "from lab.cli.main import main; main()"]


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        paths = small_lab(Path(folder))
        count = fill_pool(paths, cells(CELLS), REPLICATES)
        refresh(paths)
        runs = str(paths.runs)
        status, naive = _best(
            lambda: _spend(*LAB, "--root", folder, "status"),
            lambda: _spend(sys.executable, "-c", NAIVE, runs),
        )
        version, click = _best(
            lambda: _spend(*LAB, "--version"), lambda: _spend(sys.executable, "-c", "import click")
        )
        warm, stats = _best(lambda: _warm(paths), lambda: _spend(sys.executable, "-c", STATS, runs))
        cold, loop = _best(
            lambda: _cold(paths), lambda: _spend(sys.executable, "-c", NAIVE, runs), rounds=2
        )
    named = f"{count:,} runs"
    return [
        _row(f"lab status, {named}", status, "json and stat loop", naive, 0.4),
        _row("lab --version", version, "python -c 'import click'", click, 0.15),
        _row(f"index, warm, {named}", warm, "scandir and two lstat (process)", stats, None),
        _row(f"index, cold, {named}", cold, "json and stat loop", loop, None),
    ]


def _best(
    ours: Callable[[], float], rival: Callable[[], float], rounds: int = ROUNDS
) -> tuple[float, float]:
    pairs = [(ours(), rival()) for _ in range(rounds)]
    return min(own for own, _ in pairs), min(other for _, other in pairs)


def _spend(*command: str) -> float:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def _warm(paths: LabPaths) -> float:
    started = time.perf_counter()
    refresh(paths)
    return time.perf_counter() - started


def _cold(paths: LabPaths) -> float:
    paths.index.unlink()
    return _warm(paths)


def _row(
    name: str, figure: float, rival: str, rival_figure: float, budget: float | None
) -> dict[str, Any]:
    return {
        "name": name,
        "figure": round(figure, 4),
        "unit": "s",
        "rival": rival,
        "rival_figure": round(rival_figure, 4),
        "budget": budget,
    }


if __name__ == "__main__":
    measured = rows()
    for row in measured:
        print(f"{row['name']:32} {row['figure']:8.3f} s", end="   ")
        print(f"{row['rival']:34} {row['rival_figure']:8.3f} s")
    print(json.dumps(measured, indent=1))

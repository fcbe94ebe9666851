"""The coordinator killed at random points: nothing lost, counted twice or left running."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.batches import lab_root, plan_of, records, run_plan
from lab.paths import LabPaths
from lab.process import mark
from lab.runner import garbage
from lab.runner.batch_folder import generations
from lab.store.attempts import read_attempts

TESTS = Path(__file__).resolve().parents[2]
MODELS = ["calibration-nop", "fake-success", "fake-sub-agents", "fake-lingering-child"]
COORDINATOR = """
import sys
from pathlib import Path
from lab.paths import LabPaths
from builders.batches import run_plan
run_plan(LabPaths(Path(sys.argv[1])), Path(sys.argv[2]))
"""


TOLD = f"""
from lab.errors import LabError
try:
{COORDINATOR.replace(chr(10), chr(10) + " ")}
except LabError as error:
    sys.exit(str(error))
"""


def start(paths: LabPaths, plan: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", COORDINATOR, str(paths.root), str(plan)],
        env=own_places(),
        stdout=subprocess.DEVNULL,
    )


def own_places() -> dict[str, str]:
    places = [str(TESTS), str(TESTS.parent / "experiments")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


def kill_after(paths: LabPaths, plan: Path, seconds: float) -> None:
    """Start a coordinator and kill it so long after its first claim (or let it end)."""
    process = start(paths, plan)
    while process.poll() is None:
        known = generations(paths, plan)
        if known and known[-1].state().claimed | known[-1].state().done:
            break
        time.sleep(0.002)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()


def marks(paths: LabPaths, plan: Path) -> list[mark.Mark]:
    """Return the marks of the processes that run for the newest batch of a plan."""
    ids = {batch.id for batch in generations(paths, plan)[-1:]}
    return [found for _, found in mark.marked() if found.batch_id in ids]


def wait_for(look: Callable[[], set[str]], wanted: int) -> set[str]:
    """Look again and again, at most a minute, until there are as many as wanted."""
    until = time.monotonic() + 60
    while len(found := look()) < wanted and time.monotonic() < until:
        time.sleep(0.02)
    return found


def published(paths: LabPaths) -> dict[str, bytes]:
    folders = (path for path in paths.runs.iterdir() if path.name[0] not in "._")
    return {folder.name: (folder / "run.json").read_bytes() for folder in folders}


def check_after_resume(paths: LabPaths, plan: Path, before: dict[str, bytes], total: int) -> None:
    after = published(paths)
    assert before.items() <= after.items(), "a finished run was lost or changed"
    ok = Counter(one.entry for one in records(paths) if one.identity.exit_reason == "ok")
    assert ok == dict.fromkeys(range(total), 1), "an entry is missing or counted twice"
    others = {one.identity.exit_reason for one in records(paths)} - {"ok"}
    assert others <= {"interrupted"}
    for one in records(paths):
        lines = read_attempts(paths.run(one.identity.run_id))
        cut_off = one.identity.exit_reason == "interrupted"
        assert len(lines) in ({one.identity.attempts, (one.identity.attempts or 0) - cut_off})
    batch = generations(paths, plan)[-1]
    assert batch.state().is_complete and not batch.state().claimed
    assert list(paths.staging.iterdir()) == [] and list(batch.work.iterdir()) == []
    assert [found for _, found in mark.marked() if found.batch_id == batch.id] == []


def points(pytestconfig: pytest.Config) -> tuple[int, int]:
    """Return how many kill points, and how many runs the batch has."""
    return (200, 100) if pytestconfig.getoption("--full-crash-matrix") else (3, 12)


def test_killed_at_random_points_and_resumed(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    count, total = points(pytestconfig)
    chance = random.Random(20261130)
    for point in range(count):
        paths = lab_root(tmp_path / str(point))
        plan = plan_of(paths, [MODELS[number % len(MODELS)] for number in range(total)])
        kill_after(paths, plan, chance.uniform(0, total * 0.03))
        before = published(paths)
        run_plan(paths, plan)
        check_after_resume(paths, plan, before, total)


def test_killed_again_and_again_one_batch_still_ends(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [MODELS[number % len(MODELS)] for number in range(12)])
    before: dict[str, bytes] = {}
    for _ in range(4):
        kill_after(paths, plan, 0.06)
        assert before.items() <= published(paths).items()
        before = published(paths)
    run_plan(paths, plan)
    check_after_resume(paths, plan, before, 12)


def test_gc_alone_reaps_what_a_dead_coordinator_left(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["fake-endless"] * 2)
    process = start(paths, plan)
    running = wait_for(lambda: {one.run_id for one in marks(paths, plan)}, 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(running) == 2
    batch = generations(paths, plan)[-1]
    seen = garbage.find(paths)
    assert len(seen.runs) == 2 and seen.processes
    garbage.collect(paths)
    assert [found for _, found in mark.marked() if found.batch_id == batch.id] == []
    assert {one.identity.exit_reason for one in records(paths)} == {"interrupted"}
    assert garbage.find(paths).runs == () and list(paths.staging.iterdir()) == []


def test_two_processes_share_a_batch_while_one_is_killed(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [MODELS[number % len(MODELS)] for number in range(30)])
    other = start(paths, plan)
    kill_after(paths, plan, 0.1)
    other.wait(60)
    before = published(paths)
    run_plan(paths, plan)
    check_after_resume(paths, plan, before, 30)


def mounted(folder: Path, *options: str) -> None:
    """Mount a small tmpfs, or skip where this user may not."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", *options, "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"cannot mount a tmpfs: {done.stderr.strip()}")


def test_a_full_disk_stops_the_batch_in_one_line_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    mounted(disk, "-o", "size=2m")
    try:
        paths = lab_root(disk / "root")
        plan = plan_of(paths, ["calibration-nop"] * 200)
        # A process of its own, which is dead afterwards: on a full disk a claim may stay.
        command = [sys.executable, "-c", TOLD, str(paths.root), str(plan)]
        told = subprocess.run(
            command, env=own_places(), capture_output=True, text=True, check=False
        )
        assert told.returncode == 1
        assert "free disk space" in told.stderr and told.stderr.count("\n") == 1
        before = published(paths)
        assert 0 < len(before) < 200
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        run_plan(paths, plan)
        check_after_resume(paths, plan, before, 200)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_read_only_pool_is_told_in_one_line(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    mounted(disk, "-o", "size=8m")
    try:
        paths = lab_root(disk / "root")
        plan = plan_of(paths, ["calibration-nop"])
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(Exception, match="mount it writable") as told:
            run_plan(paths, plan)
        assert "\n" not in str(told.value)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)

"""Attempt specifications on real folders, for tests of executors."""

from dataclasses import replace
from pathlib import Path

from lab.domain.attempt import AttemptSpec, Limits

LIMITS = Limits(
    timeout_seconds=20,
    startup_seconds=20,
    stall_seconds=20,
    grace_seconds=1,
    cpus=1,
    memory_bytes=128 << 20,
    pids=64,
    stdout_bytes=1 << 20,
    disk_bytes=16 << 20,
)


def attempt(folder: Path, script: str, stack: str = "none", **limits: float) -> AttemptSpec:
    """Make the folders of one attempt below `folder`, with this script as its invocation."""
    for name in ("workspace", "state", "sockets"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    invocation = folder / "run.sh"
    invocation.write_text(script, encoding="utf-8")
    return AttemptSpec(
        run_id="run-1",
        batch_id="batch-1",
        number=1,
        stack=stack,
        harness="command",
        workspace=folder / "workspace",
        state=folder / "state",
        sockets=folder / "sockets",
        spool=folder / "sockets" / "spool.jsonl",
        invocation=invocation,
        log=folder / "run.log",
        environment=(),
        limits=replace(LIMITS, **limits),
    )

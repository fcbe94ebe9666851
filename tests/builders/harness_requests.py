"""Builds what a harness is asked, and plays its script as an executor would."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.domain.attempt import AttemptResult, Ending
from lab.domain.catalogue import Model, Workflow
from lab.harnesses.protocol import Invocation, Request

PROMPT = '# Task\n\nWrite it\'s "program".\n'


def request(
    folder: Path,
    harness: str,
    *,
    manner: str | None = None,
    command: tuple[str, ...] = (),
    tape: Path | None = None,
) -> Request:
    """Make a request whose workspace and state lie below a folder, which this creates."""
    for name in ("work", "state", "workflow"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return Request(
        run_id="2026-01-01_00-00-00_kata",
        kata="kata-prose",
        kata_base="kata",
        prompt_text=PROMPT,
        model=Model(id=f"{harness}-model", family=harness, harnesses=(harness,), manner=manner),
        workflow=Workflow(
            id=f"{harness}-v1",
            folder="workflow",
            harness=harness,
            prompts=("prose",),
            description="for tests",
            command=command,
        ),
        workflow_folder=folder / "workflow",
        tape_folder=tape,
        stack="python-pytest",
        test_command="true",
        entry_point="src/cli.py",
        workdir=str(folder / "work"),
        statedir=str(folder / "state"),
    )


@dataclass(frozen=True, slots=True)
class Played:
    """What was left after a script: its log, and the result an executor would hand back."""

    log: Path
    result: AttemptResult


def play(folder: Path, invocation: Invocation, seconds: float = 10.0) -> Played:
    """Play a script in folder/work; one that outlives the seconds is killed, as by the clock."""
    script, log = folder / "invocation.sh", folder / "run.log"
    script.write_text(invocation.script, encoding="utf-8")
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["sh", str(script)],
            cwd=folder / "work",
            env={"PATH": "/usr/bin:/bin", **invocation.environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(seconds)
            ending = Ending.EXITED
        except subprocess.TimeoutExpired:
            code, ending = None, Ending.TIMEOUT
        finally:
            end_group(process)
    return Played(log, attempt_result(ending, code))


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End every process of the script, also those that outlived it."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        return
    process.wait()


def attempt_result(ending: Ending, exit_code: int | None) -> AttemptResult:
    return AttemptResult(
        ending=ending,
        exit_code=exit_code,
        started_at="2026-01-01T00:00:00Z",
        ended_at="2026-01-01T00:00:01Z",
        active_seconds=1.0,
        last_activity_seconds=1.0,
        stdout_bytes=0,
        is_output_truncated=False,
    )

"""Run one foreign command to its end: bounded in time and output, its whole group killed."""

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lab.errors import ToolFailed

CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds of wall clock, bytes kept per stream, seconds between SIGTERM and SIGKILL.

    More than `output_bytes` on stdout ends the command; stderr beyond it is dropped.
    """

    timeout_seconds: float
    output_bytes: int = 1 << 20
    grace_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended; a negative exit code is the signal that ended it."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    is_timeout: bool = False
    is_overflow: bool = False

    @property
    def text(self) -> str:
        """Both streams, decoded for people, the end of each (4,000 characters)."""
        parts = (self.stdout, self.stderr)
        return "\n".join(part.decode("utf-8", "replace")[-4000:] for part in parts if part)


def run_bounded(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    stdin: bytes = b"",
) -> Finished:
    """Run a command in a process group of its own; nothing of the group outlives the call.

    The environment is exactly `environment`. Raises ToolFailed when it cannot be started.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        process = _start(command, cwd, environment, source)
        reader = _Reader(process, bounds.output_bytes)
        try:
            is_timeout = not reader.read_until(started + bounds.timeout_seconds)
            if is_timeout and bounds.grace_seconds:
                _signal(process, signal.SIGTERM)
                reader.read_until(time.monotonic() + bounds.grace_seconds)
        finally:
            _signal(process, signal.SIGKILL)
            exit_code = process.wait()
            reader.close()
    return Finished(
        exit_code,
        bytes(reader.kept["stdout"]),
        bytes(reader.kept["stderr"]),
        time.monotonic() - started,
        is_timeout,
        reader.is_overflow,
    )


def _start(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], source: IO[bytes]
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
    except OSError as error:
        raise ToolFailed(command[0], str(error)) from error


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Signal the group; it is gone already when every member has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


class _Reader:
    """Reads both pipes without blocking; a child that keeps a pipe open cannot hold it up."""

    def __init__(self, process: "subprocess.Popen[bytes]", limit: int) -> None:
        self.process = process
        self.limit = limit
        self.kept = {"stdout": bytearray(), "stderr": bytearray()}
        self.is_overflow = False
        self.selector = selectors.DefaultSelector()
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self.selector.register(pipe, selectors.EVENT_READ, name)

    def read_until(self, deadline: float) -> bool:
        """Read until the command ended or said too much; False when the time ran out first."""
        while not self.is_overflow:
            if time.monotonic() >= deadline:
                return False
            has_ended = self.process.poll() is not None
            if self._read(0.0 if has_ended else min(0.02, deadline - time.monotonic())):
                continue
            if has_ended:
                return True
        return True

    def _read(self, wait_seconds: float) -> bool:
        if not self.selector.get_map():
            time.sleep(max(wait_seconds, 0.0))
            return False
        got = False
        for key, _ in self.selector.select(max(wait_seconds, 0.0)):
            chunk = os.read(key.fd, CHUNK_BYTES)
            if chunk:
                got = True
                self._keep(key.data, chunk)
            else:
                self.selector.unregister(key.fileobj)
        return got

    def _keep(self, name: str, chunk: bytes) -> None:
        kept = self.kept[name]
        kept += chunk[: self.limit - len(kept)]
        self.is_overflow = self.is_overflow or (
            name == "stdout" and len(kept) >= self.limit and len(chunk) > 0
        )

    def close(self) -> None:
        self.selector.close()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

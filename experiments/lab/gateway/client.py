"""The gateway process as its starter sees it: start, open a run's socket, close it, stop."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lab.errors import LabError, ToolFailed
from lab.gateway.spool import merge_spool, spool_faults

SOCKET_NAME = "s"
SPOOL_NAME = "spool.jsonl"
SOCKET_PATH_BYTES = 107
STOP_SECONDS = 5.0
PACKAGE_FOLDER = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Received:
    """What a run's socket took in: number of lines in the event file, and what went wrong."""

    lines: int
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    socket: Path
    spool: Path
    events: Path


def reporter_variables(socket: str, spool: str, workspace: str) -> dict[str, str]:
    """Return the variables that lead a stack's reporter to its run; paths as the agent sees them.

    An image needs none of them when the socket folder is mounted at /run/lab.
    """
    return {
        "LAB_REPORTER_SOCKET": socket,
        "LAB_REPORTER_SPOOL": spool,
        "LAB_REPORTER_WORKSPACE": workspace,
    }


class Gateway:
    """Owns one gateway process. Safe to use from several threads; one per coordinator."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._runs: dict[str, _Run] = {}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process; it ends by itself when this one does. Does nothing when it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.gateway.sink"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE_FOLDER), "LAB_REPORTER_OFF": "1"},
            process_group=0,
        )

    def open(self, run_id: str, socket_folder: Path, events: Path) -> Path:
        """Listen on a socket in the folder (made when absent) and return the socket's path.

        Lines go to `events`, which is created; one that exists is continued. The spool file beside
        the socket takes what a reporter could not deliver. A process that has died is started
        again. Raises LabError when the path is longer than a unix socket's may be (107 bytes),
        ToolFailed when the process cannot do it.
        """
        socket = socket_folder / SOCKET_NAME
        if len(os.fsencode(socket)) > SOCKET_PATH_BYTES:
            raise LabError(
                f"{socket}: a unix socket's path may have {SOCKET_PATH_BYTES} bytes; "
                "set TMPDIR to a shorter folder"
            )
        socket_folder.mkdir(parents=True, exist_ok=True)
        socket_folder.chmod(0o755)
        events.touch()
        spool = socket_folder / SPOOL_NAME
        spool.touch()
        spool.chmod(0o622)
        with self._turn:
            if self._process is not None:
                self.start()
        self._ask(command="open", run_id=run_id, socket=str(socket), events=str(events))
        self._runs[run_id] = _Run(socket, spool, events)
        return socket

    def close(self, run_id: str) -> Received:
        """Stop listening, merge the spool into the event file, and say what arrived.

        Where the process died meanwhile, reporters have used the spool; that is a fault, no error.
        """
        run = self._runs.pop(run_id)
        try:
            answer = self._ask(command="close", run_id=run_id)
        except ToolFailed as error:
            fault = f"the event sink died during the run: {error.output}"
            answer = {"lines": run.events.read_bytes().count(b"\n"), "faults": [fault]}
        faults = [*answer["faults"], *spool_faults(run.spool)]
        spooled = merge_spool(run.events, run.spool)
        run.spool.unlink(missing_ok=True)
        return Received(answer["lines"] + spooled, tuple(faults))

    def stop(self) -> None:
        """Close every open run and end the process."""
        if self._process is None:
            return
        for run_id in tuple(self._runs):
            self.close(run_id)
        process, self._process = self._process, None
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):  # it died, and a request still waits in the pipe
            process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _ask(self, **request: str) -> dict[str, Any]:
        """Send one request and wait for its answer; the process answers in order."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise ToolFailed("gateway", "not started")
        with self._turn:
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError as error:
                raise ToolFailed("gateway", str(error), process.poll()) from error
        if not line:
            raise ToolFailed("gateway", "the process ended", process.wait(STOP_SECONDS))
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ToolFailed("gateway", answer["error"])
        return answer

"""Watch a started script to its end: clocks, silence, memory, processes, output."""

import errno
import os
import select
import signal
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lab.process import procfs, tree_end
from lab.process.capped_log import CappedLog
from lab.process.disk_use import DiskUse
from lab.process.spawn import Child

_CHUNK = 1 << 16
_FIRST_SAMPLE_SECONDS = 0.25
_SAMPLE_SECONDS = 0.5
_DRAIN_SECONDS = 1.0
FULL_DISK_BYTES = 1 << 20
_KILLED = 128 + signal.SIGKILL


class Cause(StrEnum):
    """Why a script ended, or why it was ended."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    STALLED = "stalled"
    STARTUP_HANG = "startup-hang"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    DRAINED = "drained"


@dataclass(frozen=True, slots=True)
class Watch:
    """What is allowed: seconds of wall clock, bytes, processes; None = not watched.

    `drain` is a descriptor that becomes readable when everything has to end; `disk` is a folder
    whose file system must not fill up; in `folders` together at most `disk_bytes` may lie.
    """

    timeout_seconds: float
    grace_seconds: float
    output_bytes: int
    startup_seconds: float | None = None
    stall_seconds: float | None = None
    memory_bytes: int | None = None
    processes: int | None = None
    drain: int | None = None
    disk: Path | None = None
    folders: tuple[Path, ...] = ()
    disk_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """How it ended: seconds since the start by a monotonic clock; exit code 128+N for signal N.

    `left_behind` names processes that outlived the script and were ended.
    """

    cause: Cause
    exit_code: int
    was_killed: bool
    active_seconds: float
    last_activity_seconds: float | None
    output_bytes: int
    is_truncated: bool
    left_behind: tuple[str, ...] = ()
    detail: str | None = None


def supervise(child: Child, watch: Watch, log_path: Path) -> Finish:
    """Wait for the script's end or bring it about; nothing of its tree runs afterwards."""
    log = CappedLog(log_path, watch.output_bytes)
    try:
        return _Supervision(child, watch, log).run()
    finally:
        log.close()
        child.close()


def _free_bytes(folder: Path) -> int:
    """Return what is left on the folder's file system for a user who is not root."""
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize


class _Supervision:
    def __init__(self, child: Child, watch: Watch, log: CappedLog) -> None:
        self.child, self.watch, self.log = child, watch, log
        self.started = time.monotonic()
        self.last_activity: float | None = None
        self.next_sample = self.started + _FIRST_SAMPLE_SECONDS
        self.cause = Cause.EXITED
        self.detail: str | None = None
        self.kill_at: float | None = None
        self.was_killed = False
        self.left: tuple[str, ...] = ()
        room = watch.disk_bytes
        self.use = None if room is None else DiskUse(watch.folders, room)
        self.poll = select.poll()
        for descriptor in (child.output, child.control.fileno(), child.pidfd):
            self.poll.register(descriptor, select.POLLIN)
        if watch.drain is not None:
            self.poll.register(watch.drain, select.POLLIN)

    def run(self) -> Finish:
        while not self._step():
            pass
        status = os.waitpid(self.child.pid, 0)[1]
        self.left += tree_end.end_remains(self.child)
        self._read_rest()
        code = os.waitstatus_to_exitcode(status)
        last = self.last_activity
        return Finish(
            cause=self.cause,
            exit_code=_KILLED if self.was_killed else code if code >= 0 else 128 - code,
            was_killed=self.was_killed,
            active_seconds=time.monotonic() - self.started,
            last_activity_seconds=None if last is None else last - self.started,
            output_bytes=self.log.total,
            is_truncated=self.log.is_truncated,
            left_behind=self.left,
            detail=self.detail,
        )

    def _step(self) -> bool:
        """Handle what happened until the next deadline; True = the first process has ended."""
        ready = {number for number, _ in self.poll.poll(self._milliseconds_left())}
        if self.child.output in ready:
            self._read()
        if self.child.control.fileno() in ready:
            self._note_left()
        if self.watch.drain in ready and self.watch.drain is not None:
            self.poll.unregister(self.watch.drain)
            self._end(Cause.DRAINED, None)
        if self.child.pidfd in ready:
            return True
        self._check(time.monotonic())
        return False

    def _read(self) -> bool:
        """Take one chunk of output; False = there is none now."""
        try:
            data = os.read(self.child.output, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.poll.unregister(self.child.output)
            return False
        self.last_activity = time.monotonic()
        try:
            self.log.take(data)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._end(Cause.DISK, "no space left for the log")
        return True

    def _read_rest(self) -> None:
        """Take what is still in the pipe, not waiting for a foreign process that holds it."""
        until = time.monotonic() + _DRAIN_SECONDS
        while self._is_output_open() and time.monotonic() < until and self._read():
            pass

    def _is_output_open(self) -> bool:
        try:
            self.poll.modify(self.child.output, select.POLLIN)
        except FileNotFoundError:
            return False
        return True

    def _note_left(self) -> None:
        """Name what outlived the script, then let the first process go, and all with it."""
        self.poll.unregister(self.child.control)
        if self.child.control.recv(64):
            self.left += tree_end.names_beside(self.child)
            self.child.control.send(b"\n")

    def _deadlines(self) -> tuple[tuple[float, Cause], ...]:
        watch = self.watch
        found = [(self.started + watch.timeout_seconds, Cause.TIMEOUT)]
        if self.last_activity is None and watch.startup_seconds is not None:
            found.append((self.started + watch.startup_seconds, Cause.STARTUP_HANG))
        if self.last_activity is not None and watch.stall_seconds is not None:
            found.append((self.last_activity + watch.stall_seconds, Cause.STALLED))
        return tuple(found)

    def _milliseconds_left(self) -> float | None:
        if self.was_killed:
            return None
        if self.kill_at is not None:
            until = self.kill_at
        else:
            until = min(self.next_sample, *(at for at, _ in self._deadlines()))
        return max(0.0, until - time.monotonic()) * 1000 + 1

    def _check(self, now: float) -> None:
        if self.was_killed:
            return
        if self.kill_at is not None:
            if now >= self.kill_at:
                self._kill()
            return
        for at, cause in self._deadlines():
            if now >= at:
                self._end(cause, None)
                return
        if now >= self.next_sample:
            self.next_sample = now + _SAMPLE_SECONDS
            self._sample()

    def _sample(self) -> None:
        watch = self.watch
        use = procfs.use_of(tree_end.members(self.child))
        # Processes first: shared pages count in each of many, and would be named instead.
        if watch.processes is not None and use.processes > watch.processes:
            self._kill_for(Cause.PROCESSES, f"{use.processes} processes, allowed {watch.processes}")
        elif watch.memory_bytes is not None and use.memory_bytes > watch.memory_bytes:
            self._kill_for(Cause.MEMORY, f"{use.memory_bytes} bytes, allowed {watch.memory_bytes}")
        elif watch.disk is not None and _free_bytes(watch.disk) < FULL_DISK_BYTES:
            self._kill_for(Cause.DISK, f"fewer than {FULL_DISK_BYTES} bytes free")
        elif self.use is not None and (excess := self.use.excess()):
            self._kill_for(Cause.DISK, excess)

    def _end(self, cause: Cause, detail: str | None) -> None:
        """Ask the tree to end; what does not within the grace is killed."""
        if self.kill_at is None and not self.was_killed:
            self.cause, self.detail = cause, detail
            self.kill_at = time.monotonic() + self.watch.grace_seconds
            tree_end.signal_group(self.child.pid, signal.SIGTERM)

    def _kill_for(self, cause: Cause, detail: str) -> None:
        self.cause, self.detail = cause, detail
        self._kill()

    def _kill(self) -> None:
        self.was_killed = True
        tree_end.kill_all(self.child)

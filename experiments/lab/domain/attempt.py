"""One attempt at a run: what is allowed, how it ended, what it left as evidence."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lab.domain.outcome import ExitReason


@dataclass(frozen=True, slots=True)
class Limits:
    """What an attempt may use. Seconds of wall clock, bytes, processes, cores."""

    timeout_seconds: float
    startup_seconds: float
    stall_seconds: float
    grace_seconds: float
    cpus: float
    memory_bytes: int
    pids: int
    stdout_bytes: int
    disk_bytes: int


class Ending(StrEnum):
    """How the executor saw the process tree end."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    TIMEOUT_KILLED = "timeout-killed"
    STALLED = "stalled"
    STARTUP_HANG = "startup-hang"
    OOM_KILLED = "oom-killed"
    DISK_FULL = "disk-full"
    DOCKER_LOST = "docker-lost"
    COULD_NOT_START = "could-not-start"
    DRAINED = "drained"


@dataclass(frozen=True, slots=True)
class AttemptSpec:
    """Everything an executor needs; a plain picklable record, paths on the host.

    `invocation` is a POSIX-sh file run with `sh` in the workspace. `workspace` and `state` are the
    run's own writable folders (/work and /state in a container), `sockets` holds the event sink's
    socket, `spool` is a file outside the workspace for events where there is no sink.
    `environment` is all the attempt gets: nothing of the host's own leaks in.
    """

    run_id: str
    batch_id: str
    number: int
    stack: str
    harness: str
    workspace: Path
    state: Path
    sockets: Path
    spool: Path
    invocation: Path
    log: Path
    environment: tuple[tuple[str, str], ...]
    limits: Limits
    image: str | None = None
    watch_output: bool = True


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """How it ended: times are UTC ISO strings, seconds are measured by a monotonic clock.

    `effective` states the limits and isolation that really held, name to value. `left_behind`
    names processes that outlived the agent and were ended, `notes` says what else was seen (a limit
    that was reached).
    """

    ending: Ending
    exit_code: int | None
    started_at: str
    ended_at: str
    active_seconds: float
    last_activity_seconds: float | None
    stdout_bytes: int
    is_output_truncated: bool
    effective: tuple[tuple[str, str], ...] = ()
    detail: str | None = None
    left_behind: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt, main thread and sub-agents, and money where known."""

    uncached_input: int
    cache_read: int
    cache_write: int
    output: int
    cost_usd: float | None = None

    @property
    def total(self) -> int:
        return self.uncached_input + self.cache_read + self.cache_write + self.output


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a harness's own output says; structured events first, `line` is what was decisive.

    `exit_reason` None: nothing but the executor's ending to go by. `tool_calls` None: unknown.
    """

    exit_reason: ExitReason | None = None
    has_terminal_event: bool = False
    tool_calls: int | None = None
    is_unfinished: bool = False
    usage: Usage | None = None
    harness_version: str | None = None
    retry_after_seconds: float | None = None
    line: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One line of attempts.jsonl: how an attempt ended, what it used, what is left of it.

    `backoff_seconds` is the wait before this attempt. `kept` is the folder of a failed attempt,
    relative to the run; None for the counted one. `usage` None: unknown, never zero.
    """

    number: int
    exit_reason: str
    ending: Ending
    exit_code: int | None
    started_at: str
    ended_at: str
    active_seconds: float
    backoff_seconds: float
    stdout_bytes: int
    is_output_truncated: bool
    last_activity_seconds: float | None = None
    usage: Usage | None = None
    evidence: str | None = None
    detail: str | None = None
    kept: str | None = None

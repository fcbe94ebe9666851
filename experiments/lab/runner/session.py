"""What a coordinator is asked for, and how it left: small enough for every command to import."""

from dataclasses import dataclass
from enum import StrEnum

from lab.runner.batch_folder import BatchFolder
from lab.runner.progress import BatchState

EXECUTORS = ("auto", "local", "docker")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; `shards` None = the default of the executor."""

    executor: str = "auto"
    shards: int | None = None
    is_again: bool = False
    is_unsandboxed: bool = False


class End(StrEnum):
    """Why a coordinator left."""

    COMPLETE = "complete"
    LEFT_TO_OTHERS = "left to others"
    STOPPED = "stopped"
    DRAINED = "drained"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Ended:
    """A batch after a coordinator left it."""

    end: End
    batch: BatchFolder
    state: BatchState
    was_finished_before: bool = False

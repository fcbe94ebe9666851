"""What all runs of one coordinator share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.domain.metric import Registry
from lab.gateway.client import Gateway
from lab.paths import LabPaths
from lab.runner.executor import Executor, Pairs
from lab.runner.file_tree import FileTree
from lab.runner.provenance import Host
from lab.store.defaults import Defaults


@dataclass(frozen=True, slots=True)
class Context:
    """A coordinator's surroundings: where, with what, under which limits.

    `registry` is read once: who edits the file during the batch changes nothing. `work` is the
    batch's own folder for what attempts need besides the run, `sockets` a short one for the event
    sink. `gateway` is None when no stack of the plan reports events. `lab` is the lab's version and
    git state. `wait` sleeps so many seconds; False = the batch is draining. `slots` begins the
    names of this coordinator's working folders.
    """

    paths: LabPaths
    batch_id: str
    plan_name: str
    seed: int | None
    executor: Executor
    isolation: Pairs
    defaults: Defaults
    registry: Registry
    gateway: Gateway | None
    skeleton: FileTree
    work: Path
    sockets: Path
    lab: Pairs
    limits: Pairs
    host: Host
    slots: str
    wait: Callable[[float], bool]

"""What an executor answers: where things are for the agent, run one attempt, launch an analysis."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lab.analysis.request import Launch
from lab.domain.attempt import AttemptResult, AttemptSpec, Ending
from lab.runner.clock import now
from lab.stacks.protocol import Tools

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Folders:
    """What belongs to one attempt, on the host.

    `workspace` is staged with the run; the others lie in the batch's own folder and go away after
    the attempt. `sockets` is short, because a unix socket's path may have 107 bytes; the event
    sink's socket and spool lie in it under the names of lab.gateway.client.
    """

    workspace: Path
    state: Path
    sockets: Path
    invocation: Path
    log: Path


@dataclass(frozen=True, slots=True)
class View:
    """The same as the agent sees it: its workspace, its home, the event socket, the spool."""

    workdir: str
    statedir: str
    socket: str
    spool: str


@dataclass(frozen=True, slots=True)
class AnalysisPlace:
    """What an analysis may read (a run's folder) and whose it is; scratch space is its own."""

    run_folder: Path
    stack: str
    batch_id: str
    run_id: str


class Executor(Protocol):
    """Runs attempts somewhere. Used from several threads at once; `name` stands in run.json."""

    name: str

    def refusal(self, executes_model_output: bool) -> str | None:
        """Say why such a harness may not run here, and what to type instead; None = it may."""
        ...

    def isolation(self) -> Pairs:
        """Return each rule of isolation with what holds here ("pid namespace", "no: ...")."""
        ...

    def tools(self, stack_id: str) -> Tools:
        """Return a stack's tools; LabError with the command that installs or builds them."""
        ...

    def image(self, stack_id: str) -> str | None:
        """Return the digest of the image an agent of this stack runs in; None = no image."""
        ...

    def view(self, folders: Folders) -> View:
        """Return the agent's view of its folders."""
        ...

    def run(self, spec: AttemptSpec) -> AttemptResult:
        """Execute one attempt to its end: nothing of it runs when this returns."""
        ...

    def launch(self, place: AnalysisPlace) -> Launch:
        """Return how to send one request to an analysis worker that can read that run."""
        ...

    def drain(self) -> None:
        """End all running attempts now (Ending.DRAINED); later ones end at once."""
        ...

    def reap(self) -> tuple[str, ...]:
        """End what dead owners left running; return the names of what was ended."""
        ...

    def close(self) -> None:
        """Give back what the executor holds."""
        ...


def without_process(ending: Ending, error: BaseException, started_at: str) -> AttemptResult:
    """Return the result of an attempt of which no process ran, or none that could be followed."""
    return AttemptResult(
        ending=ending,
        exit_code=None,
        started_at=started_at,
        ended_at=now(),
        active_seconds=0.0,
        last_activity_seconds=None,
        stdout_bytes=0,
        is_output_truncated=False,
        detail=str(error),
    )

"""What a harness answers: prepare, invocation, collect, evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lab.domain.attempt import AttemptResult, Evidence
from lab.domain.catalogue import Model, Workflow


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the runner may rely on; asked here, never by a harness's name.

    terminal_event: `ok` needs one besides exit 0. expects_work: exit 0 without a tool call or with
    an empty diff is a no-op-run. executes_model_output: runs in a container, or --unsandboxed.
    needs_tape: plays a tape of the kata for the stack. needs_command: the workflow's row holds one.
    """

    executes_model_output: bool
    terminal_event: bool
    expects_work: bool
    needs_tape: bool = False
    needs_command: bool = False

    @property
    def calls_model(self) -> bool:
        """Tell whether tokens apply: an agent that streams events or runs what a model wrote."""
        return self.executes_model_output or self.terminal_event


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt as a harness sees it. Paths are the agent's own view (/work in a container).

    `workflow_folder` and `tape_folder` lie on the host and are read while preparing only.
    """

    run_id: str
    kata: str
    kata_base: str
    prompt_text: str
    model: Model
    workflow: Workflow
    workflow_folder: Path
    tape_folder: Path | None
    stack: str
    test_command: str
    entry_point: str
    workdir: str
    statedir: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """Files that the harness wants in the workspace before the start: path to content."""

    files: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """A POSIX-sh script that runs the agent to its end, and the environment it needs."""

    script: str
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Collected:
    """What an attempt left: the capped log, and the session files below the state folder."""

    log: Path
    state: Path
    transcripts: tuple[Path, ...] = ()


class Harness(Protocol):
    """One coding-agent CLI, or an agent of the lab's own; modules satisfy this."""

    ID: str
    CAPABILITIES: Capabilities

    def version(self) -> str | None:
        """Return what a fresh run would stamp as harness_version; None = only known afterwards."""
        ...

    def prepare(self, request: Request) -> Prepared: ...

    def invocation(self, request: Request) -> Invocation: ...

    def collect(self, log: Path, state: Path) -> Collected: ...

    def evidence(self, collected: Collected, result: AttemptResult) -> Evidence: ...

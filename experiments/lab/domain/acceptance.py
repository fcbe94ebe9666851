"""An acceptance suite that no agent sees, and what a solution did with each scenario."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Scenario:
    """One input for stdin, and the JSON text that stdout must equal as canonical JSON."""

    name: str
    input: str
    expected: str


@dataclass(frozen=True, slots=True)
class AcceptanceSuite:
    """The scenarios of one kata as one stack runs them.

    `command` None = the stack's own start. `adapter` is a file name and its text, written into a
    copy of the workspace before the first scenario.
    """

    scenarios: tuple[Scenario, ...]
    timeout_seconds: float
    command: tuple[str, ...] | None = None
    adapter: tuple[str, str] | None = None


class ScenarioStatus(StrEnum):
    PASS = "pass"
    MISMATCH = "mismatch"
    ERROR = "error"
    TIMEOUT = "timeout"
    UNPARSABLE = "unparsable"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one scenario went; `detail` is one line for people, empty for a pass.

    A negative exit code is a signal; `tries` is 2 when the first try ran out of time.
    """

    name: str
    status: ScenarioStatus
    exit_code: int | None
    seconds: float
    tries: int
    detail: str = ""

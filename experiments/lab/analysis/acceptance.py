"""Acceptance: a solution's command run once per hidden scenario, and its answers judged.

The worker runs and hands back what came out; only the host, which never runs a solution, knows
what was expected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.analysis.canonical import NotJson, difference, parse
from lab.domain.acceptance import AcceptanceSuite, Scenario, ScenarioResult, ScenarioStatus
from lab.domain.metric import Measurement, Reason, measured, missing
from lab.errors import ToolFailed
from lab.process.bounded import Bounds, Finished, run_bounded

VERSION = "1"
BY = f"acceptance@{VERSION}"
COLUMNS = ("verification_total", "verification_passed", "verification_pct")
OUTPUT_BYTES = 1 << 20
STDERR_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out of one scenario, not judged yet; text may hold escaped bytes."""

    name: str
    exit_code: int
    seconds: float
    tries: int
    is_timeout: bool
    is_overflow: bool
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where the worker runs scenarios: a copy of the workspace, the command, its variables."""

    project: Path
    command: tuple[str, ...]
    environment: Mapping[str, str]
    timeout_seconds: float


# --- host: what is sent, and what the answers mean --------------------------------------------


def questions(suite: AcceptanceSuite) -> dict[str, Any]:
    """Lay a suite out for the worker, without what is expected."""
    return {
        "command": suite.command,
        "timeout_seconds": suite.timeout_seconds,
        "adapter": suite.adapter,
        "scenarios": [[scenario.name, scenario.input] for scenario in suite.scenarios],
    }


def judge(
    suite: AcceptanceSuite, answers: Sequence[Mapping[str, Any]]
) -> tuple[ScenarioResult, ...]:
    """Compare every answer with its scenario; raises ToolFailed when an answer is missing."""
    by_name = {answer["name"]: Answer(**answer) for answer in answers}
    absent = [one.name for one in suite.scenarios if one.name not in by_name]
    if absent:
        raise ToolFailed("acceptance", f"no answer for {', '.join(absent)}")
    return tuple(judge_one(one, by_name[one.name]) for one in suite.scenarios)


def judge_one(scenario: Scenario, answer: Answer) -> ScenarioResult:
    """Name what one scenario came to; an exit code other than 0 is an error whatever it printed."""
    status, detail = _verdict(scenario, answer)
    return ScenarioResult(
        scenario.name, status, answer.exit_code, answer.seconds, answer.tries, detail
    )


def _verdict(scenario: Scenario, answer: Answer) -> tuple[ScenarioStatus, str]:
    if answer.is_timeout:
        return ScenarioStatus.TIMEOUT, f"still running after {answer.seconds:.1f} s"
    if answer.is_overflow:
        return ScenarioStatus.UNPARSABLE, f"more than {OUTPUT_BYTES} bytes on stdout"
    if answer.exit_code != 0:
        return ScenarioStatus.ERROR, f"exit {answer.exit_code}: {_last_line(answer.stderr)}"
    try:
        actual = parse(answer.stdout.encode("utf-8", "surrogateescape"))
    except NotJson as error:
        return ScenarioStatus.UNPARSABLE, str(error)
    found = difference(parse(scenario.expected.encode()), actual)
    return (ScenarioStatus.MISMATCH, found) if found else (ScenarioStatus.PASS, "")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][-STDERR_SHOWN:] if lines else "nothing on stderr"


def metrics(results: Sequence[ScenarioResult] | None, reason: Reason) -> dict[str, Measurement]:
    """Count the scenarios; None gives null for every column with the reason."""
    if results is None:
        return {name: missing(reason, BY) for name in COLUMNS}
    passed = sum(result.status is ScenarioStatus.PASS for result in results)
    values = (len(results), passed, passed / len(results))
    return {name: measured(value, BY) for name, value in zip(COLUMNS, values, strict=True)}


# --- worker: running --------------------------------------------------------------------------


def run_scenarios(place: Place, scenarios: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Run every scenario in turn; those that ran out of time once more, after all others."""
    answers = {name: _run(place, name, text, 1) for name, text in scenarios}
    for name, text in scenarios:
        if answers[name].is_timeout:
            answers[name] = _run(place, name, text, 2)
    return [asdict(answer) for answer in answers.values()]


def _run(place: Place, name: str, text: str, tries: int) -> Answer:
    finished = run_bounded(
        place.command,
        cwd=place.project,
        environment=place.environment,
        bounds=Bounds(place.timeout_seconds, OUTPUT_BYTES),
        stdin=text.encode(),
    )
    return _answer(name, finished, tries)


def _answer(name: str, finished: Finished, tries: int) -> Answer:
    return Answer(
        name,
        finished.exit_code,
        round(finished.seconds, 3),
        tries,
        finished.is_timeout,
        finished.is_overflow,
        finished.stdout.decode("utf-8", "surrogateescape"),
        finished.stderr.decode("utf-8", "replace")[-4000:],
    )

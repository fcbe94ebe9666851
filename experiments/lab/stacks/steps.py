"""Measuring in steps, each of which fails alone: its metrics become null with a reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lab.domain.metric import Measurement, Reason, Value, measured, missing
from lab.errors import ToolFailed
from lab.stacks.protocol import StackMeasurements

Project = TypeVar("Project")
Readings = Mapping[str, "Value | Reason"]


class CannotMeasure(Exception):
    """There is nothing that could be measured here; says why, and where."""

    def __init__(self, reason: Reason, where: str = "") -> None:
        self.reason = reason
        self.where = where
        super().__init__(f"{reason}: {where}" if where else str(reason))


@dataclass(frozen=True, slots=True)
class Reading:
    """What one step read: metric id to a value or the reason why there is none, and details."""

    readings: Readings
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step(Generic[Project]):
    """One measuring code with its version, and every metric that it answers for."""

    code: str
    version: str
    metrics: tuple[str, ...]
    run: Callable[[Project], Reading]

    @property
    def by(self) -> str:
        return f"{self.code}@{self.version}"


def run_steps(steps: Sequence[Step[Project]], project: Project) -> StackMeasurements:
    """Run every step; a failed tool, a full disk or nothing to measure costs its own metrics.

    Its details then hold `failure` (what the tool printed) or `why` (reason and place).
    """
    metrics: dict[str, Measurement] = {}
    details: dict[str, Any] = {}
    for step in steps:
        reading = _run(step, project)
        if set(reading.readings) != set(step.metrics):
            odd = sorted(set(reading.readings) ^ set(step.metrics))
            raise ValueError(f"{step.code} answers for other metrics than it declares: {odd}")
        metrics.update((name, _state(reading.readings[name], step.by)) for name in step.metrics)
        details[step.code] = dict(reading.details)
    return StackMeasurements(metrics, details)


def all_missing(steps: Sequence[Step[Any]], reason: Reason) -> dict[str, Measurement]:
    """Return null for every metric of the steps, with one reason."""
    return {name: missing(reason, step.by) for step in steps for name in step.metrics}


def _run(step: Step[Project], project: Project) -> Reading:
    try:
        return step.run(project)
    except CannotMeasure as error:
        return Reading(dict.fromkeys(step.metrics, error.reason), {"why": str(error)})
    except ToolFailed as error:
        return _failed(step, f"{error}\n{error.output[-4000:]}")
    except (OSError, MemoryError) as error:
        return _failed(step, f"{type(error).__name__}: {error}")


def _failed(step: Step[Project], failure: str) -> Reading:
    return Reading(dict.fromkeys(step.metrics, Reason.TOOL_FAILED), {"failure": failure})


def _state(reading: "Value | Reason", by: str) -> Measurement:
    return missing(reading, by) if isinstance(reading, Reason) else measured(reading, by)

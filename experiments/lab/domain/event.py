"""What the test runner said: one event per suite invocation."""

from dataclasses import dataclass
from enum import StrEnum

TestId = tuple[str, ...]


class PathClass(StrEnum):
    """What a changed file is; other files never count."""

    TEST = "test"
    IMPLEMENTATION = "implementation"
    CONFIGURATION = "configuration"
    OTHER = "other"


class Status(StrEnum):
    """A test's status; SKIPPED covers todo and expected failure: listed, not executed."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Result(StrEnum):
    """NAMED: the suite reported its tests (possibly none). Else why it could not."""

    NAMED = "named"
    DOES_NOT_COMPILE = "does-not-compile"
    DIED = "died"


@dataclass(frozen=True, slots=True)
class TestResult:
    id: TestId
    status: Status

    __test__ = False


@dataclass(frozen=True, slots=True)
class SuiteEvent:
    """One suite invocation, in the order of the starts.

    `changes` holds the classes of files that changed since the previous event (the first compares
    with the untouched template). `tests` is empty for an unnamed event.
    """

    changes: frozenset[PathClass]
    result: Result
    tests: tuple[TestResult, ...] = ()
    is_partial: bool = False
    sequence: int = 0
    at: str | None = None

    @property
    def is_named(self) -> bool:
        return self.result is Result.NAMED

    @property
    def executed(self) -> tuple[TestResult, ...]:
        return tuple(test for test in self.tests if test.status is not Status.SKIPPED)

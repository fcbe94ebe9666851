"""The words of the phase chain: labels, episodes, classified events and the chain itself."""

from dataclasses import dataclass
from enum import StrEnum

from lab.domain.event import PathClass, Status, SuiteEvent, TestId


class Label(StrEnum):
    """What one suite invocation was; (c) = the suite named no tests."""

    START = "Start"
    VERIFY = "Verify"
    BOTH = "Both"
    RED = "Red"
    RED_UNNAMED = "Red(c)"
    GREEN = "Green"
    GREEN_MISSED = "Green?"
    GREEN_MISSED_UNNAMED = "Green?(c)"
    REFACTOR = "Refactor"
    VERIFIED = "Verified"
    SKIP = "Skip"
    DROP = "Drop"
    BREAK = "Break"
    BREAK_UNNAMED = "Break(c)"


HEALTHY = frozenset(
    {
        Label.START,
        Label.RED,
        Label.RED_UNNAMED,
        Label.GREEN,
        Label.REFACTOR,
        Label.VERIFY,
        Label.VERIFIED,
    }
)
COUNTED_DEVIATIONS = frozenset(
    {Label.BOTH, Label.SKIP, Label.DROP, Label.BREAK, Label.BREAK_UNNAMED}
)
OPENERS = frozenset({Label.RED, Label.RED_UNNAMED, Label.BOTH, Label.SKIP})


@dataclass(frozen=True, slots=True)
class Episode:
    """A failing state that names nothing yet; `index` and `label` are its first event's."""

    begun_by: PathClass
    label: Label
    index: int

    @property
    def is_begun_by_test(self) -> bool:
        return self.begun_by is PathClass.TEST


@dataclass(frozen=True, slots=True)
class LabelledEvent:
    """One event with its label, the number of the rule that gave it, and what it showed.

    `judged_by` holds the changes that the rules saw: the event's own, or unconfirmed ones.
    `is_carried`: a Red that makes an episode's failure visible. `ended` is the episode that this
    event closed. `is_opening`: a cycle begins here.
    """

    event: SuiteEvent
    label: Label
    rule: int
    judged_by: frozenset[PathClass]
    new: frozenset[TestId]
    fixed: frozenset[TestId]
    arrived: frozenset[TestId]
    is_opening: bool
    is_carried: bool = False
    is_weakened: bool = False
    begun: Episode | None = None
    ended: Episode | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """All labelled events in order, and what is known after the last one.

    `last_statuses` pairs each known test with how it went last; `flaky` names tests whose status
    flipped though nothing had changed. `cutoff` is the index of the first event that executed a
    verification test.
    """

    events: tuple[LabelledEvent, ...]
    flaky: tuple[TestId, ...]
    last_statuses: tuple[tuple[TestId, Status], ...]
    cutoff: int | None

    @property
    def labels(self) -> tuple[Label, ...]:
        return tuple(row.label for row in self.events)

    @property
    def before_cutoff(self) -> tuple[LabelledEvent, ...]:
        return self.events[: self.cutoff]

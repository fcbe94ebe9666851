"""What an event shows, given all that went before: the terms that the rules are written in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.chain.verification import is_verification
from lab.chain.vocabulary import Episode
from lab.domain.event import PathClass, Status, SuiteEvent, TestId

Tests = frozenset[TestId]
NONE: Tests = frozenset()
SEVERITY = {Status.SKIPPED: 0, Status.PASSED: 1, Status.FAILED: 2}


@dataclass(frozen=True, slots=True)
class State:
    """What is known before an event.

    `known` holds the last status of each executed test, `seen` all tests ever executed, `last_full`
    the tests of the last full, named event that executed any. `red` holds the tests that this
    cycle put in the red; `unconfirmed` the changes of partial events since the last full, named
    one.
    """

    known: Mapping[TestId, Status] = field(default_factory=dict)
    seen: Tests = NONE
    last_full: Tests = NONE
    red: Tests = NONE
    episode: Episode | None = None
    unconfirmed: frozenset[PathClass] = frozenset()
    flaky: Tests = NONE
    index: int = 0

    @property
    def is_settled(self) -> bool:
        return not self.red and self.episode is None


@dataclass(frozen=True, slots=True)
class Facts:
    """One event seen from a state; the sets and words of chain.md section 1.

    `known` holds last statuses with this event included. `changes` is what the event is judged by:
    test and implementation only, unconfirmed changes and counting configuration resolved.
    """

    event: SuiteEvent
    state: State
    known: Mapping[TestId, Status]
    executed: Tests
    failing: Tests
    new: Tests
    fixed: Tests
    arrived: Tests
    left: Tests
    flaky: Tests
    has_fallen: bool
    changes: frozenset[PathClass]

    @property
    def is_named(self) -> bool:
        return self.event.is_named

    @property
    def is_test_change(self) -> bool:
        return self.changes == {PathClass.TEST}

    @property
    def is_implementation_change(self) -> bool:
        return self.changes == {PathClass.IMPLEMENTATION}

    @property
    def has_test_change(self) -> bool:
        return PathClass.TEST in self.changes

    @property
    def has_more_arrivals(self) -> bool:
        return len(self.arrived) > len(self.left)

    @property
    def has_verification_arrival(self) -> bool:
        return any(is_verification(test) for test in self.arrived)

    def still_failing(self, tests: Tests) -> Tests:
        """Keep those tests whose last status, this event included, is failed."""
        return frozenset(test for test in tests if self.known.get(test) is Status.FAILED)


def statuses(event: SuiteEvent) -> dict[TestId, Status]:
    """Give each listed test one status; an id listed twice takes the worse one."""
    found: dict[TestId, Status] = {}
    if not event.is_named:
        return found
    for test in event.tests:
        before = found.get(test.id, Status.SKIPPED)
        found[test.id] = max(before, test.status, key=SEVERITY.__getitem__)
    return found


def is_full(event: SuiteEvent) -> bool:
    """Tell whether the event speaks for the whole suite: named and not partial."""
    return event.is_named and not event.is_partial


def observe(event: SuiteEvent, state: State) -> Facts:
    """Derive the facts of an event from the state before it."""
    ran = {test: to for test, to in statuses(event).items() if to is not Status.SKIPPED}
    executed = frozenset(ran)
    failing = frozenset(test for test, to in ran.items() if to is Status.FAILED)
    flaky = state.flaky | _flipped(event, state, ran)
    was_failing = frozenset(t for t, status in state.known.items() if status is Status.FAILED)
    new = failing - was_failing - flaky
    fixed = ((executed - failing) & was_failing) - flaky
    arrived = executed - state.seen
    return Facts(
        event=event,
        state=state,
        known={**state.known, **ran},
        executed=executed,
        failing=failing,
        new=new,
        fixed=fixed,
        arrived=arrived,
        left=state.last_full - executed if is_full(event) else NONE,
        flaky=flaky,
        has_fallen=is_full(event) and len(executed) < len(state.last_full),
        changes=_judged_changes(event, state, shows_something=bool(new or fixed or arrived)),
    )


def own_changes(event: SuiteEvent) -> frozenset[PathClass]:
    """Return the event's changes that count."""
    return event.changes - {PathClass.OTHER}


def _flipped(event: SuiteEvent, state: State, ran: Mapping[TestId, Status]) -> Tests:
    """Return the tests whose status flips though nothing can have caused it."""
    if own_changes(event) or state.unconfirmed or state.episode is not None:
        return NONE
    return frozenset(test for test, to in ran.items() if state.known.get(test, to) is not to)


def _judged_changes(
    event: SuiteEvent, state: State, *, shows_something: bool
) -> frozenset[PathClass]:
    """Add unconfirmed changes that explain the event; count or drop a configuration change."""
    changes = own_changes(event)
    if not changes and shows_something:
        changes = state.unconfirmed
    if PathClass.CONFIGURATION not in changes:
        return changes
    counts = shows_something or not event.is_named or state.episode is not None
    rest = changes - {PathClass.CONFIGURATION}
    return rest | {PathClass.IMPLEMENTATION} if counts else rest

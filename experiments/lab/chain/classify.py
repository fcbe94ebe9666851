"""From suite events to the labelled chain: one pass, one state."""

from collections.abc import Iterable

from lab.chain.facts import Facts, State, is_full, observe, own_changes, statuses
from lab.chain.rules import Rule, Verdict, judge
from lab.chain.verification import is_verification
from lab.chain.vocabulary import OPENERS, Chain, Label, LabelledEvent
from lab.domain.event import SuiteEvent


def label(events: Iterable[SuiteEvent]) -> Chain:
    """Label events, given in the order of their starts; total and deterministic."""
    state = State()
    rows: list[LabelledEvent] = []
    cutoff: int | None = None
    for index, event in enumerate(events):
        facts = observe(event, state)
        rule, verdict = judge(facts)
        rows.append(_row(facts, rule, verdict))
        if cutoff is None and any(is_verification(test) for test in facts.executed):
            cutoff = index
        state = _advance(facts, verdict)
    return Chain(
        events=tuple(rows),
        flaky=tuple(sorted(state.flaky)),
        last_statuses=tuple(sorted(state.known.items())),
        cutoff=cutoff,
    )


def _row(facts: Facts, rule: Rule, verdict: Verdict) -> LabelledEvent:
    before, after = facts.state.episode, verdict.episode
    return LabelledEvent(
        event=facts.event,
        label=verdict.label,
        rule=rule.number,
        judged_by=facts.changes,
        new=facts.new,
        fixed=facts.fixed,
        arrived=facts.arrived,
        is_opening=_is_opening(facts, verdict.label),
        is_carried=verdict.is_carried,
        is_weakened=(
            verdict.label is Label.SKIP and bool(facts.fixed) and not facts.has_more_arrivals
        ),
        begun=after if after is not before else None,
        ended=before if after is not before else None,
    )


def _is_opening(facts: Facts, given: Label) -> bool:
    """A cycle opens in the settled state, or with tests that were there before any event."""
    if given is Label.START:
        return bool(facts.executed) and facts.has_test_change
    return given in OPENERS and facts.state.is_settled


def _advance(facts: Facts, verdict: Verdict) -> State:
    """Return the state after an event; a full, named one makes the lab forget what it lacks."""
    event, state = facts.event, facts.state
    known, red, last_full = dict(facts.known), verdict.red, state.last_full
    unconfirmed = state.unconfirmed | own_changes(event) if event.is_partial else state.unconfirmed
    if is_full(event):
        listed = statuses(event).keys()
        known = {test: status for test, status in known.items() if test in listed}
        red = red & listed
        last_full = facts.executed or last_full
        unconfirmed = frozenset()
    return State(
        known=known,
        seen=state.seen | facts.executed,
        last_full=last_full,
        red=red,
        episode=verdict.episode,
        unconfirmed=unconfirmed,
        flaky=facts.flaky,
        index=state.index + 1,
    )

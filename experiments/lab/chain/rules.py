"""The ordered table of labels: the first rule that fits an event labels it (chain.md section 3)."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.chain.facts import NONE, Facts, Tests
from lab.chain.vocabulary import Episode, Label
from lab.domain.event import PathClass, Status


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label and the state that it leaves: the red tests and the open episode."""

    label: Label
    red: Tests
    episode: Episode | None = None
    is_carried: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    number: int
    fits: Callable[[Facts], bool]
    judge: Callable[[Facts], Verdict]


def _begin(facts: Facts, by: PathClass, label: Label) -> Episode:
    return Episode(by, label, facts.state.index)


def _keep_failing(label: Label) -> Callable[[Facts], Verdict]:
    """Label, and keep those red tests that still fail."""
    return lambda facts: Verdict(label, facts.still_failing(facts.state.red))


def _unchanged(facts: Facts) -> Verdict:
    return Verdict(Label.VERIFY, facts.state.red, facts.state.episode)


def _fits_start(facts: Facts) -> bool:
    return facts.state.index == 0 and facts.is_named and not facts.failing


def _judge_nothing_changed(facts: Facts) -> Verdict:
    episode = facts.state.episode
    if episode is not None and episode.is_begun_by_test and facts.new:
        return Verdict(Label.VERIFY, facts.new)
    return _unchanged(facts)


def _fits_unheard_red(facts: Facts) -> bool:
    red = facts.state.red
    return (
        facts.is_implementation_change
        and facts.event.is_partial
        and not facts.new
        and bool(red)
        and not red & facts.executed
    )


def _judge_both(facts: Facts) -> Verdict:
    if facts.is_named:
        return Verdict(Label.BOTH, facts.still_failing(facts.state.red | facts.new))
    episode = facts.state.episode or _begin(facts, PathClass.TEST, Label.BOTH)
    return Verdict(Label.BOTH, facts.state.red, episode)


def _judge_unnamed_test(facts: Facts) -> Verdict:
    episode = facts.state.episode
    if episode is None or not episode.is_begun_by_test:
        episode = _begin(facts, PathClass.TEST, Label.RED_UNNAMED)
    return Verdict(Label.RED_UNNAMED, facts.state.red, episode)


def _judge_unnamed_implementation(facts: Facts) -> Verdict:
    if facts.state.is_settled:
        begun = _begin(facts, PathClass.IMPLEMENTATION, Label.BREAK_UNNAMED)
        return Verdict(Label.BREAK_UNNAMED, NONE, begun)
    return Verdict(Label.GREEN_MISSED_UNNAMED, facts.state.red, facts.state.episode)


def _judge_episode_with_new(facts: Facts) -> Verdict:
    episode = facts.state.episode
    is_carried = episode is not None and episode.is_begun_by_test
    if is_carried or facts.is_test_change:
        return Verdict(Label.RED, facts.new, is_carried=is_carried)
    return Verdict(Label.GREEN_MISSED, facts.state.red | facts.new)


def _judge_episode_without_new(facts: Facts) -> Verdict:
    episode, red = facts.state.episode, facts.state.red
    if episode is not None and episode.is_begun_by_test:
        is_green = bool(facts.arrived or facts.fixed)
    else:
        is_green = _have_all_passed(facts, red)
    return Verdict(Label.GREEN, NONE) if is_green else Verdict(Label.GREEN_MISSED, red)


def _judge_green(facts: Facts) -> Verdict:
    red = facts.state.red
    if _have_all_passed(facts, red) and red & facts.executed and not facts.new:
        return Verdict(Label.GREEN, NONE)
    return Verdict(Label.GREEN_MISSED, red | facts.new)


def _have_all_passed(facts: Facts, tests: Tests) -> bool:
    return all(facts.known.get(test) is Status.PASSED for test in tests)


def _is_in_episode(facts: Facts) -> bool:
    return facts.state.episode is not None


RULES: tuple[Rule, ...] = (
    Rule(1, _fits_start, lambda facts: Verdict(Label.START, NONE)),
    Rule(2, lambda facts: not facts.changes, _judge_nothing_changed),
    Rule(3, _fits_unheard_red, _unchanged),
    Rule(4, lambda facts: len(facts.changes) > 1, _judge_both),
    Rule(5, lambda facts: not facts.is_named and facts.is_test_change, _judge_unnamed_test),
    Rule(6, lambda facts: not facts.is_named, _judge_unnamed_implementation),
    Rule(7, lambda facts: _is_in_episode(facts) and bool(facts.new), _judge_episode_with_new),
    Rule(
        8,
        lambda facts: _is_in_episode(facts) and facts.is_implementation_change,
        _judge_episode_without_new,
    ),
    Rule(
        9,
        lambda facts: facts.is_test_change and bool(facts.new),
        lambda facts: Verdict(Label.RED, facts.new),
    ),
    Rule(10, lambda facts: facts.is_test_change and facts.has_fallen, _keep_failing(Label.DROP)),
    Rule(
        11,
        lambda facts: facts.is_test_change and facts.has_verification_arrival,
        _keep_failing(Label.VERIFIED),
    ),
    Rule(
        12,
        lambda facts: (
            facts.is_test_change
            and (facts.has_more_arrivals or bool(facts.fixed) or _is_in_episode(facts))
        ),
        _keep_failing(Label.SKIP),
    ),
    Rule(13, lambda facts: facts.is_test_change, _keep_failing(Label.VERIFY)),
    Rule(14, lambda facts: bool(facts.state.red), _judge_green),
    Rule(15, lambda facts: bool(facts.new), lambda facts: Verdict(Label.BREAK, facts.new)),
    Rule(16, lambda facts: bool(facts.fixed), lambda facts: Verdict(Label.GREEN, NONE)),
    Rule(17, lambda facts: True, lambda facts: Verdict(Label.REFACTOR, NONE)),
)


def judge(facts: Facts) -> tuple[Rule, Verdict]:
    """Return the first rule that fits, and its verdict; the last rule fits always."""
    rule = next(rule for rule in RULES if rule.fits(facts))
    return rule, rule.judge(facts)

"""Which zeros of the original are no measurements, and why: an ordered table of rules.

A rule speaks only where it is certain, and only of values that are 0, false or null: anything else
was measured. What a run has no transcript, code, tool, suite or price for becomes null (decision
0003).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lab.domain.metric import Reason, Value
from lab.importing.columns import WITHOUT_WINDOW

Values = Mapping[str, Value | None]
LINT = (
    *("mccabe_max", "mccabe_avg", "mccabe_high_count"),
    *("cognitive_max", "cognitive_avg", "cognitive_high_count"),
    *("smell_total", "smell_complexity", "smell_duplication"),
    *("smell_magic_numbers", "smell_code_quality"),
)
FUNCTIONS = (*("functions", "longest_function", "avg_loc_per_function", "median_loc_per_function"),)
COVERAGE = ("coverage_statements_pct", "coverage_branches_pct")
CODE = (
    *("production_loc", "code_mass", "legacy_lines_of_code", "legacy_cc_imports"),
    *FUNCTIONS,
    *LINT,
    *COVERAGE,
)
PHASES = (
    *("legacy_avg_cycle_seconds", "legacy_avg_red_seconds"),
    *("legacy_avg_green_seconds", "legacy_avg_refactor_seconds"),
)
PREDICTIONS = ("predictions_correct", "predictions_total")
TRANSCRIPT = (
    *("tokens_total", "context_utilization", "cost_usd", *PREDICTIONS, *PHASES),
    *("legacy_cycle_count", "legacy_refactorings_applied", "legacy_tests_passed_immediately"),
)
SUITE = ("verification_pct", "verification_passed", "verification_total")


@dataclass(frozen=True, slots=True)
class Facts:
    """A run's carried values by our ids, and the harness it ran on."""

    values: Values
    harness: str | None

    def is_zero(self, *names: str) -> bool:
        """Tell whether all of these stand there, and are 0 or false."""
        return all(self.values.get(name) in (0, False) for name in names)

    def is_positive(self, name: str) -> bool:
        value = self.values.get(name)
        return value is not None and value > 0

    @property
    def has_no_code(self) -> bool:
        return self.is_zero("production_loc", "legacy_lines_of_code")

    @property
    def has_no_lint(self) -> bool:
        """Every function has a McCabe complexity of at least 1, so 0 means that nothing looked."""
        return self.is_positive("functions") and self.is_zero("mccabe_max")

    @property
    def is_red(self) -> bool:
        return self.values.get("tests_passing") is False


@dataclass(frozen=True, slots=True)
class Rule:
    """`ids` are null for this `reason` where `applies`; `told` says it in the report."""

    name: str
    reason: Reason
    ids: tuple[str, ...]
    told: str
    applies: Callable[[Facts], bool]


RULES: tuple[Rule, ...] = (
    Rule(
        "no-transcript",
        Reason.NO_SOURCE,
        TRANSCRIPT,
        "no token was counted, so no transcript was read",
        lambda run: run.is_zero("tokens_total"),
    ),
    Rule(
        "no-code",
        Reason.NO_SOURCE,
        CODE,
        "there is no production code to measure",
        lambda run: run.has_no_code,
    ),
    Rule(
        "nothing-written",
        Reason.NO_SOURCE,
        ("todos_remaining",),
        "neither code nor tests were written, so nothing could be left to do",
        lambda run: run.has_no_code and run.is_zero("test_lines"),
    ),
    Rule(
        "no-lint",
        Reason.TOOL_FAILED,
        LINT,
        "functions were counted, yet the linter saw none: it did not run",
        lambda run: run.has_no_lint,
    ),
    Rule(
        "nothing-ran",
        Reason.TOOL_FAILED,
        ("tests_passing", *COVERAGE),
        "neither linter nor coverage gave anything: the tests did not run either",
        lambda run: run.has_no_lint and run.is_red and run.is_zero(*COVERAGE),
    ),
    Rule(
        "functions-overlooked",
        Reason.UNPARSABLE,
        FUNCTIONS,
        "the linter saw functions that the counter of functions overlooked",
        lambda run: run.is_zero("functions") and run.is_positive("mccabe_max"),
    ),
    Rule(
        "tests-red",
        Reason.TESTS_RED,
        COVERAGE,
        "the tests failed, so coverage was not written",
        lambda run: run.is_red and run.is_zero(*COVERAGE),
    ),
    Rule(
        "tests-overlooked",
        Reason.UNPARSABLE,
        ("tests_total",),
        "the tests passed, yet none was counted",
        lambda run: run.values.get("tests_passing") is True and run.is_zero("tests_total"),
    ),
    Rule(
        "no-suite",
        Reason.NOT_APPLICABLE,
        SUITE,
        "there was no acceptance suite",
        lambda run: run.is_zero("verification_total"),
    ),
    Rule(
        "no-window",
        Reason.NO_SOURCE,
        ("context_utilization",),
        "the parser of this harness knew no context window",
        lambda run: run.harness in WITHOUT_WINDOW,
    ),
    Rule(
        "no-clock",
        Reason.NO_SOURCE,
        PHASES,
        "the parser of this harness had no clock for phases",
        lambda run: run.harness in WITHOUT_WINDOW,
    ),
    Rule(
        "no-phase",
        Reason.NOT_APPLICABLE,
        PHASES,
        "no such phase was seen, so it has no mean duration",
        lambda run: True,
    ),
    Rule(
        "no-prediction",
        Reason.NO_SOURCE,
        PREDICTIONS,
        "no marker of a prediction was seen",
        lambda run: not run.is_positive("predictions_total"),
    ),
    Rule(
        "no-price",
        Reason.NO_SOURCE,
        ("cost_usd",),
        "no price was known",
        lambda run: True,
    ),
)


def unmeasured(facts: Facts) -> dict[str, Rule]:
    """Return the ids that stand there as 0, false or null without a measurement, with the rule."""
    found: dict[str, Rule] = {}
    for rule in RULES:
        if rule.applies(facts):
            for name in rule.ids:
                if name in facts.values and not facts.values[name]:
                    found.setdefault(name, rule)
    return found

"""What a metric is: its registry row, and a value that knows why it is missing."""

from dataclasses import dataclass
from enum import StrEnum

Value = bool | int | float


class Reason(StrEnum):
    """Why a metric has no value (measurement: three-valued metrics)."""

    NOT_APPLICABLE = "not-applicable"
    TOOL_FAILED = "tool-failed"
    NO_SOURCE = "no-source"
    UNPARSABLE = "unparsable"
    NOT_REQUESTED = "not-requested"
    TESTS_RED = "tests-red"


class Kind(StrEnum):
    BOOLEAN = "boolean"
    COUNT = "count"
    CONTINUOUS = "continuous"
    FRACTION = "fraction"
    POOLED_RATE = "pooled-rate"
    DURATION = "duration"
    MONEY = "money"


class Direction(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"
    AMBIVALENT = "ambivalent"


class Scale(StrEnum):
    """Which interval a mean gets: t on the values, t on their logarithms, or clipped to bounds."""

    LINEAR = "linear"
    LOG = "log"
    BOUNDED = "bounded"


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric of one run: a value, or null with a reason; `by` is "<code id>@<version>"."""

    value: Value | None
    reason: Reason | None = None
    by: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a measurement has either a value or a reason")


def measured(value: Value, by: str) -> Measurement:
    """Make a measurement that has a value."""
    return Measurement(value, None, by)


def missing(reason: Reason, by: str) -> Measurement:
    """Make a measurement that has none, and say why."""
    return Measurement(None, reason, by)


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One row of metrics-registry.yaml, the only home of metric facts.

    `numerator` and `denominator` are set for a pooled rate only: such a row has no column of its
    own. `gate` names a condition for trophies, such as "verification_pct = 1". `version` is the
    current version of the measuring code, compared with `by` to find stale values. `spoken` are
    words by which a text names the metric, beside its id and term. `formerly` are older names of
    the same column, `replaces` names of retired columns that measured something near to it.
    """

    id: str
    term: str | None
    kind: Kind
    unit: str
    direction: Direction
    scale: Scale
    stacks: tuple[str, ...]
    group: str
    gate: str | None
    version: str
    description: str
    numerator: str | None = None
    denominator: str | None = None
    test_list_sensitive: bool = False
    spoken: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def has_column(self) -> bool:
        return self.kind is not Kind.POOLED_RATE


@dataclass(frozen=True, slots=True)
class Registry:
    """All metric rows, in the file's order."""

    rows: tuple[MetricRow, ...]

    def get(self, metric_id: str) -> MetricRow | None:
        return next((row for row in self.rows if row.id == metric_id), None)

    def successor(self, old_name: str) -> MetricRow | None:
        """Return the row that an older name of a column leads to."""
        return next(
            (row for row in self.rows if old_name in row.formerly or old_name in row.replaces), None
        )

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(row.id for row in self.rows)

    @property
    def columns(self) -> tuple[MetricRow, ...]:
        return tuple(row for row in self.rows if row.has_column)

"""Registry rows and measurements for tests."""

from lab.domain.metric import Direction, Kind, Measurement, MetricRow, Registry, Scale, Value


def metric_row(metric_id: str, **changes: object) -> MetricRow:
    """Make a registry row: a linear count that is better when lower, unless changed."""
    facts: dict[str, object] = {
        "id": metric_id,
        "term": None,
        "kind": Kind.COUNT,
        "unit": "count",
        "direction": Direction.LOWER,
        "scale": Scale.LINEAR,
        "stacks": ("python-pytest",),
        "group": "stack",
        "gate": None,
        "version": "1",
        "description": f"{metric_id}, as a test needs it.",
    }
    return MetricRow(**{**facts, **changes})  # type: ignore[arg-type]


def registry_of(*rows: MetricRow) -> Registry:
    return Registry(rows)


def values(metric_id: str, *measured: Value, by: str = "test@1") -> list[dict[str, Measurement]]:
    """Make the metrics of one run per value."""
    return [{metric_id: Measurement(value, None, by)} for value in measured]

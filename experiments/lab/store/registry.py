"""metrics-registry.yaml, the only home of metric facts."""

from functools import cache
from pathlib import Path
from typing import Any

from lab.domain.metric import Direction, Kind, MetricRow, Registry, Scale
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.coerce import coerce
from lab.store.yaml_text import load, read_text


def read_registry(paths: LabPaths) -> Registry:
    """Return all metric rows in the file's order; LabError with all faults of the file."""
    path = paths.registry
    return _read(path, path.stat().st_mtime_ns if path.exists() else 0)


@cache
def _read(path: Path, _mtime: int) -> Registry:
    result = coerce(load(read_text(path, path.name), path.name), "metrics-registry", path.name)
    faults = list(result.messages)
    if not faults:
        rows = result.value["metrics"]
        for metric, row in rows.items():
            at = f"{path.name}:{result.lines[f'metrics/{metric}']}"
            faults.extend(f"{at}: {fault}" for fault in _pool_faults(rows, metric, row))
    if faults:
        raise LabError(faults)
    return Registry(tuple(_row(metric, row) for metric, row in rows.items()))


def _pool_faults(rows: dict[str, Any], metric: str, row: dict[str, Any]) -> list[str]:
    """A pooled rate names two other rows, all others name none."""
    parts = [row.get("numerator"), row.get("denominator")]
    if row["kind"] != Kind.POOLED_RATE:
        return [f"{metric}: only a pooled-rate has numerator and denominator"] if any(parts) else []
    if not all(parts):
        return [f"{metric}: a pooled-rate needs numerator and denominator"]
    return [f"{metric}: {part} is no row" for part in parts if part not in rows]


def _row(metric: str, row: Any) -> MetricRow:
    return MetricRow(
        id=metric,
        term=row.get("term"),
        kind=Kind(row["kind"]),
        unit=row["unit"],
        direction=Direction(row["direction"]),
        scale=Scale(row["scale"]),
        stacks=tuple(row["stacks"]),
        group=row["group"],
        gate=row.get("gate"),
        version=row["version"],
        description=row["description"],
        numerator=row.get("numerator"),
        denominator=row.get("denominator"),
        test_list_sensitive=row.get("test_list_sensitive", False),
        spoken=tuple(row.get("spoken", ())),
        formerly=tuple(row.get("formerly", ())),
        replaces=tuple(row.get("replaces", ())),
    )

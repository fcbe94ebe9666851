"""metrics.json: three-valued metrics as a compact document, back again, and its faults."""

import math
from collections.abc import Iterator, Mapping

from lab.domain.metric import Measurement, Reason, Value
from lab.store.foreign import SCHEMA_VERSION, Document, header_fault, shown

VALUE_TYPES = frozenset({bool, int, float})
REASONS = frozenset(reason.value for reason in Reason)
_TEXT = frozenset({str})


def metrics_document(run_id: str, metrics: Mapping[str, Measurement]) -> Document:
    """Lay metrics out in the compact form: values, reasons, and ids by measuring code."""
    values: dict[str, Value] = {}
    reasons: dict[str, str] = {}
    codes: dict[str, list[str]] = {}
    for name, measurement in metrics.items():
        if measurement.reason is not None:
            reasons[name] = measurement.reason.value
        elif measurement.value is not None:
            values[name] = _exact(name, measurement.value)
        codes.setdefault(measurement.by, []).append(name)
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "metrics": values,
        "missing": reasons,
        "by": codes,
    }


def _exact(name: str, value: Value) -> Value:
    """Refuse what JSON readers round or cannot hold, and numbers of other libraries."""
    is_exact = type(value) in VALUE_TYPES and math.isfinite(value)
    if not is_exact or (type(value) is int and not -(2**63) <= value < 2**63):
        raise ValueError(f"metric {name}: cannot be stored exactly: {value!r}")
    return value


class RunMetrics(Mapping[str, Measurement]):
    """The metrics of one run, by id: those with a value first, then the missing ones.

    A Measurement is made when it is asked for: 20,000 runs have two million of them.
    `values_by_id` and `reasons` are the file's own maps, for those who read columns.
    """

    __slots__ = ("_codes", "reasons", "values_by_id")

    def __init__(self, document: Document) -> None:
        """Take over a document that metrics_fault has passed."""
        self.values_by_id: Mapping[str, Value] = document["metrics"]
        self.reasons: Mapping[str, str] = document["missing"]
        self._codes: Mapping[str, list[str]] = document["by"]

    def __getitem__(self, name: str) -> Measurement:
        if name in self.values_by_id:
            return Measurement(self.values_by_id[name], None, self.by(name))
        return Measurement(None, Reason(self.reasons[name]), self.by(name))

    def __iter__(self) -> Iterator[str]:
        yield from self.values_by_id
        yield from self.reasons

    def __len__(self) -> int:
        return len(self.values_by_id) + len(self.reasons)

    def by(self, name: str) -> str:
        """Return "<code id>@<version>" of the code that measured a metric, "" if not recorded."""
        return next((code for code, names in self._codes.items() if name in names), "")


def metrics_fault(document: object, run_id: str) -> str | None:
    """Say why a document is not the metrics.json of this run, or None."""
    if not isinstance(document, dict):
        return "not a JSON object"
    for name in ("metrics", "missing", "by"):
        if type(document.get(name)) is not dict:
            return f"no map `{name}`: not written by the lab"
    return header_fault(document, run_id) or _content_fault(
        document["metrics"], document["missing"], document["by"]
    )


def _content_fault(values: Document, reasons: Document, codes: Document) -> str | None:
    if not VALUE_TYPES.issuperset(map(type, values.values())):
        wrong = next(name for name, value in values.items() if type(value) not in VALUE_TYPES)
        return f"metric `{wrong}` is {shown(values[wrong])}"
    if not _TEXT.issuperset(map(type, reasons.values())) or not REASONS.issuperset(
        reasons.values()
    ):
        wrong = next(name for name, reason in reasons.items() if reason not in tuple(REASONS))
        return f"metric `{wrong}` is missing for an unknown reason: {shown(reasons[wrong])}"
    if not values.keys().isdisjoint(reasons):
        return f"metric `{min(values.keys() & reasons.keys())}` has a value and a reason"
    for code, names in codes.items():
        if type(names) is not list or not _TEXT.issuperset(map(type, names)):
            return f"`by` does not list metric ids for {shown(code)}"
    return None

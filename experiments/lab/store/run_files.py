"""run.json and metrics.json: the typed records, their text, and why a file cannot be trusted.

Reading checks names, types and ranges by the tables below and never believes a file that is torn,
foreign or newer; the JSON Schemas are checked on writing. Both files carry the run's id, so a
copied folder is not a second run.
"""

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lab.domain.metric import Measurement, Reason, Value
from lab.domain.run import HASHES, RunIdentity, RunRecord, Timings
from lab.errors import LabError
from lab.paths import RunPaths
from lab.store.atomic import write_json
from lab.store.journal import append_line, read_lines

__all__ = [
    "Unreadable",
    "append_line",
    "read_lines",
    "read_metrics",
    "read_record",
    "write_json",
    "write_metrics",
    "write_record",
]

SCHEMA_VERSION = 1
MAX_BYTES = 16 * 1024 * 1024
Document = dict[str, Any]

_TEXT = frozenset({str})
_TEXT_OR_NULL = frozenset({str, type(None)})
_COUNT_OR_NULL = frozenset({int, type(None)})
_NUMBER_OR_NULL = frozenset({int, float, type(None)})
_MAP = frozenset({dict})
_LIST = frozenset({list})
IDENTITY_TYPES = {
    "run_id": _TEXT,
    "kata": _TEXT,
    "kata_base": _TEXT,
    "prompt": _TEXT_OR_NULL,
    "workflow": _TEXT,
    "model": _TEXT,
    "stack": _TEXT_OR_NULL,
    "harness": _TEXT_OR_NULL,
    "harness_version": _TEXT_OR_NULL,
    "exit_reason": _TEXT_OR_NULL,
    "completion": _TEXT_OR_NULL,
    "attempts": _COUNT_OR_NULL,
    "started_at": _TEXT_OR_NULL,
    "plan": _TEXT_OR_NULL,
}
OTHER_TYPES = {
    "ended_at": _TEXT_OR_NULL,
    "exit_code": _COUNT_OR_NULL,
    "evidence": _TEXT_OR_NULL,
    "batch_id": _TEXT_OR_NULL,
    "entry": _COUNT_OR_NULL,
    "block": _COUNT_OR_NULL,
    "seed": _COUNT_OR_NULL,
    "executor": _TEXT_OR_NULL,
    "reporter_route": _TEXT_OR_NULL,
    "reporter_strength": _TEXT_OR_NULL,
}
MAPS = {
    "hashes": _TEXT,
    "timings": _NUMBER_OR_NULL,
    "isolation": _TEXT,
    "limits_requested": _TEXT,
    "limits_effective": _TEXT,
    "host": _TEXT,
    "lab": _TEXT,
}
PAIRS = ("isolation", "limits_requested", "limits_effective", "host", "lab")
LISTS = ("detections", "warnings")
RECORD_TYPES = {
    **IDENTITY_TYPES,
    **OTHER_TYPES,
    **dict.fromkeys(MAPS, _MAP),
    **dict.fromkeys(LISTS, _LIST),
}
TIMINGS = tuple(Timings.__dataclass_fields__)
VALUE_TYPES = frozenset({bool, int, float})
REASONS = frozenset(reason.value for reason in Reason)


class Unreadable(LabError):
    """A run's file that cannot be trusted; `reason` says why in a few words."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}")


def write_record(run: RunPaths, record: RunRecord) -> None:
    """Write run.json; ValueError where it names another run, NaN or a name twice."""
    if record.identity.run_id != run.folder.name:
        raise ValueError(f"{run.record}: the record names run {record.identity.run_id}")
    write_checked("run", run.record, record_document(record))


def read_record(run: RunPaths) -> RunRecord:
    """Read run.json; Unreadable (a LabError) where it is absent, torn, foreign or newer."""
    document = read_document(run.record)
    reason = record_fault(document, run.folder.name)
    if reason:
        raise Unreadable(run.record, reason)
    return _record(document)


def write_metrics(run: RunPaths, metrics: Mapping[str, Measurement]) -> None:
    """Write or replace metrics.json; ValueError on NaN. Published: hold the pool's lock."""
    write_checked("metrics", run.metrics, metrics_document(run.folder.name, metrics))


def read_metrics(run: RunPaths) -> dict[str, Measurement]:
    """Read metrics.json, in its order; Unreadable where it is absent, torn, foreign or newer."""
    document = read_document(run.metrics)
    reason = metrics_fault(document, run.folder.name)
    if reason:
        raise Unreadable(run.metrics, reason)
    return measurements(document)


def write_checked(schema: str, path: Path, document: Document) -> None:
    """Write a JSON document atomically after checking it against its schema (ValueError)."""
    from lab.store.schema import check

    faults = check(schema, document, str(path))
    if faults:
        raise ValueError("\n".join(faults))
    write_json(path, document)


# --- documents ---------------------------------------------------------------------------------


def record_document(record: RunRecord) -> Document:
    """Lay a record out as run.json has it."""
    identity = record.identity
    document: Document = {"schema_version": SCHEMA_VERSION}
    document |= {name: getattr(identity, name) for name in IDENTITY_TYPES}
    document |= {name: getattr(record, name) for name in OTHER_TYPES}
    document["hashes"] = _map("hashes", identity.hashes)
    document["timings"] = {name: getattr(record.timings, name) for name in TIMINGS}
    document |= {name: _map(name, getattr(record, name)) for name in PAIRS}
    document |= {name: list(getattr(record, name)) for name in LISTS}
    return document


def _map(name: str, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    pairs = tuple(pairs)
    if len(dict(pairs)) != len(pairs):
        twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        raise ValueError(f"{name}: named twice: {', '.join(twice)}")
    return dict(pairs)


def _record(document: Document) -> RunRecord:
    values: Document = {name: document[name] for name in OTHER_TYPES}
    values |= {name: tuple(document[name].items()) for name in PAIRS}
    values |= {name: tuple(document[name]) for name in LISTS}
    timings = {name: document["timings"].get(name) for name in TIMINGS}
    return RunRecord(identity=identity_of(document), timings=Timings(**timings), **values)


def identity_of(document: Document) -> RunIdentity:
    """Take the identity from a document that record_fault has passed."""
    return RunIdentity(
        **{name: document[name] for name in IDENTITY_TYPES}, hashes=hashes_of(document)
    )


def hashes_of(document: Document) -> tuple[tuple[str, str], ...]:
    """Return the recorded provenance hashes in the order of HASHES."""
    recorded: Mapping[str, str] = document["hashes"]
    return tuple((name, recorded[name]) for name in HASHES if name in recorded)


def metrics_document(run_id: str, metrics: Mapping[str, Measurement]) -> Document:
    """Lay metrics out in the compact form: values, reasons, and ids by measuring code."""
    values: dict[str, Value] = {}
    reasons: dict[str, str] = {}
    codes: dict[str, list[str]] = {}
    for name, measurement in metrics.items():
        if measurement.reason is not None:
            reasons[name] = measurement.reason.value
        elif measurement.value is not None:
            values[name] = measurement.value
        codes.setdefault(measurement.by, []).append(name)
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "metrics": values,
        "missing": reasons,
        "by": codes,
    }


def measurements(document: Document) -> dict[str, Measurement]:
    """Take the metrics from a document that metrics_fault has passed: values, then reasons."""
    by = {name: code for code, names in document["by"].items() for name in names}
    found = {
        name: Measurement(value, None, by.get(name, ""))
        for name, value in document["metrics"].items()
    }
    for name, reason in document["missing"].items():
        found[name] = Measurement(None, Reason(reason), by.get(name, ""))
    return found


# --- faults ------------------------------------------------------------------------------------


def record_fault(document: object, run_id: str) -> str | None:
    """Say why a document is not the run.json of this run, or None."""
    if not isinstance(document, dict):
        return "not a JSON object"
    for name, allowed in RECORD_TYPES.items():
        if name not in document:
            return f"no `{name}`: not written by the lab"
        if type(document[name]) not in allowed:
            return f"`{name}` is {_shown(document[name])}"
    for name, allowed in MAPS.items():
        if not allowed.issuperset(map(type, document[name].values())):
            return f"`{name}` holds a value of the wrong type"
    for name in LISTS:
        if not _TEXT.issuperset(map(type, document[name])):
            return f"`{name}` holds something other than text"
    return _version_fault(document) or _name_fault(document, run_id)


def metrics_fault(document: object, run_id: str) -> str | None:
    """Say why a document is not the metrics.json of this run, or None."""
    if not isinstance(document, dict):
        return "not a JSON object"
    for name in ("metrics", "missing", "by"):
        if type(document.get(name)) is not dict:
            return f"no map `{name}`: not written by the lab"
    return (
        _version_fault(document)
        or _name_fault(document, run_id)
        or _content_fault(document["metrics"], document["missing"], document["by"])
    )


def _content_fault(values: Document, reasons: Document, codes: Document) -> str | None:
    if not VALUE_TYPES.issuperset(map(type, values.values())):
        wrong = next(name for name, value in values.items() if type(value) not in VALUE_TYPES)
        return f"metric `{wrong}` is {_shown(values[wrong])}"
    for name, reason in reasons.items():
        if type(reason) is not str or reason not in REASONS:
            return f"metric `{name}` is missing for an unknown reason: {_shown(reason)}"
    if not values.keys().isdisjoint(reasons):
        return f"metric `{min(values.keys() & reasons.keys())}` has a value and a reason"
    for code, names in codes.items():
        if type(names) is not list or not _TEXT.issuperset(map(type, names)):
            return f"`by` does not list metric ids for {_shown(code)}"
    return None


def _version_fault(document: Document) -> str | None:
    version = document.get("schema_version")
    if type(version) is not int or version < 1:
        return "no `schema_version`: not written by the lab"
    if version > SCHEMA_VERSION:
        return f"schema_version {version} is newer than this lab ({SCHEMA_VERSION}): update it"
    return None


def _name_fault(document: Document, run_id: str) -> str | None:
    name = document.get("run_id")
    if name != run_id:
        return f"belongs to run {_shown(name)}: a copied or renamed file"
    return None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- reading -----------------------------------------------------------------------------------

READ_FAULTS = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "does not exist",
    errno.ELOOP: "a symbolic link, not a file",
    errno.EACCES: "permission denied",
    errno.EISDIR: "a folder, not a file",
    errno.ENXIO: "not a regular file",
}


def read_document(path: Path) -> Document:
    """Read a JSON object from a regular file; Unreadable says what else was there."""
    try:
        return parse(read_regular(os.fspath(path)))
    except ValueError as error:
        raise Unreadable(path, str(error)) from None


def read_regular(path: str) -> bytes:
    """Read a file that is no link, pipe or device, and not huge; ValueError says what it is."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in READ_FAULTS:
            raise ValueError(READ_FAULTS[error.errno]) from None
        raise
    try:
        return _read_all(descriptor)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        raise ValueError("not a regular file")
    if state.st_size > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES // 2**20} MB: not written by the lab")
    chunks = []
    while chunk := os.read(descriptor, state.st_size + 1):
        chunks.append(chunk)
    return b"".join(chunks)


def parse(content: bytes) -> Document:
    """Parse a JSON object; ValueError says that it is empty, torn or something else."""
    import orjson

    if not content.strip():
        raise ValueError("empty file")
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not JSON, perhaps cut off ({error.msg})") from None
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    return document

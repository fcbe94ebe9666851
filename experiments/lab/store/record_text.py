"""run.json: the record of a run as a document, back again, and why it cannot be trusted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import repeat

from lab.domain.run import HASHES, RunIdentity, RunRecord, Timings
from lab.store.foreign import SCHEMA_VERSION, Document, header_fault, shown

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
_ABSENT = object()
TIMINGS = tuple(Timings.__dataclass_fields__)


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


def record_of(document: Document) -> RunRecord:
    """Take the record from a document that record_fault has passed."""
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


def record_fault(document: object, run_id: str) -> str | None:
    """Say why a document is not the run.json of this run, or None."""
    if not isinstance(document, dict):
        return "not a JSON object"
    if not _are_allowed(tuple(map(type, map(document.get, RECORD_TYPES, repeat(_ABSENT))))):
        return _types_fault(document)
    for name, allowed in MAPS.items():
        if document[name] and not allowed.issuperset(map(type, document[name].values())):
            return f"`{name}` holds a value of the wrong type"
    for name in LISTS:
        if document[name] and not _TEXT.issuperset(map(type, document[name])):
            return f"`{name}` holds something other than text"
    return header_fault(document, run_id)


@lru_cache(1024)
def _are_allowed(types: tuple[type, ...]) -> bool:
    """Check the types of all fields at once: most runs have the same ones."""
    return all(
        found in allowed for found, allowed in zip(types, RECORD_TYPES.values(), strict=True)
    )


def _types_fault(document: Document) -> str | None:
    for name, allowed in RECORD_TYPES.items():
        if name not in document:
            return f"no `{name}`: not written by the lab"
        if type(document[name]) not in allowed:
            return f"`{name}` is {shown(document[name])}"
    return None

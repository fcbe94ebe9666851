"""Reading research/calibration/expected/<kata base>/<manner>.json: the hand-written truth."""

from pathlib import Path
from typing import Any

from lab.domain.metric import Reason
from lab.domain.truth import Expected
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.foreign import read_document
from lab.store.schema import check

SCHEMA = "expected-truth"


def expected_folder(paths: LabPaths) -> Path:
    """Return the lab root's own folder of expectations, else the repository's."""
    own = paths.research / "calibration" / "expected"
    return own if own.exists() else paths.repository / "research" / "calibration" / "expected"


def read_expected(paths: LabPaths, kata_base: str, manner: str) -> Expected:
    """Read one expectation; LabError where it is absent, broken or of another kata or manner."""
    path = expected_folder(paths) / kata_base / f"{manner}.json"
    document = read_document(path)
    faults = check(SCHEMA, document, str(path))
    if faults:
        raise LabError(faults)
    expected = _expected(document)
    if (expected.kata_base, expected.manner) != (kata_base, manner):
        raise LabError(f"{path}: is about {expected.kata_base}, {expected.manner}")
    return expected


def _expected(document: dict[str, Any]) -> Expected:
    return Expected(
        kata_base=document["kata_base"],
        manner=document["manner"],
        exit_reason=document["exit_reason"],
        completion=document["completion"],
        labels=tuple(document["labels"]),
        cycles=tuple(tuple(cycle) for cycle in document["cycles"]),
        columns=tuple(document["columns"].items()),
        missing=tuple((name, Reason(reason)) for name, reason in document["missing"].items()),
    )

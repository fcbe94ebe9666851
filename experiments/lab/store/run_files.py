"""A run's files: run.json and metrics.json as typed records, its attempts and events as lines.

Reading checks names, types and ranges and never believes a file that is torn, foreign or newer;
the JSON Schemas are checked on writing. Both files carry the run's id, so that a copied folder is
not a second run.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from lab.domain.metric import Measurement
from lab.domain.run import RunRecord
from lab.paths import RunPaths
from lab.store.atomic import replace_bytes, to_bytes, to_rows, write_bytes, write_json
from lab.store.foreign import Document, Unreadable, read_document
from lab.store.journal import append_line, read_lines
from lab.store.metrics_text import RunMetrics, metrics_document, metrics_fault
from lab.store.record_text import record_document, record_fault, record_of

__all__ = [
    "RunMetrics",
    "Unreadable",
    "append_line",
    "read_lines",
    "read_metrics",
    "read_record",
    "read_run_metrics",
    "write_checked",
    "write_json",
    "write_metrics",
    "write_record",
]


def write_record(run: RunPaths, record: RunRecord) -> None:
    """Write run.json, durable once published; ValueError on another run's id, or a bad value."""
    if record.identity.run_id != run.folder.name:
        raise ValueError(f"{run.record}: the record names run {record.identity.run_id}")
    document = record_document(record)
    _refuse_faults("run", run.record, document)
    replace_bytes(run.record, to_rows(document))


def read_record(run: RunPaths) -> RunRecord:
    """Read run.json; Unreadable (a LabError) where it is absent, torn, foreign or newer."""
    document = read_document(run.record)
    reason = record_fault(document, run.folder.name)
    if reason:
        raise Unreadable(run.record, reason)
    return record_of(document)


def write_metrics(run: RunPaths, metrics: Mapping[str, Measurement]) -> None:
    """Write or replace metrics.json; ValueError on NaN. Published: hold the pool's lock."""
    write_checked("metrics", run.metrics, metrics_document(run.folder.name, metrics))


def read_metrics(run: RunPaths) -> RunMetrics:
    """Read metrics.json; Unreadable where it is absent, torn, foreign or newer."""
    return read_run_metrics(os.fspath(run.folder.parent), run.folder.name)


def read_run_metrics(runs: str, run_id: str) -> RunMetrics:
    """Read runs/<id>/metrics.json like read_metrics, without a Path per file (20,000 of them)."""
    path = f"{runs}/{run_id}/metrics.json"
    document = read_document(path)
    reason = metrics_fault(document, run_id)
    if reason:
        raise Unreadable(path, reason)
    return RunMetrics(document)


def write_checked(schema: str, path: Path, document: Document) -> None:
    """Write a JSON document durably after checking it against its schema (ValueError)."""
    _refuse_faults(schema, path, document)
    write_bytes(path, to_bytes(document))


def _refuse_faults(schema: str, path: Path, document: Document) -> None:
    from lab.store.schema import check

    faults = check(schema, document, str(path))
    if faults:
        raise ValueError("\n".join(faults))

"""Instrument truth: every run of a calibration question against what its manner must measure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lab.aggregation.gather import CellIds, Sources, choose
from lab.chain.classify import label
from lab.chain.cycles import split_cycles
from lab.chain.stream import decode_lines, read_stream
from lab.chain.vocabulary import Chain
from lab.domain.metric import Measurement
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunRecord
from lab.domain.truth import Difference, Expected, differs, told
from lab.errors import LabError
from lab.paths import LabPaths, RunPaths
from lab.stacks import STACKS
from lab.store.atomic import to_bytes, write_bytes
from lab.store.expected_truth import read_expected
from lab.store.run_files import read_metrics, read_record
from lab.store.schema import check

JSON = "truth.json"
MARKDOWN = "truth.md"


@dataclass(frozen=True, slots=True)
class TruthRow:
    """One run of a manner, or the manner alone where it has no run; `compared` counts facts."""

    manner: str
    run_id: str | None
    executor: str | None
    labels: tuple[str, ...]
    compared: int
    differences: tuple[Difference, ...]

    @property
    def is_true(self) -> bool:
        return self.run_id is not None and not self.differences


@dataclass(frozen=True, slots=True)
class Truth:
    """All runs of one calibration question, in the order of its cells."""

    question: ResearchQuestion
    rows: tuple[TruthRow, ...]

    @property
    def is_true(self) -> bool:
        return bool(self.rows) and all(row.is_true for row in self.rows)

    @property
    def absent(self) -> tuple[str, ...]:
        return tuple(row.manner for row in self.rows if row.run_id is None)

    @property
    def compared(self) -> int:
        return sum(row.compared for row in self.rows)

    @property
    def differences(self) -> int:
        return sum(len(row.differences) for row in self.rows)


def compare(
    paths: LabPaths, question: ResearchQuestion, *, sources: Sources | None = None
) -> Truth:
    """Compare every run that the question selects, whatever its outcome.

    LabError for a cell whose model has no manner, or whose manner has no expectation.
    """
    sources = sources or Sources(paths)
    cells = choose(sources, question).cells
    return Truth(question, tuple(row for part in cells for row in _rows(sources, part)))


def _rows(sources: Sources, part: CellIds) -> Iterator[TruthRow]:
    cell = part.cell
    model = sources.catalogue.model(cell.model)
    if model is None or model.manner is None:
        raise LabError(f"{cell.model} is no calibration model: lab truth compares manners")
    expected = read_expected(sources.paths, cell.kata_base, model.manner)
    if not part.run_ids:
        yield TruthRow(model.manner, None, None, (), 0, ())
    for run_id in part.run_ids:
        yield _compared(sources.paths.run(run_id), expected)


def _compared(run: RunPaths, expected: Expected) -> TruthRow:
    """Compare all facts; of a run that ended otherwise, its outcome says enough."""
    record = read_record(run)
    chain = _chain(run, record)
    labels = tuple(row.label.value for row in chain.events)
    differences = tuple(_outcome(record, expected))
    is_as_ended = record.identity.exit_reason == expected.exit_reason
    if is_as_ended:
        metrics = dict(read_metrics(run)) if run.metrics.exists() else {}
        differences += (*_order(chain, labels, expected), *_columns(metrics, expected))
    return TruthRow(
        manner=expected.manner,
        run_id=record.identity.run_id,
        executor=record.executor,
        labels=labels,
        compared=expected.facts if is_as_ended else 1,
        differences=differences,
    )


def _chain(run: RunPaths, record: RunRecord) -> Chain:
    """Label a run's events afresh, from its file."""
    stack = STACKS.get(record.identity.stack or "")
    if stack is None:
        raise LabError(f"{run.record}: unknown stack {record.identity.stack}")
    text = run.events.read_text(encoding="utf-8", errors="replace") if run.events.exists() else ""
    return label(read_stream(decode_lines(text), stack.path_class).events)


def _outcome(record: RunRecord, expected: Expected) -> Iterator[Difference]:
    identity = record.identity
    if identity.exit_reason != expected.exit_reason:
        evidence = f" ({record.evidence})" if record.evidence else ""
        measured = f"{identity.exit_reason or 'absent'}{evidence}"
        yield Difference("exit_reason", expected.exit_reason, measured)
    elif identity.completion != expected.completion:
        yield Difference("completion", expected.completion, identity.completion or "absent")


def _order(chain: Chain, labels: tuple[str, ...], expected: Expected) -> Iterator[Difference]:
    if labels != expected.labels:
        yield Difference("labels", shorten(expected.labels), shorten(labels))
    cycles = tuple(
        tuple(row.label.value for row in cycle.events)
        for cycle in split_cycles(chain.before_cutoff)
    )
    if cycles != expected.cycles:
        yield Difference("cycles", _spoken(expected.cycles), _spoken(cycles))


def _columns(metrics: dict[str, Measurement], expected: Expected) -> Iterator[Difference]:
    for name, wanted in (*expected.columns, *expected.missing):
        found = metrics.get(name)
        if differs(wanted, found):
            yield Difference(name, told(wanted), told(found))


def _spoken(cycles: tuple[tuple[str, ...], ...]) -> str:
    return " | ".join(" ".join(cycle) for cycle in cycles) or "none"


def shorten(labels: tuple[str, ...]) -> str:
    """Tell labels in one line, repeated ones as "Both x5"; "never tested" without any."""
    runs = ((name, len(tuple(group))) for name, group in groupby(labels))
    return " ".join(f"{name} x{n}" if n > 1 else name for name, n in runs) or "never tested"


def write_truth(paths: LabPaths, truth: Truth) -> tuple[str, ...]:
    """Write truth.json and truth.md beside the question's summary; return what changed.

    Nothing is written before there is a run.
    """
    if all(row.run_id is None for row in truth.rows):
        return ()
    folder = paths.root / truth.question.folder
    document = document_of(truth)
    faults = check("truth", document, JSON)
    if faults:
        raise ValueError("\n".join(faults))
    texts = {JSON: to_bytes(document), MARKDOWN: markdown(truth).encode()}
    changed = [
        name
        for name, text in texts.items()
        if not (folder / name).exists() or (folder / name).read_bytes() != text
    ]
    for name in changed:
        write_bytes(folder / name, texts[name])
    return tuple(changed)


def document_of(truth: Truth) -> dict[str, Any]:
    """Return truth.json as a document."""
    return {
        "schema_version": 1,
        "question": truth.question.id,
        "is_true": truth.is_true,
        "compared": truth.compared,
        "differences": truth.differences,
        "absent": list(truth.absent),
        "rows": [_row(row) for row in truth.rows],
    }


def _row(row: TruthRow) -> dict[str, Any]:
    return {
        "manner": row.manner,
        "run_id": row.run_id,
        "executor": row.executor,
        "labels": list(row.labels),
        "compared": row.compared,
        "differences": [
            {"what": one.what, "expected": one.expected, "measured": one.measured}
            for one in row.differences
        ],
    }


def verdict(truth: Truth) -> str:
    """Say in one line how it went."""
    if truth.absent and len(truth.absent) == len(truth.rows):
        return "no run yet: nothing was compared"
    runs = sum(row.run_id is not None for row in truth.rows)
    told = f"{runs} run" if runs == 1 else f"{runs} runs"
    text = f"{truth.compared} facts of {told} compared, {truth.differences} differ"
    absent = f"; no run for {', '.join(truth.absent)}" if truth.absent else ""
    return text + absent


def markdown(truth: Truth) -> str:
    """Render truth.md: a verdict, one line per run, and every difference."""
    lines = [
        f"# {truth.question.id}: measured and expected",
        "",
        f"{verdict(truth).capitalize()}.",
        "",
        "| manner | run | executor | chain | facts | differ |",
        "|---|---|---|---|---:|---:|",
    ]
    lines += [
        f"| {row.manner} | {row.run_id or 'no run'} | {row.executor or ''} "
        f"| {shorten(row.labels) if row.run_id else ''} | {row.compared} "
        f"| {len(row.differences)} |"
        for row in truth.rows
    ]
    return "\n".join([*lines, *_differences(truth)]) + "\n"


def _differences(truth: Truth) -> Iterator[str]:
    if not truth.differences:
        return
    yield from (
        "",
        "## Differences",
        "",
        "| run | what | expected | measured |",
        "|---|---|---|---|",
    )
    for row in truth.rows:
        for one in row.differences:
            yield f"| {row.run_id} | {one.what} | {one.expected} | {one.measured} |"

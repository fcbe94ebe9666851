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
from lab.domain.outcome import policy_of
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
    """One run of a manner, or the manner alone where it has no run; `compared` counts facts.

    `set_aside` is the exit reason of a run that was never measured (interrupted, setup-error): it
    says nothing about an instrument, and the planner replaces it.
    """

    manner: str
    run_id: str | None
    executor: str | None
    labels: tuple[str, ...]
    compared: int
    differences: tuple[Difference, ...]
    set_aside: str | None = None

    @property
    def is_compared(self) -> bool:
        return self.run_id is not None and self.set_aside is None


@dataclass(frozen=True, slots=True)
class Truth:
    """All runs of one calibration question, in the order of its cells."""

    question: ResearchQuestion
    rows: tuple[TruthRow, ...]

    @property
    def is_true(self) -> bool:
        return bool(self.rows) and not self.absent and self.differences == 0

    @property
    def runs(self) -> int:
        """Count the runs that were compared."""
        return sum(row.is_compared for row in self.rows)

    @property
    def absent(self) -> tuple[str, ...]:
        """Name the manners without a compared run."""
        seen = {row.manner for row in self.rows if row.is_compared}
        return tuple(dict.fromkeys(row.manner for row in self.rows if row.manner not in seen))

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Tell the exit reasons of the runs that were never measured."""
        return tuple(row.set_aside for row in self.rows if row.set_aside)

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
    reason = record.identity.exit_reason or ""
    if not policy_of(reason).is_analysed:
        return TruthRow(expected.manner, run.folder.name, record.executor, (), 0, (), reason)
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

    Nothing is written before a run was compared.
    """
    if not truth.runs:
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
        "set_aside": row.set_aside,
        "compared": row.compared,
        "differences": [
            {"what": one.what, "expected": one.expected, "measured": one.measured}
            for one in row.differences
        ],
    }


def verdict(truth: Truth) -> str:
    """Say in one line how it went."""
    aside = f"; set aside, never measured: {', '.join(truth.set_aside)}" if truth.set_aside else ""
    if not truth.runs:
        return f"no run yet: nothing was compared{aside}"
    runs = f"{truth.runs} run" if truth.runs == 1 else f"{truth.runs} runs"
    text = f"{truth.compared} facts of {runs} compared, {truth.differences} differ"
    absent = f"; no run for {', '.join(truth.absent)}" if truth.absent else ""
    return text + absent + aside


def spoken_chain(row: TruthRow) -> str:
    """Tell a row's chain, or why it has none."""
    if row.run_id is None:
        return "no run"
    return f"set aside: {row.set_aside}" if row.set_aside else shorten(row.labels)


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
        f"| {row.manner} | {row.run_id or ''} | {row.executor or ''} "
        f"| {spoken_chain(row)} | {row.compared} "
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

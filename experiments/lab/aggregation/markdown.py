"""summary.md: the summary for people; the same numbers as summary.json, with readable digits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lab.aggregation.numbers import ABSENT, percent, readable, share
from lab.aggregation.summary import CellSummary, Counts, Summary
from lab.domain.cell import Cell
from lab.domain.metric import Direction, Kind, MetricRow, Scale
from lab.domain.question import ResearchQuestion
from lab.domain.run import SELECTOR_HASHES
from lab.stats.describe import OutcomeStatistics
from lab.stats.interval import Interval

GENERATED = "Generated:"
HASH_SHOWN = 12
BETTER = {
    Direction.LOWER: "lower is better",
    Direction.HIGHER: "higher is better",
    Direction.AMBIVALENT: "no direction is better",
}
INTERVAL = "95 % interval"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an outcome table: its title, and how a cell's statistics show in it."""

    title: str
    show: Callable[[OutcomeStatistics], str]


def _number(title: str, name: str) -> Column:
    return Column(title, lambda found: readable(getattr(found, name), found.deviation))


def _count(title: str, name: str) -> Column:
    return Column(title, lambda found: readable(getattr(found, name)))


N = _count("n", "n")
RATE = Column("rate", lambda found: percent(found.mean, found.n))
RATE_INTERVAL = Column(INTERVAL, lambda found: _rates(found.interval, found.n))
VALUES = Column(INTERVAL, lambda found: _bounds(found.interval, found.deviation))
QUARTILES = Column("quartiles", lambda found: _quartiles(found))
CENTRE = (N, _number("mean", "mean"), _number("sd", "deviation"), _number("median", "median"))
RANGE = (_number("min", "low"), _number("max", "high"))
BOOLEAN = (N, _count("true", "hits"), RATE, RATE_INTERVAL)
POOLED = (N, _count("hits", "hits"), _count("of", "tries"), RATE, RATE_INTERVAL)
LINEAR = (*CENTRE, *RANGE, VALUES)
LOG = (*CENTRE, QUARTILES, *RANGE, _number("geometric mean", "geometric_mean"), VALUES)


def render(summary: Summary, generated: str) -> str:
    """Return summary.md; `generated` (UTC ISO) stands in the one line that is not compared."""
    return "\n".join(_lines(summary, generated)) + "\n"


def columns_of(row: MetricRow) -> tuple[Column, ...]:
    """Return the columns of an outcome's table by the registry's kind and scale."""
    if row.kind is Kind.BOOLEAN:
        return BOOLEAN
    if row.kind is Kind.POOLED_RATE:
        return POOLED
    return LOG if row.scale is Scale.LOG else LINEAR


def _lines(summary: Summary, generated: str) -> Iterator[str]:
    question = summary.question
    yield f"# {question.id} — Aggregation"
    yield from ("", f"_{' '.join(question.question.split())}_", "", f"{GENERATED} {generated}", "")
    yield (
        f"Cells declared: {len(summary.cells)} · matched runs: {summary.matched} · "
        f"ok: {summary.ok} · min_replicates: {question.min_replicates} · "
        f"timeout_policy: {question.timeout_policy}"
    )
    if question.closed:
        yield from ("", f"Closed: {question.closed}")
    if summary.warnings:
        yield from ("", "## Warnings", "")
        yield from (f"- **{warning.code}**: {warning.text}" for warning in summary.warnings)
    yield from ("", "## Coverage", "", *_coverage(summary))
    yield from ("", "## Outcomes per cell", "")
    yield "Only runs that ended `ok` enter; nulls are left out of n and counted by reason."
    for number, row in enumerate(summary.outcomes):
        yield from ("", *_outcome(summary, row, number))


def _coverage(summary: Summary) -> Iterator[str]:
    labels = _labels(summary)
    titles = ("n", "n_ok", "status", "timeouts", "by exit reason", "by completion")
    rows = (
        (
            *(show(part.cell) for _, show in labels),
            str(part.matched),
            str(part.ok),
            _status(part),
            _timeouts(part),
            _listed(part.by_exit_reason),
            _listed(part.by_completion),
        )
        for part in summary.cells
    )
    return _table((*(title for title, _ in labels), *titles), rows)


def _outcome(summary: Summary, row: MetricRow, number: int) -> Iterator[str]:
    labels, columns = _labels(summary), columns_of(row)
    name = f"{row.id} — {row.term}" if row.term else row.id
    yield f"### {name}{' (primary)' if summary.question.primary == row.id else ''}"
    yield from ("", f"{row.unit} · {BETTER[row.direction]}", "")
    rows = (
        (
            *(show(part.cell) for _, show in labels),
            *(column.show(part.statistics[number]) for column in columns),
            _timeouts(part),
            _listed(part.statistics[number].nulls),
        )
        for part in summary.cells
    )
    titles = (*(title for title, _ in labels), *(column.title for column in columns))
    yield from _table((*titles, "timeouts", "nulls"), rows)
    yield from _notes(summary.cells, number)


def _notes(cells: Sequence[CellSummary], number: int) -> Iterator[str]:
    """Say below a table where an interval is less than it seems: once per note, with its cells."""
    found: dict[str, list[str]] = {}
    for part in cells:
        interval = part.statistics[number].interval
        if interval and interval.note:
            found.setdefault(interval.note, []).append(part.cell.key)
    if found:
        yield ""
    for note, keys in found.items():
        where = "all cells" if len(keys) == len(cells) > 1 else "; ".join(keys)
        yield f"- {note}: {where}"


Label = tuple[str, Callable[[Cell], str]]


def _labels(summary: Summary) -> tuple[Label, ...]:
    """Return what names a cell: further axes only where the question declares them or they vary."""
    question = summary.question
    has_stacks = question.declares("stack") or len({part.cell.stack for part in summary.cells}) > 1
    optional: tuple[tuple[bool, Label], ...] = (
        (has_stacks, ("stack", lambda cell: cell.stack or ABSENT)),
        (
            question.declares_harness_version,
            ("harness", lambda cell: cell.harness_version or ABSENT),
        ),
    )
    return (
        ("kata", lambda cell: cell.kata),
        ("workflow", lambda cell: cell.workflow),
        ("model", lambda cell: cell.model),
        *(label for is_shown, label in optional if is_shown),
        *(_hash_label(axis) for axis in _hashes(question)),
    )


def _hashes(question: ResearchQuestion) -> tuple[str, ...]:
    return tuple(axis for axis in SELECTOR_HASHES if question.declares(axis))


def _hash_label(axis: str) -> Label:
    return axis, lambda cell: dict(cell.hashes).get(axis, ABSENT)[:HASH_SHOWN]


def _status(part: CellSummary) -> str:
    if not part.matched:
        return "no runs"
    return f"short ({part.ok}/{part.declared})" if part.lacking else "full"


def _timeouts(part: CellSummary) -> str:
    if not part.matched:
        return ABSENT
    if not part.timeouts:
        return "0"
    return f"{part.timeouts} ({share(part.timeouts, part.matched)})"


def _listed(counts: Counts) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)


def _bounds(interval: Interval | None, spread: float | None) -> str:
    if interval is None:
        return ABSENT
    return f"{readable(interval.low, spread)} to {readable(interval.high, spread)}"


def _rates(interval: Interval | None, n: int) -> str:
    return f"{percent(interval.low, n)} to {percent(interval.high, n)}" if interval else ABSENT


def _quartiles(found: OutcomeStatistics) -> str:
    if not found.n:
        return ABSENT
    low = readable(found.lower_quartile, found.deviation)
    return f"{low} to {readable(found.upper_quartile, found.deviation)}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(titles)
    yield _row(["---"] * len(titles))
    for row in rows:
        yield _row([_escaped(text) for text in row])


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())

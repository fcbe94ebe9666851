"""The original's summary.md, read back: its counts and tables as numbers in the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.importing.august import Labels

COUNTS = re.compile(r"Cells declared: (\d+) · matched runs: (\d+) · min_replicates: (\d+)")
HEADING = re.compile(r"#{2,3} (.+)")
LABELS = 3
STATUS = "status"


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A line of a table as it was printed."""

    labels: Labels
    numbers: tuple[str, ...]
    status: str | None


@dataclass(frozen=True, slots=True)
class PrintedTable:
    heading: str
    columns: tuple[str, ...]
    rows: tuple[PrintedRow, ...]


@dataclass(frozen=True, slots=True)
class PrintedPage:
    counts: tuple[int, int, int]
    tables: tuple[PrintedTable, ...]


def read_printed(path: Path) -> PrintedPage:
    """Read a summary.md of August; LabError where it is none."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    counts = next((found for line in lines if (found := COUNTS.match(line))), None)
    if counts is None:
        raise LabError(f"{path}: no summary.md of the original: no line `Cells declared: ...`")
    cells, matched, least = map(int, counts.groups())
    try:
        return PrintedPage((cells, matched, least), tuple(_tables(lines)))
    except ValueError as error:
        raise LabError(f"{path}: no summary.md of August: {error}") from None


def _tables(lines: Sequence[str]) -> Iterator[PrintedTable]:
    """Yield a table per heading; headings that only divide the page are left out."""
    starts = [number for number, line in enumerate(lines) if HEADING.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start + 1 : end]
        table = [_cells(line) for line in part if line.startswith("|")]
        if not table and not any(line.startswith("_") for line in part):
            continue
        heading = lines[start].lstrip("# ")
        columns = table[0][LABELS:] if table else ()
        if any(len(cells) != len(table[0]) or len(cells) <= LABELS for cells in table):
            raise ValueError(f"the table under {heading!r} has other columns")
        yield PrintedTable(heading, columns, tuple(_row(cells, columns) for cells in table[2:]))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _row(cells: tuple[str, ...], columns: tuple[str, ...]) -> PrintedRow:
    kata, workflow, model, *rest = cells
    status = rest.pop() if columns[-1:] == (STATUS,) else None
    return PrintedRow((kata, workflow, model), tuple(rest), status)

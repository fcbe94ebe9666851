"""The original's tables against what its rules give on the imported numbers, number by number."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from lab.importing.august import Labels, Page, Row, Table
from lab.importing.printed import PrintedPage, PrintedRow, PrintedTable

COUNTS = ("cells declared", "matched runs", "min_replicates")
MILLION = 1_000_000
SENTENCE = "a table or a sentence"
Pair = tuple[str, str, float | str | None]
"""A place, what is printed there ("" = nothing), and what is derived: number, text, nothing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a number (or a status, a row, a table) is not the same; "" = absent."""

    where: str
    printed: str
    derived: str

    def __str__(self) -> str:
        there, here = self.printed or "nothing", self.derived or "nothing"
        return f"{self.where}: printed {there}, here {here}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much was compared: tables, numbers in them and in the head, status texts."""

    tables: int
    numbers: int
    equal: int
    statuses: int
    differences: tuple[Difference, ...]


def compare(printed: PrintedPage, derived: Page) -> Comparison:
    """Compare everything that is printed; what only one side has is a difference too."""
    pairs = [*_head(printed, derived), *_all_tables(printed, derived)]
    numbers = [(place, text, value) for place, text, value in pairs if not isinstance(value, str)]
    statuses = [(place, text, value) for place, text, value in pairs if isinstance(value, str)]
    wrong = [
        Difference(place, text, "" if value is None else f"{value:.10g}")
        for place, text, value in numbers
        if value is None or not is_same(text, value)
    ]
    told = [Difference(place, text, value) for place, text, value in statuses if text != value]
    counted = sum(1 for _, text, _ in numbers if text)
    equal = counted - sum(1 for difference in wrong if difference.printed)
    texts = sum(1 for table in printed.tables for row in table.rows if row.status is not None)
    return Comparison(len(printed.tables), counted, equal, texts, (*wrong, *told))


def is_same(text: str, value: float) -> bool:
    """Tell whether a number is printed so: whole numbers in full, others with six digits.

    Six digits show no number from a million on without an exponent, so such a text is exact.
    """
    try:
        shown = float(text)
    except ValueError:
        return False
    if math.isnan(shown) or math.isnan(value):
        return math.isnan(shown) and math.isnan(value)
    is_full = "e" not in text and abs(value) >= MILLION
    return shown == (value if is_full else float(f"{value:g}"))


def _head(printed: PrintedPage, derived: Page) -> Iterator[Pair]:
    for name, there, here in zip(COUNTS, printed.counts, derived.counts, strict=True):
        yield name, str(there), here


def _all_tables(printed: PrintedPage, derived: Page) -> Iterator[Pair]:
    ours = {table.heading: table for table in derived.tables}
    for there in printed.tables:
        here = ours.pop(there.heading, None)
        if here is None:
            yield f"{there.heading}: the whole table", SENTENCE, ""
        yield from _table(there, here or Table(there.heading, ()))
    for here in ours.values():
        yield f"{here.heading}: the whole table", "", SENTENCE


def _table(printed: PrintedTable, derived: Table) -> Iterator[Pair]:
    """Pair rows by their labels; a row that only one side has is paired with nothing."""
    rows = list(derived.rows)
    for row in printed.rows:
        like = next((one for one in rows if one.labels == row.labels), None)
        if like:
            rows.remove(like)
        yield from _row(_place(printed, row.labels), printed.columns, row, like)
    for one in rows:
        yield from _row(_place(printed, one.labels), printed.columns, None, one)


def _place(table: PrintedTable, labels: Labels) -> str:
    return f"{table.heading}: {' / '.join(labels)}"


def _row(
    place: str, columns: tuple[str, ...], printed: PrintedRow | None, derived: Row | None
) -> Iterator[Pair]:
    texts = printed.numbers if printed else ()
    values = derived.numbers if derived else ()
    for index in range(max(len(texts), len(values))):
        column = columns[index] if index < len(columns) else f"column {index + 1}"
        text = texts[index] if index < len(texts) else ""
        value = values[index] if index < len(values) else None
        yield f"{place}: {column}", text, value
    there = printed.status if printed else None
    here = derived.status if derived else None
    if there is not None or here is not None:
        yield f"{place}: status", there or "", here or ""

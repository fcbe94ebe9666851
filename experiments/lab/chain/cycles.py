"""Cycles, arrivals and batch sizes, read from labelled events (chain.md section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.chain.vocabulary import Episode, Label, LabelledEvent

GREEN_RULE = 14
NOT_SEEN_FAILING = frozenset({Label.BOTH, Label.SKIP})


@dataclass(frozen=True, slots=True)
class Cycle:
    """From an opening to the event before the next one; `start` is an index into the chain."""

    start: int
    events: tuple[LabelledEvent, ...]

    @property
    def is_closed(self) -> bool:
        return any(row.label is Label.GREEN for row in self.events)


@dataclass(frozen=True, slots=True)
class Batches:
    """Sizes of the red batches in order, and how many have no readable size."""

    sizes: tuple[int, ...]
    unmeasurable: int


def split_cycles(rows: Sequence[LabelledEvent]) -> tuple[Cycle, ...]:
    """Cut the chain at its openings; what comes before the first belongs to no cycle."""
    starts = [index for index, row in enumerate(rows) if row.is_opening]
    ends = [*starts[1:], len(rows)]
    return tuple(
        Cycle(start, tuple(rows[start:end])) for start, end in zip(starts, ends, strict=False)
    )


def count_seen_failing(rows: Sequence[LabelledEvent]) -> int:
    """Count arrivals seen failing: each Red that carries nothing, each episode of a Red(c)."""
    return sum(_is_fresh_red(row) for row in rows) + len(_unnamed_reds(rows))


def count_not_seen_failing(rows: Sequence[LabelledEvent]) -> int:
    """Count arrivals never seen failing: Both, Skip, and a Start with tests."""
    return sum(
        row.label in NOT_SEEN_FAILING or (row.label is Label.START and row.is_opening)
        for row in rows
    )


def red_batches(rows: Sequence[LabelledEvent]) -> Batches:
    """Size each arrival seen failing, in the order of the events that show the size."""
    begun = _unnamed_reds(rows)
    sizes: list[int] = []
    measured = 0
    for row in rows:
        size = _size_of_end(row) if row.ended in begun else None
        measured += size is not None
        if _is_fresh_red(row):
            size = len(row.new)
        if size is not None:
            sizes.append(size)
    return Batches(tuple(sizes), len(begun) - measured)


def green_batches(rows: Sequence[LabelledEvent]) -> tuple[int, ...]:
    """Return how many tests each implementation step turned green, where it turned any."""
    counted = (
        row
        for row in rows
        if row.label is Label.GREEN or (row.label is Label.GREEN_MISSED and row.rule == GREEN_RULE)
    )
    sizes = (len(row.fixed | _arrived_at_end(row)) for row in counted)
    return tuple(size for size in sizes if size)


def _is_fresh_red(row: LabelledEvent) -> bool:
    return row.label is Label.RED and not row.is_carried


def _unnamed_reds(rows: Sequence[LabelledEvent]) -> frozenset[Episode]:
    begun = (row.begun for row in rows)
    return frozenset(one for one in begun if one and one.label is Label.RED_UNNAMED)


def _size_of_end(row: LabelledEvent) -> int | None:
    """Size an episode by the event that ends it: its carried Red, or a Green with arrivals."""
    if row.label is Label.RED:
        return len(row.new)
    if row.label is Label.GREEN and row.arrived:
        return len(row.arrived)
    return None


def _arrived_at_end(row: LabelledEvent) -> frozenset[tuple[str, ...]]:
    """Return what arrived with a Green that ends an episode."""
    return row.arrived if row.label is Label.GREEN and row.ended else frozenset()

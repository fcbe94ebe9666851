"""What a workflow's own text says: metrics it names, a test list first, numeric thresholds."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.domain.metric import MetricRow, Registry

TEST_LIST = re.compile(r"\btest[- ]list\b", re.IGNORECASE)
TEST_LIST_FILE = re.compile(r"(^|/)test[-_]list(\.md|/)")
DENIED = re.compile(r"\b(no|not|never|without|don't|avoid|skip)\b[^.]*$", re.IGNORECASE)
NUMBER = r"\d+(?:\.\d+)?"
COMPARED = re.compile(
    rf"(?:[<>≤≥]=?|\b(?:under|below|above|over|at most|at least|no more than|not more than"
    rf"|fewer than|less than|more than|maximum(?: of)?|minimum(?: of)?|max\.?|min\.?|up to"
    rf"|exceeds?|exceeding|within))\s*{NUMBER}",
    re.IGNORECASE,
)
SIZED = re.compile(
    r"\b(loc|lines?|complexity|coverage|parameters?|arguments?|mass|smells?|functions?|methods?"
    r"|nesting|depth|mutants?|mutation|branches|statements?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """One readable file of a workflow; `path` is relative to its folder, with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A line of a workflow's text that sets a number for something measured."""

    path: str
    line: int
    text: str


def named_metrics(files: Sequence[TextFile], registry: Registry) -> tuple[str, ...]:
    """List the metrics that the text names by id, by term or in words, in the registry's order."""
    text = "\n".join(file.text for file in files)
    return tuple(row.id for row in registry.rows if _names(row, text))


def has_test_list(files: Sequence[TextFile]) -> bool:
    """Tell whether the text asks for a test list before the first test.

    A file called test-list says so, and so does the phrase, unless its sentence denies it.
    """
    return any(TEST_LIST_FILE.search(file.path) or _asks(file.text) for file in files)


def thresholds(files: Iterable[TextFile], registry: Registry) -> tuple[Threshold, ...]:
    """List the lines that compare something measured with a number."""
    return tuple(
        Threshold(file.path, number, line.strip())
        for file in files
        for number, line in enumerate(file.text.split("\n"), 1)
        if COMPARED.search(line)
        and (SIZED.search(line) or any(_names(row, line) for row in registry.rows))
    )


def _names(row: MetricRow, text: str) -> bool:
    """Ids that are ordinary words (functions) only count with an underscore in them."""
    spoken = [*row.spoken, *([row.term] if row.term else [])]
    if "_" in row.id and re.search(rf"(?<![\w-]){re.escape(row.id)}(?!\w)", text):
        return True
    return any(
        re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) for words in spoken
    )


def _asks(text: str) -> bool:
    return any(not DENIED.search(text[: found.start()][-80:]) for found in TEST_LIST.finditer(text))

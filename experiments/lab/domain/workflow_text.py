"""What a workflow's own text says: metrics it names, a test list first, numeric thresholds."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from lab.domain.metric import MetricRow, Registry

TEST_LIST = re.compile(
    r"\btest[\s-]+lists?\b|\blist\s+of\s+(?:all\s+)?(?:the\s+)?tests?\b"
    r"|\blist\s+(?:all|every)\s+(?:the\s+)?tests?\b",
    re.IGNORECASE,
)
TEST_LIST_FILE = re.compile(r"(^|/)test[-_]list(\.\w+)?(/|$)")
SENTENCE = re.compile(r"[.!?]\s+|\n\s*\n|\n\s*[-*#\d]")
DENIED = re.compile(r"\b(no|not|never|without|don't|avoid|skip|instead\s+of)\b", re.IGNORECASE)
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
    text = "\n\n".join(file.text for file in files)
    return tuple(row.id for row in registry.rows if _pattern(row).search(text))


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
        and (SIZED.search(line) or any(_pattern(row).search(line) for row in registry.rows))
    )


@cache
def _pattern(row: MetricRow) -> re.Pattern[str]:
    """Match a metric's id, term and spoken words, whatever their case and spacing.

    An id that is an ordinary word (functions) does not count. A term's addition in brackets may be
    absent where two words are left: "Code Mass (APP)" is also "code mass", but "correctness" alone
    names no metric.
    """
    words = [row.id.replace("_", " ")] if "_" in row.id else []
    words += row.spoken
    if row.term:
        stem = re.sub(r"\s*\(.*?\)", "", row.term)
        words += [row.term] + ([stem] if " " in stem else [])
    if not words:
        return re.compile(r"(?!)")
    spaced = (r"[\s_-]+".join(map(re.escape, name.split())) for name in words)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(spaced)})(?![\w-])", re.IGNORECASE)


def _asks(text: str) -> bool:
    return any(
        TEST_LIST.search(sentence) and not DENIED.search(sentence)
        for sentence in SENTENCE.split(text)
    )

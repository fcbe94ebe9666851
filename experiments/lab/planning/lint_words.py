"""Lint of the words in questions and findings: terms that the lab retired or forbids."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.planning.remark import Remark, Severity

MASS = "Code Mass (APP) or `code_mass`"
NO_NAME = "`longest_function`, `cognitive_max` or `mccabe_max`, whichever is meant"
# The pattern of each forbidden term, and what to write instead. German forms were retired in
# 2026-07 and differ from the English terms by a hyphen only, so those are matched as written.
FORBIDDEN: tuple[tuple[str, str, str], ...] = (
    (r"complexity[ -]peaks?", "Complexity Peak", NO_NAME),
    (r"spitzen-?komplexität", "Spitzen-Komplexität", NO_NAME),
    (r"code volume", "code volume", MASS),
    (r"total code size", "total code size", MASS),
    (r"loc size", "LoC size", MASS),
    (r"korrektheit \(innen\)", "Korrektheit (innen)", "Correctness (internal)"),
    (r"korrektheit \(außen\)", "Korrektheit (außen)", "Correctness (external)"),
    (r"code-mass(?:e)?", "Code-Mass", MASS),
    (r"smell-summe", "Smell-Summe", "Smell Total"),
    (r"produktiv-loc", "Produktiv-LoC", "Production LoC"),
    (r"test-loc", "Test-LoC", "Test LoC"),
    (r"mutation-score", "Mutation-Score", "Mutation Score"),
)
PATTERNS = tuple(
    (re.compile(rf"(?<![\w-]){pattern}(?!\w)", re.IGNORECASE), term, instead)
    for pattern, term, instead in FORBIDDEN
)
QUOTED = re.compile(r"`[^`]*`")
CODE_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Document:
    """A README.md or findings.md; `file` is relative to the lab root."""

    file: str
    text: str


def lint_words(document: Document) -> Iterator[Remark]:
    """Name every forbidden term outside of code, at most once per line and term."""
    is_code = False
    for number, line in enumerate(document.text.split("\n"), 1):
        if CODE_FENCE.match(line):
            is_code = not is_code
        if is_code:
            continue
        prose = QUOTED.sub("", line)
        for pattern, term, instead in PATTERNS:
            if pattern.search(prose):
                message = f'"{term}" is a forbidden term: write {instead}'
                yield Remark(Severity.WARNING, document.file, number, "forbidden-term", message)

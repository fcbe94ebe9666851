"""Find and cut out a README's frontmatter, or say why there is none."""

import re
from dataclasses import dataclass

from lab.errors import LabError

FENCE = "---"
ID_LINE = re.compile(r"id:\s*[\"']?RQ-")
CODE_FENCE = re.compile(r"\s*(```|~~~)")
LINES_SEARCHED = 40


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The YAML between the two --- lines; `first_line` is its first line in the file."""

    text: str
    first_line: int


def cut(text: str, where: str) -> Frontmatter | None:
    """Return a README's frontmatter, None for a README that is no question.

    Raises LabError where one was begun but is broken: no closing line, no opening line, or text
    before it. The first closing line ends it; later --- lines belong to the body.
    """
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return None
    if lines[start].rstrip() != FENCE:
        _refuse_misplaced(lines, where)
        return None
    for end in range(start + 1, len(lines)):
        if lines[end].rstrip() == FENCE:
            return Frontmatter("\n".join(lines[start + 1 : end]) + "\n", start + 2)
    raise LabError(f"{where}:{start + 1}: the frontmatter that begins here has no closing --- line")


def _refuse_misplaced(lines: list[str], where: str) -> None:
    """A question's id outside of a code block means that a frontmatter was meant."""
    is_code = False
    for number, line in enumerate(lines[:LINES_SEARCHED], 1):
        if CODE_FENCE.match(line):
            is_code = not is_code
        elif not is_code and ID_LINE.match(line):
            raise LabError(
                f"{where}:{number}: an id outside of frontmatter: "
                "the file must begin with a --- line, before any other text"
            )

"""Which tests are verification tests: those in a container of that name (chain.md section 3)."""

import re
from pathlib import PurePosixPath

from lab.domain.event import TestId

VERIFICATION = "verification"
AFFIXES = ("tests", "test")
SOURCE_SUFFIXES = (".py", ".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".java", ".rs")
DOTTED_NAME = re.compile(r"[\w$]+(\.[\w$]+)+")


def is_verification(test: TestId) -> bool:
    """Tell whether a container of the test, never its leaf, is named verification."""
    return any(_bare(_own_name(part)) == VERIFICATION for part in test[:-1])


def _own_name(part: str) -> str:
    """Reduce a file to its stem and a dotted name to its last word; leave prose alone."""
    file = part.partition("#")[0]
    if file.endswith(SOURCE_SUFFIXES):
        return PurePosixPath(file).name.partition(".")[0]
    if DOTTED_NAME.fullmatch(part):
        return part.rpartition(".")[2]
    return part


def _bare(name: str) -> str:
    """Keep lower-case letters, without one leading or trailing "test" or "tests"."""
    letters = "".join(letter for letter in name.lower() if letter.isalpha())
    for affix in AFFIXES:
        if letters.startswith(affix):
            return letters.removeprefix(affix)
        if letters.endswith(affix):
            return letters.removesuffix(affix)
    return letters

"""The page that tells researchers which test proves which number."""

import re

from lab.paths import REPOSITORY

PAGE = REPOSITORY / "site" / "docs" / "instruments.md"
NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
COLUMNS_OF_METRICS = {"test_lines", "test_first_rate"}


def test_every_test_that_the_page_names_exists() -> None:
    files = sorted((REPOSITORY / "tests").rglob("test_*.py"))
    defined = {name for file in files for name in DEFINED.findall(file.read_text("utf-8"))}
    named = set(NAMED.findall(PAGE.read_text("utf-8"))) - COLUMNS_OF_METRICS
    assert len(named) > 50
    assert sorted(named - defined) == []

import pytest
from lab.store.findings import Finding, read_findings


def findings(folder, text):
    (folder / "findings.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_findings(folder)


def test_a_question_may_have_no_findings_yet(tmp_path):
    found = read_findings(tmp_path)
    assert (found.is_present, found.findings, found.warnings) == (False, (), ())


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("## F-stability.3 — Runs vary", ("F-stability.3", 3, "Runs vary")),
        ("## F-19.6 — Six", ("F-19.6", 6, "Six")),
        ("## F-4.4.1 — Deep", ("F-4.4.1", 1, "Deep")),
        ("## F-1.12.5 — Deeper", ("F-1.12.5", 5, "Deeper")),
        ("##  F-a.10   —   Wide  ", ("F-a.10", 10, "Wide")),
        ("## F-pep-v6.1.2 — A — B", ("F-pep-v6.1.2", 2, "A — B")),
        ("## F-1.1 — Stable · ✅ stable", ("F-1.1", 1, "Stable")),
        ("##\tF-1.1\t—\tTabs", ("F-1.1", 1, "Tabs")),
    ],
)
def test_a_header_gives_id_number_and_title(tmp_path, header, expected):
    found = findings(tmp_path, f"# Findings\n\n{header}\n\ntext\n")
    assert found.findings == (Finding(*expected, line=3),)
    assert found.warnings == ()


@pytest.mark.parametrize(
    "header",
    [
        "## F-1.1 - hyphen",
        "## F-1.1 – en dash",
        "## F-1.1: colon",
        "## F-1 — no number",
        "## F-.1 — no name",
        "## F-a.b — not a number",
        "## F-1.1 —",
        "## F-1.1",
        "## F-a b.1 — space",
        "## F-1.1— glued",
    ],
)
def test_a_header_that_misses_the_grammar_is_a_warning_not_a_loss(tmp_path, header):
    found = findings(tmp_path, f"intro\n{header}\n")
    assert found.findings == ()
    assert len(found.warnings) == 1
    assert "findings.md:2:" in found.warnings[0]
    assert "em dash" in found.warnings[0]


def test_other_headings_are_prose(tmp_path):
    text = "## Overview\n### F-1.1 — a section\n## Findings F-1.1 — x\ntext ## F-1.1 — y\n"
    found = findings(tmp_path, text)
    assert (found.findings, found.warnings) == ((), ())


def test_findings_are_sorted_by_their_number_not_their_text(tmp_path):
    text = "## F-a.10 — ten\n## F-a.9 — nine\n## F-a.1 — one\n"
    assert [one.number for one in findings(tmp_path, text).findings] == [1, 9, 10]


def test_an_id_that_stands_twice_is_told(tmp_path):
    found = findings(tmp_path, "## F-a.1 — one\n\n## F-a.1 — again\n")
    assert len(found.findings) == 2
    assert found.warnings == (f"{tmp_path}/findings.md:3: F-a.1 stands on line 1 as well",)


@pytest.mark.parametrize(
    "text", [b"\xef\xbb\xbf## F-a.1 \xe2\x80\x94 bom\n", "## F-a.1 — crlf\r\n".encode()]
)
def test_a_mark_or_foreign_line_ends_lose_no_finding(tmp_path, text):
    assert len(findings(tmp_path, text).findings) == 1


def test_bytes_that_are_no_text_do_not_stop_the_reading(tmp_path):
    found = findings(tmp_path, b"\xff\xfe\n## F-a.1 \xe2\x80\x94 caf\xe9\n")
    assert [one.title for one in found.findings] == ["caf\ufffd"]

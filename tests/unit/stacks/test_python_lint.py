import json
from pathlib import Path

import pytest
from lab.errors import ToolFailed
from lab.stacks.python_lint import BUCKETS, Complexity, Finding, bucket_of, command, lint, parse


def row(code: str, message: str, filename: str = "/p/src/a.py") -> dict[str, object]:
    return {
        "code": code,
        "message": message,
        "filename": filename,
        "location": {"row": 3, "column": 1},
    }


def output(*rows: dict[str, object]) -> bytes:
    return json.dumps(rows).encode()


def test_a_finding_with_a_score_is_a_measurement_and_no_smell() -> None:
    found = parse(output(row("C901", "`f` is too complex (12 > 0)")), Path("/p"))
    assert found.mccabe == (Complexity("src/a.py", "f", 3, 12),)
    assert found.findings == ()


def test_a_finding_goes_to_its_counter() -> None:
    found = parse(output(row("SIM114", "Combine"), row("B904", "Raise")), Path("/p"))
    assert found.findings == (
        Finding("smell_duplication", "SIM114", "src/a.py", 3, "Combine"),
        Finding("smell_code_quality", "B904", "src/a.py", 3, "Raise"),
    )


@pytest.mark.parametrize("rule", ["invalid-syntax", "E902", "PLR0911", "BLE001", "F811x", ""])
def test_a_rule_in_no_counter_fails_the_measurement(rule: str) -> None:
    with pytest.raises(ToolFailed, match="no bucket"):
        bucket_of(rule)


def test_no_rule_fills_two_counters() -> None:
    rules = [rule for rules in BUCKETS.values() for rule in rules]
    assert len(rules) == len(set(rules))


def test_a_message_without_a_value_fails_the_measurement() -> None:
    with pytest.raises(ToolFailed, match="no McCabe value"):
        parse(output(row("C901", "too complex")), Path("/p"))


def test_one_call_asks_for_everything() -> None:
    words = command("ruff", ["src/a.py"])
    (select,) = [word for word in words if word.startswith("--select=")]
    asked = set(select.removeprefix("--select=").split(","))
    assert asked == {"C901"} | {rule for rules in BUCKETS.values() for rule in rules}
    assert words[-2:] == ("--", "src/a.py")
    assert "--ignore-noqa" in words


def test_a_tool_that_is_not_there_has_failed(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed):
        lint("/nowhere/ruff", tmp_path, ["a.py"])


def test_a_tool_that_ends_badly_has_failed(tmp_path: Path) -> None:
    fake = tmp_path / "ruff"
    fake.write_text("#!/bin/sh\necho 'unknown rule' >&2\nexit 2\n")
    fake.chmod(0o755)
    with pytest.raises(ToolFailed, match="unknown rule"):
        lint(str(fake), tmp_path, ["a.py"])

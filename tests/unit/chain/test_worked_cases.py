"""Worked cases: labels and metrics that were derived by hand, in tests/cases/chain."""

from pathlib import Path

import pytest
from lab.chain.cases import Case, parse_cases, solve
from lab.chain.rules import RULES

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "chain"
FILES = tuple(sorted(FOLDER.glob("*.txt")))


def cases() -> list[tuple[str, Case]]:
    return [
        (f"{path.stem}: {case.name}", case)
        for path in FILES
        for case in parse_cases(path.read_text(encoding="utf-8"), str(path))
    ]


@pytest.mark.parametrize("case", [case for _, case in cases()], ids=[name for name, _ in cases()])
def test_a_worked_case_comes_out_as_written(case: Case) -> None:
    assert solve(case).differences == ()


def test_every_worked_case_expects_a_label_of_every_event() -> None:
    questions = [name for name, case in cases() if not case.events or None in case.labels]
    assert questions == []


def test_every_rule_decides_an_event_of_some_worked_case() -> None:
    from lab.chain.classify import label

    used = {row.rule for _, case in cases() for row in label(case.events).events}
    assert used == {rule.number for rule in RULES}


def test_the_rules_are_numbered_in_their_order() -> None:
    assert [rule.number for rule in RULES] == list(range(1, 18))

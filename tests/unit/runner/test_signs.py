"""Warnings of a run: what they say, and that no agent can make them long or unprintable."""

from pathlib import Path

from lab.domain.attempt import AttemptResult, Ending
from lab.domain.metric import Reason, measured, missing
from lab.runner import signs
from lab.runner.file_tree import Changes


def test_names_are_printable_short_and_few(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    removed = ("a\x1b[31m\nb", "\udcff", "n" * 4000, *(f"p{number}" for number in range(100)))
    told = list(signs.of_workspace(tmp_path, Changes((), removed)))
    assert len(told) == signs.LISTED + 1 and told[-1].endswith(": 93 more")
    assert all(line.isprintable() and len(line) < 300 for line in told)
    assert told[0].endswith(r"a\x1b[31m\nb")


def test_a_list_has_an_end() -> None:
    told = signs.at_most(tuple(f"line {number}" for number in range(1000)), 3)
    assert told == ("line 0", "line 1", "line 2", "997 more")
    assert signs.at_most(("x" * 9000,))[0] == "x" * signs.WORDS + "..."


def test_processes_of_one_name_are_counted() -> None:
    result = AttemptResult(
        Ending.EXITED, 0, "t", "t", 1.0, None, 0, False, left_behind=("sleep",) * 3 + ("sh",)
    )
    assert list(signs.of_process(result)) == [
        "left running and ended: sleep (3 of them)",
        "left running and ended: sh",
    ]


def test_hidden_scenarios_that_fail_beside_green_tests_are_told() -> None:
    names = ("tests_passing", "tests_total", "verification_passed", "verification_total")
    green = dict(zip(names, (measured(one, "x") for one in (True, 2, 3, 9)), strict=True))
    assert list(signs.of_acceptance(green)) == [
        "own tests pass, hidden scenarios do not: 3 of 9 passed"
    ]
    assert not list(signs.of_acceptance(green | {"verification_passed": measured(9, "x")}))
    assert not list(signs.of_acceptance(green | {"tests_passing": measured(False, "x")}))
    unknown = missing(Reason.TOOL_FAILED, "x")
    assert not list(signs.of_acceptance(green | {"verification_passed": unknown}))


def test_history_is_read_from_the_reflog_and_never_through_a_link(tmp_path: Path) -> None:
    log = tmp_path / ".git" / "logs" / "HEAD"
    log.parent.mkdir(parents=True)
    log.write_text("0 1 a\tcommit (initial): x\n1 2 a\tcommit (amend): x\n2 1 a\treset: moving\n")
    none = Changes(())
    assert list(signs.of_workspace(tmp_path, none)) == ["git history rewritten: amend 1, reset 1"]
    log.rename(tmp_path / "elsewhere")
    log.symlink_to(tmp_path / "elsewhere")
    assert list(signs.of_workspace(tmp_path, none)) == []
    log.parent.parent.rename(tmp_path / "git")
    (told,) = signs.of_workspace(tmp_path, none)
    assert told.startswith("git history removed")

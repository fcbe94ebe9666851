"""What is shown to be typed works where it is typed."""

import sys
from pathlib import Path

import click
import pytest
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.cli.typed import as_typed, as_typed_for, program_name, remember, shown_plan
from lab.paths import LabPaths


def typed(text: str, root: str | None, program: str = "lab") -> str:
    arguments = ["--root", root] if root else []
    with lab.make_context(program, [*arguments, "plans"]) as context:
        remember(context, context.params["root"])
        return as_typed(text)


def test_without_a_root_option_a_command_line_stays_as_it_is() -> None:
    assert typed("next: lab plan RQ-a", None) == "next: lab plan RQ-a"


def test_outside_of_any_call_a_command_line_stays_as_it_is() -> None:
    assert as_typed("next: lab plan RQ-a") == "next: lab plan RQ-a"


def test_every_command_of_a_line_gets_the_root_that_was_typed() -> None:
    line = "next: lab analyze $(lab status --stale RQ-a)"
    expected = "next: lab --root my/root analyze $(lab --root my/root status --stale RQ-a)"
    assert typed(line, "my/root") == expected


def test_a_root_with_a_space_is_quoted() -> None:
    assert typed("lab plans", "my root") == "lab --root 'my root' plans"


def test_commands_that_take_no_root_get_none() -> None:
    assert typed("lab docs, lab import PATH", "r") == "lab docs, lab import PATH"


def test_words_that_are_no_command_stay() -> None:
    prose = "the lab planned it; lab-plan; lab plan-b; x/lab plan"
    assert typed(prose, "r") == prose


def test_a_program_that_the_shell_would_not_find_is_named_by_its_path() -> None:
    assert typed("next: lab plans", "r", ".venv/bin/lab") == "next: .venv/bin/lab --root r plans"


def test_another_root_takes_the_place_of_the_one_in_use(tmp_path: Path) -> None:
    other = tmp_path / "demo"
    assert as_typed_for(other, "lab plans") == f"lab --root {other} plans"


def test_a_root_from_the_environment_needs_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAB_ROOT", str(tmp_path))
    assert guarded(lab, ["aggregate", "--all"]) == 0
    assert capsys.readouterr().out == "no question\nnext: lab init SLUG\n"


def test_the_program_is_lab_only_where_the_path_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "bin" / "lab"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(own.with_name("python")))
    monkeypatch.setenv("PATH", "/nowhere")
    assert program_name() == str(own)
    monkeypatch.setenv("PATH", str(own.parent))
    assert program_name() == "lab"


def test_a_plan_of_the_root_is_named_without_its_folder(tmp_path: Path) -> None:
    paths = LabPaths(tmp_path)
    assert shown_plan(paths, paths.plans / "a.json") == "a"
    assert shown_plan(paths, tmp_path / "b c.json") == f"'{tmp_path / 'b c.json'}'"


def test_an_unknown_command_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lab, ["batchh"]) == 2
    assert "No such command 'batchh'. (Did you mean 'batch'?)" in capsys.readouterr().err


def test_what_the_machine_refuses_is_one_line_and_no_bug(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    def refused() -> None:
        raise PermissionError(13, "Permission denied", "/read/only")

    assert guarded(refused, []) == 1
    assert capsys.readouterr().err == "error: /read/only: Permission denied\n"


def test_a_file_that_we_forgot_to_look_for_is_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAB_CACHE", str(tmp_path))

    @click.command()
    def forgot() -> None:
        raise FileNotFoundError(2, "No such file or directory", "/x")

    assert guarded(forgot, []) == 3
    assert "internal error" in capsys.readouterr().err


def test_a_missing_package_is_named_and_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def lacking() -> None:
        raise ModuleNotFoundError("No module named 'rich'", name="rich")

    assert guarded(lacking, []) == 1
    expected = "error: the Python package rich is missing (run: make setup)\n"
    assert capsys.readouterr().err == expected


def test_a_bug_without_a_place_for_its_log_is_told_on_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("LAB_CACHE", str(blocked))

    @click.command()
    def broken() -> None:
        raise KeyError("x")

    assert guarded(broken, []) == 3
    err = capsys.readouterr().err
    assert "KeyError: 'x'" in err
    assert err.endswith("internal error: this is a bug of the lab; details above\n")

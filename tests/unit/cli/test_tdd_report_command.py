"""lab tdd-report, as it is typed."""

import json
from pathlib import Path

import pytest
from builders.event_lines import Lines
from builders.pools import add_run, identity
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.paths import LabPaths

ONE = "tests/test_a.py::one"
AGREEING = "[one]\nT | a=f -> Red\nI | a=p -> Green\n= cycles_closed:1\n"
DIFFERING = "[one]\nT | a=f -> Skip\n"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = guarded(lab, ["tdd-report", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def events(tmp_path: Path) -> Path:
    lines = Lines().loaded(preflight=True).baseline(test="0", code="0")
    lines.started("1", test="1", code="0").finished("1", (ONE, "failed"))
    lines.started("2", test="1", code="1").finished("2", (ONE, "passed"))
    return lines.write(tmp_path / "tdd-events.jsonl")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return tmp_path / "cases.txt"


def test_a_run_folder_gives_the_report(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, str(events.parent))
    assert code == 0
    assert out.startswith(f"# Phase chain of {events.parent.name}\n\nRed -> Green\n")
    assert err == f"next: lab tdd-report {events} --json\n"


def test_the_events_file_gives_the_same(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, str(events)) == call(capsys, str(events.parent))


def test_a_run_of_the_pool_is_found_by_its_id(
    events: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "root" / "experiments" / "runs" / "r1"
    folder.mkdir(parents=True)
    events.rename(folder / events.name)
    code = guarded(lab, ["--root", str(tmp_path / "root"), "tdd-report", "r1", "--chain"])
    assert (code, capsys.readouterr().out) == (0, "Red -> Green\n")


def test_the_chain_is_one_line(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, str(events), "--chain") == (0, "Red -> Green\n", "")


def test_json_has_the_names_of_the_seed(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, str(events), "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["suite_runs"] == 2
    assert document["deviations"] == 0
    assert document["opens_red"] is True
    assert document["ends_green"] is True
    assert document["tdd_discipline"] == 1
    assert document["labels"] == ["Red", "Green"]
    assert document["missing"] == {}


def test_json_says_why_a_value_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "tdd-events.jsonl"
    empty.touch()
    document = json.loads(call(capsys, str(empty), "--json")[1])
    assert document["suite_runs"] is None
    assert document["missing"]["suite_runs"] == "no-source"


def test_another_stacks_rules_can_be_asked_for(
    events: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, str(events), "--chain", "--stack", "none")[1] == "Verify -> Verify\n"
    code, _, err = call(capsys, str(events), "--stack", "cobol")
    assert code == 1
    assert err.startswith("error: no stack 'cobol': allowed are ")


def test_what_is_no_run_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capsys, str(tmp_path / "nothing"))
    assert code == 1
    assert "no run here: name a folder with run.json or tdd-events.jsonl" in err
    assert len(err.splitlines()) == 1


def test_garbage_in_the_events_file_is_reported_and_no_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tdd-events.jsonl"
    path.write_bytes(b"\xff\xfe{torn\n\x00\n[1]\n")
    code, out, _ = call(capsys, str(path))
    assert code == 0
    assert out.count("not a JSON object") == 3


def test_cases_that_agree_end_with_0(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases.write_text(AGREEING)
    code, out, err = call(capsys, "--cases", str(cases))
    assert code == 0
    assert out.startswith("[one]\nT | a=f -> Red\nI | a=p -> Green\n= suite_runs:2 ")
    assert err == "cases: 1, differing: 0\n"


@pytest.mark.parametrize("form", [(), ("--json",), ("--chain",)], ids=["text", "json", "chain"])
def test_a_case_that_differs_ends_with_1(
    form: tuple[str, ...], cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases.write_text(DIFFERING)
    code, _, err = call(capsys, "--cases", str(cases), *form)
    assert code == 1
    assert f"{cases}: [one] event 1: expected Skip, found Red\n" in err


def test_cases_as_json_are_a_list_of_names_labels_and_metrics(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases.write_text("[one]\nT | a=f b=f d=f\nI | a=p b=p d=p\n\n[two]\n- | 0\n")
    one, two = json.loads(call(capsys, "--cases", str(cases), "--json")[1])["cases"]
    assert set(one) == {"name", "labels", "metrics"}
    assert (one["name"], one["labels"]) == ("one", ["Red", "Green"])
    assert (one["metrics"]["score"], one["metrics"]["red_batch_size"]) == (0.693, 3)
    assert (two["metrics"]["score"], two["metrics"]["ends_green"]) == (None, False)


def test_a_case_file_that_is_no_text_is_one_fault(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases.write_bytes(b"\x7fELF\xff")
    assert call(capsys, "--cases", str(cases)) == (
        1,
        "",
        f"error: {cases}: no text in UTF-8: a case file is plain text\n",
    )


@pytest.mark.parametrize(
    "arguments", [(), ("run", "--cases"), ("run", "--chain", "--json")], ids=" ".join
)
def test_wrong_use_ends_with_2(
    arguments: tuple[str, ...], cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases.write_text(AGREEING)
    given = [*arguments, str(cases)] if arguments[-1:] == ("--cases",) else arguments
    assert call(capsys, *given)[0] == 2


def test_a_file_that_holds_no_events_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "passwd"
    other.write_text("root:x:0\nbin:x:1\n")
    assert guarded(lab, ["tdd-report", str(other)]) == 1
    expected = f"error: {other}: no events in it: each line of tdd-events.jsonl is a JSON object\n"
    assert capsys.readouterr().err == expected


def test_a_run_of_a_stack_without_a_module_is_shown_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = LabPaths(tmp_path)
    paths.runs.mkdir(parents=True)
    add_run(paths, identity("old", stack="typescript-vitest"), {})
    assert guarded(lab, ["--root", str(tmp_path), "tdd-report", "old"]) == 0
    assert capsys.readouterr().out.startswith("# Phase chain of old\n")

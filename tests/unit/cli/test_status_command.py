import json

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, QUESTION, small_lab
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.domain.metric import measured

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}


@pytest.fixture
def paths(tmp_path):
    paths = small_lab(tmp_path)
    for number in range(3):
        add_run(paths, identity(f"m1-{number}", model="m1", **LIFE))
    return paths


@pytest.fixture
def status(paths, capsys):
    def call(*arguments):
        code = guarded(lab, ["--root", str(paths.root), "status", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_the_table_says_what_to_type_next(status, paths):
    assert status() == (
        0,
        "question  cells  runs  ok  findings  newer  stale  next\n"
        "RQ-small    1/2     3   3         0      -      0  plan\n"
        "1 question, 1 in need of attention; 3 runs in the pool\n"
        f"next: lab --root {paths.root} plan RQ-small\n",
        "",
    )


def test_stale_lists_run_ids_for_a_command_line(status, paths):
    add_run(paths, identity("m1-8", model="m1", **LIFE), {"green": measured(True, "pytest@0")})
    assert status("--stale", "RQ-small") == (0, "m1-8\n", "1 run measured by older code\n")


def test_open_hides_what_needs_nothing(status, paths):
    closed = QUESTION.replace("min_replicates: 3", 'min_replicates: 3\nclosed: "no budget"')
    (paths.root / FOLDER / "README.md").write_text(closed)
    _, everything, _ = status()
    assert "closed: no budget" in everything
    code, shown, _ = status("--open")
    assert code == 0
    assert shown.startswith("1 question, 0 in need of attention; 3 runs in the pool\n")


def test_json_holds_all_of_it(status, paths):
    (paths.runs / "empty").mkdir()
    code, out, _ = status("--json")
    document = json.loads(out)
    assert code == 0
    assert document["runs"] == 3
    assert document["faults"] == [{"run_id": "empty", "reason": "run.json: does not exist"}]
    (question,) = document["questions"]
    assert {key: question[key] for key in ("id", "cells", "full", "short", "newer", "next")} == {
        "id": "RQ-small",
        "cells": 2,
        "full": 1,
        "short": 3,
        "newer": None,
        "next": "lab plan RQ-small",
    }


def test_a_torn_run_is_named_on_stderr(status, paths):
    (paths.runs / "m1-0" / "metrics.json").write_text('{"schema_ver')
    code, out, err = status()
    assert code == 0
    assert "2 runs in the pool" in out
    assert err.startswith("warning: runs/m1-0 is not counted: metrics.json: not JSON")


def test_many_faults_do_not_flood_the_screen(status, paths):
    for number in range(30):
        (paths.runs / f"empty-{number}").mkdir()
    _, _, err = status()
    assert len(err.splitlines()) == 11
    assert "20 more folders are not counted" in err


def test_a_broken_question_is_an_error_and_the_others_are_shown(status, paths):
    broken = paths.root / "research/tree/1.2-broken"
    broken.mkdir()
    (broken / "README.md").write_text("---\nid: RQ-broken\nmodle: x\n---\n")
    code, out, err = status()
    assert code == 1
    assert "RQ-small" in out
    assert out.splitlines()[-1].startswith("next: mend what stands below, then lab ")
    assert "research/tree/1.2-broken/README.md" in err


def test_a_name_cannot_write_to_the_terminal(status, paths):
    (paths.runs / "\x1b[31mred\nline").mkdir()
    _, _, err = status()
    assert "\x1b" not in err
    assert len(err.splitlines()) == 1


def test_an_empty_root_says_how_to_begin(tmp_path, capsys):
    (tmp_path / "research").mkdir()
    code = guarded(lab, ["--root", str(tmp_path), "status"])
    assert code == 0
    assert "init SLUG" in capsys.readouterr().out


def test_a_question_can_be_named(status, paths):
    broken = paths.root / "research/tree/1.2-broken"
    broken.mkdir()
    (broken / "README.md").write_text("---\nid: RQ-broken\nmodle: x\n---\n")
    code, out, err = status("RQ-small")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("RQ-small")


def test_an_unknown_question_is_an_error_with_the_nearest_name(status):
    code, _, err = status("RQ-smal")
    assert code == 1
    assert "RQ-small" in err


def test_a_folder_that_is_no_lab_root_is_told(tmp_path, capsys):
    code = guarded(lab, ["--root", str(tmp_path / "absent"), "status"])
    assert code == 1
    assert "no lab root" in capsys.readouterr().err


def test_stale_ids_are_bare_and_exclude_json(status):
    code, out, err = status("--stale", "--json")
    assert (code, out) == (2, "")
    assert "--stale prints bare run ids" in err


def test_nothing_stale_is_said(status):
    assert status("--stale") == (0, "", "0 runs measured by older code\n")

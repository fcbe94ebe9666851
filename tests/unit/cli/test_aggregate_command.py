import json

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, QUESTION, small_lab
from click.testing import CliRunner
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.store.lock import live_batch

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}


@pytest.fixture
def paths(tmp_path):
    found = small_lab(tmp_path)
    add_run(found, identity("m1-1", model="m1", **LIFE), {})
    return found


@pytest.fixture
def call(paths, capsys):
    def run(*arguments):
        code = guarded(lab, ["--root", str(paths.root), "aggregate", *arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


def test_a_question_is_found_by_id_folder_and_readme(call, paths):
    for reference in ("RQ-small", FOLDER, f"{FOLDER}/README.md"):
        code, out, _ = call(reference)
        assert code == 0
        assert out.startswith("RQ-small: 2 cells, 1 run, 1 ok: ")
        assert out.endswith(f"\nnext: lab --root {paths.root} status RQ-small\n")


def test_the_first_run_names_what_it_wrote_and_the_second_says_unchanged(call):
    assert f": wrote runs.csv, summary.json, summary.md in {FOLDER}\n" in call("--all")[1]
    assert ": unchanged\n" in call("--all")[1]


def test_check_exits_1_and_names_the_stale_file_and_the_command_that_mends_it(call, paths):
    call("RQ-small")
    assert call("--check")[0] == 0
    (paths.root / FOLDER / "summary.md").write_text("edited\n")
    code, out, _ = call("--check")
    assert code == 1
    assert f": stale summary.md in {FOLDER}\n" in out
    assert out.endswith(f"next: lab --root {paths.root} aggregate RQ-small\n")
    assert (paths.root / FOLDER / "summary.md").read_text() == "edited\n"


def test_json_holds_what_became_of_each_question(call):
    document = json.loads(call("--all", "--json")[1])
    assert document == {
        "schema_version": 1,
        "live_batches": [],
        "not_counted": [],
        "questions": [
            {
                "id": "RQ-small",
                "folder": FOLDER,
                "changed": ["runs.csv", "summary.json", "summary.md"],
                "cells": 2,
                "matched": 1,
                "ok": 1,
                "warnings": 0,
            }
        ],
    }


def test_a_live_batch_is_mentioned_and_does_not_stop_it(call, paths):
    with live_batch(paths, "batch-7"):
        code, out, _ = call("--all")
    assert code == 0
    assert out.startswith("running: batch-7; only published runs are counted")


def test_one_broken_question_does_not_stop_the_others_and_exits_1(call, paths):
    broken = paths.root / "research" / "tree" / "2-broken" / "README.md"
    broken.parent.mkdir()
    broken.write_text(QUESTION.replace("RQ-small", "RQ-broken").replace("code_mass", "code_mas"))
    code, out, err = call("--all")
    assert code == 1
    assert "RQ-small: 2 cells" in out
    assert out.splitlines()[-1].startswith("next: mend what stands below")
    assert err == (
        "error: research/tree/2-broken/README.md: unknown outcome code_mas: "
        "did you mean code_mass?\n"
    )


def test_a_misspelt_question_gets_the_nearest_id(call):
    code, _, err = call("RQ-smal")
    assert code == 1
    assert "no research question RQ-smal: did you mean RQ-small?" in err


def test_nothing_to_do_is_a_usage_error(call):
    code, _, err = call()
    assert code == 2
    assert "name a question (id, folder or README), or --all" in err
    assert call("RQ-small", "--all")[0] == 2


def test_a_question_named_twice_is_aggregated_once(call):
    assert call("RQ-small", FOLDER)[1].count("RQ-small: ") == 1


def test_a_lab_without_questions_says_how_to_begin(tmp_path, capsys):
    assert guarded(lab, ["--root", str(tmp_path), "aggregate", "--all"]) == 0
    assert capsys.readouterr().out == f"no question\nnext: lab --root {tmp_path} init SLUG\n"


def test_runs_that_cannot_be_trusted_are_counted_aloud(call, paths):
    torn = paths.runs / "torn"
    torn.mkdir()
    (torn / "run.json").write_text("{")
    out = call("--all")[1]
    assert "1 folder in the pool is not counted: torn (run.json: " in out


def test_the_help_names_every_option():
    shown = CliRunner().invoke(lab, ["aggregate", "--help"]).output
    for option in ("--all", "--check", "--json", "--allow-archived"):
        assert option in shown

"""The commands around batches, called as a user calls them."""

import json
from pathlib import Path

import pytest
from builders.batches import lab_root, plan_of, records
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.paths import LabPaths

NOP = "calibration-nop"
LOCAL = ("--executor", "local")


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabPaths:
    monkeypatch.setenv("LAB_FREE_DISK_BYTES", "1")
    monkeypatch.setenv("LAB_FREE_MEMORY_BYTES", "1")
    monkeypatch.setenv("LAB_CACHE", str(tmp_path / "cache"))
    return lab_root(tmp_path / "root")


def called(paths: LabPaths, *words: str) -> int:
    return guarded(lab, ["--root", str(paths.root), *words])


def test_a_plan_is_found_by_name_run_and_logged(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(paths, [NOP] * 3)
    assert called(paths, "batch", "plan", *LOCAL) == 0
    told = capsys.readouterr().out
    assert "not isolated: network" in told and "[3/3] ok" in told
    assert told.splitlines()[-1] == f"next: lab --root {paths.root} aggregate --all"
    assert "[3/3] ok" in plan.with_suffix(".log").read_text()
    assert called(paths, "batch", "plan") == 0
    assert "nothing left to do" in capsys.readouterr().out
    assert len(records(paths)) == 3


def test_json_is_all_that_is_printed(paths: LabPaths, capsys: pytest.CaptureFixture[str]) -> None:
    plan_of(paths, [NOP])
    assert called(paths, "batch", "plan", "--json", *LOCAL) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["end"], document["finished"], document["ended"]) == ("complete", 1, {"ok": 1})
    assert document["runs"] == [records(paths)[0].identity.run_id]


def test_an_empty_plan_is_done_at_once(paths: LabPaths, capsys: pytest.CaptureFixture[str]) -> None:
    plan_of(paths, [])
    assert called(paths, "batch", "plan", *LOCAL) == 0
    assert "no runs are missing: nothing to do" in capsys.readouterr().out
    assert called(paths, "batch", "plan", "--json") == 0
    assert json.loads(capsys.readouterr().out)["total"] == 0
    assert records(paths) == ()


def test_a_plan_that_is_not_there_is_one_line(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(paths, "batch", "nothing") == 1
    assert capsys.readouterr().err == (
        f"error: nothing: no such plan (lab --root {paths.root} plans lists them)\n"
    )


def test_an_unknown_kata_is_not_blamed_on_its_stack_too(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    run = {"kata": "game-of-lif-prose", "workflow": "calibration-v1", "model": NOP}
    (paths.plans / "plan.json").write_text(json.dumps({"runs": [run]}))
    assert called(paths, "batch", "plan", *LOCAL) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("unknown kata game-of-lif-prose: did you mean game-of-life-prose?")


def test_faults_of_a_plan_are_one_line_each(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_of(paths, ["calibration-nopp", "fake-succes"])
    assert called(paths, "batch", "plan", *LOCAL) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and all(line.startswith("error: plan.json: runs[") for line in lines)
    assert "did you mean calibration-nop?" in lines[0]


def test_plans_says_how_far_each_is(paths: LabPaths, capsys: pytest.CaptureFixture[str]) -> None:
    plan_of(paths, [NOP], "done")
    plan_of(paths, [NOP, NOP], "new")
    (paths.plans / "garbled.json").write_text("{")
    called(paths, "batch", "done", *LOCAL)
    capsys.readouterr()
    assert called(paths, "plans") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "done.json: 1 of 1 runs done, finished"
    assert lines[1].startswith("garbled.json: broken")
    assert lines[2:] == [
        "new.json: 2 runs, not started",
        f"next: lab --root {paths.root} batch new",
    ]


def test_a_stopped_batch_exits_1_and_names_the_way_on(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_of(paths, ["fake-bad-key"] * 2)
    assert called(paths, "batch", "plan", "--shards", "1", *LOCAL) == 1
    out = capsys.readouterr().out
    assert (
        "stopped: fake fake-bad-key none: setup-error" in out
        and f"next: lab --root {paths.root} resume plan" in out
    )
    assert called(paths, "watch", "--json") == 0
    seen = json.loads(capsys.readouterr().out)
    assert (seen["total"], seen["finished"], seen["is_live"]) == (2, 0, False)
    assert called(paths, "resume", "--shards", "1") == 1
    assert "executor local: asked for" in capsys.readouterr().out


def test_resume_with_nothing_to_resume_says_so(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(paths, "resume") == 1
    assert "no batch is unfinished" in capsys.readouterr().err
    plan_of(paths, [NOP])
    assert called(paths, "resume", "plan") == 1
    assert "never started" in capsys.readouterr().err


def test_watch_writes_the_control_file(paths: LabPaths, capsys: pytest.CaptureFixture[str]) -> None:
    plan_of(paths, ["fake-bad-key"])
    called(paths, "batch", "plan", *LOCAL)
    assert called(paths, "watch", "plan", "--pause", "--shards", "3") == 0
    assert "asked for pause, shards 3" in capsys.readouterr().out
    assert called(paths, "watch", "--shards", "3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["slots"] == 3
    (control,) = paths.batches.glob("*/control.json")
    assert json.loads(control.read_text()) == {"schema_version": 1, "command": "pause", "shards": 3}


def test_record_runs_once_and_lists_choices_when_nobody_can_answer(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--kata", "game-of-life-prose", "--workflow", "calibration-v1", "--stack", "none")
    assert called(paths, "record", *words, "--model", NOP, *LOCAL) == 0
    (identity,) = (one.identity for one in records(paths))
    assert identity.exit_reason == "ok"
    assert capsys.readouterr().out.endswith(f" tdd-report {identity.run_id}\n")
    assert called(paths, "record", *words) == 1
    assert "no --model given" in capsys.readouterr().err


def test_record_refuses_unknown_names_before_it_asks_or_writes(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--kata", "game-of-lif-prose", "--workflow", "calibration-v2", "--stack", "nonne")
    assert called(paths, "record", *words) == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: unknown kata game-of-lif-prose: did you mean game-of-life-prose?",
        "error: unknown workflow calibration-v2: did you mean calibration-v1?",
        "error: unknown stack nonne: did you mean none?",
    ]
    assert not list(paths.plans.iterdir())


def test_a_record_that_cannot_start_leaves_no_plan(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        "--kata",
        "game-of-life-prose",
        "--workflow",
        "calibration-v1",
        "--model",
        "fake-success",
    )
    assert called(paths, "record", *words, "--stack", "none", *LOCAL) == 1
    assert "calibration cannot run fake-success" in capsys.readouterr().err
    assert not list(paths.plans.iterdir())


def test_analyze_names_every_run_that_is_not_there(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(paths, "analyze", "a", "b") == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_gc_and_doctor_end_with_what_to_type(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(paths, "gc") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("next: ")
    assert called(paths, "doctor", "--json") in (0, 1)
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert {"python", "git", "local", "docker", "none"} <= {check["name"] for check in checks}


def test_what_would_steer_a_terminal_is_neutralised() -> None:
    from lab.cli.batch_view import printable

    assert (
        printable("a\x1b[31mb\u202e") == "a\N{REPLACEMENT CHARACTER}[31mb\N{REPLACEMENT CHARACTER}"
    )


def test_a_batch_that_is_done_takes_no_more_wishes(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_of(paths, [NOP])
    called(paths, "batch", "plan", *LOCAL)
    assert called(paths, "watch", "plan", "--pause") == 1
    assert "is done: nothing to change" in capsys.readouterr().err
    assert not list(paths.batches.glob("*/control.json"))


def test_a_line_is_fitted_to_a_narrow_terminal() -> None:
    from lab.cli.batch_view import fitted

    run_id = "2026-01-02_03-04-05_game-of-life-prose_calibration-v1_calibration-strict-tdd"
    assert fitted(f"[1/6] ok {run_id} (8.3 s)", 80) == (
        "[1/6] ok game-of-life-prose_calibration-v1_calibration-strict-tdd (8.3 s)"
    )
    line = fitted(f"[1/6] ok {run_id} (8.3 s)", 50)
    assert len(line) == 50
    assert line.endswith("strict-tdd (8.3 s)")


def test_watch_names_the_plan_that_it_watches(
    paths: LabPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(paths, ["fake-bad-key"], "mine")
    called(paths, "batch", "mine", *LOCAL)
    capsys.readouterr()
    assert called(paths, "watch", "--once") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("batch ") and told[-1].endswith(" resume mine")
    assert called(paths, "watch", "mine", "--shards", "1") == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(" resume mine")
    plan.unlink()
    assert called(paths, "watch") == 0
    name = capsys.readouterr().out.split()[-1]
    assert called(paths, "resume", name) == 1
    assert "setup-error" in capsys.readouterr().out

"""Which working folders a dead coordinator left: told by process and start, never by number."""

from dataclasses import replace
from pathlib import Path

from builders.batches import lab_root, plan_of, records, run_plan
from lab.process import owner
from lab.runner.batch_folder import all_batches
from lab.runner.journal import Journal
from lab.runner.progress import fold
from lab.runner.reconcile import DeadClaims, Reconciled, dead_slots
from lab.store.catalogue import read_catalogue
from lab.store.lock import live_batch
from lab.store.plans import read_plan
from lab.store.run_files import append_line, write_record


def test_a_later_process_of_the_same_number_does_not_keep_a_folder(tmp_path: Path) -> None:
    own = owner.current()
    names = {
        f"{own.pid}-{own.started}-abc-0": True,
        f"{own.pid}-{own.started}-abc-preflight-python-pytest": True,
        f"{own.pid}-{own.started + 1}-abc-0": False,
        "4194305-7-abc-1": False,
        "2026-01-01_00-00-00_a-run": False,
        "x": False,
    }
    for name in names:
        (tmp_path / name).mkdir()
    dead = {folder.name for folder in dead_slots(tmp_path)}
    assert dead == {name for name, is_used in names.items() if not is_used}


def test_without_a_working_folder_there_is_nothing(tmp_path: Path) -> None:
    assert dead_slots(tmp_path / "absent") == ()


def finished(run_id: str, exit_reason: str) -> dict[str, object]:
    return {
        "schema_version": 1,
        "event": "finished",
        "at": "2026-01-01T00:00:00+00:00",
        "entry": 0,
        "run_id": run_id,
        "exit_reason": exit_reason,
        "seconds": 1.0,
        "lane": ["calibration", "calibration-nop"],
    }


def test_a_run_that_was_cut_off_and_done_again_is_not_counted_anew(tmp_path: Path) -> None:
    paths = lab_root(tmp_path / "root")
    plan = plan_of(paths, ["calibration-nop"])
    run_plan(paths, plan)
    (done,) = records(paths)
    cut_id = done.identity.run_id.replace("202", "201", 1)
    cut = replace(done.identity, run_id=cut_id, exit_reason="interrupted")
    paths.run(cut_id).folder.mkdir()
    write_record(paths.run(cut_id), replace(done, identity=cut))
    (batch,) = all_batches(paths)
    after = batch.journal.read_text()
    batch.journal.unlink()
    append_line(batch.journal, finished(cut_id, "interrupted"))
    with batch.journal.open("a") as file:
        file.write(after)

    claims = DeadClaims(
        paths, batch, Journal(batch.journal), read_plan(plan), read_catalogue(paths)
    )
    assert claims.settle() == Reconciled()
    assert batch.state().is_complete


def test_what_is_finished_stays_finished_and_counts_once() -> None:
    state = fold([finished("b", "ok"), finished("a", "interrupted"), finished("b", "ok")])
    assert (state.finished, state.done[0].run_id) == (1, "b")
    assert not state.is_open(0)


def test_an_id_reserved_by_one_who_died_before_claiming_it_is_given_back(tmp_path: Path) -> None:
    """The kill came between making the staging folder and writing the claim (crash matrix)."""
    paths = lab_root(tmp_path / "root")
    plan = plan_of(paths, ["calibration-nop"])
    reserved = paths.staging / "2026-01-01_00-00-00_game-of-life-prose_fake-v1_x"
    reserved.mkdir(parents=True)
    run_plan(paths, plan)
    assert list(paths.staging.iterdir()) == []


def test_a_reserved_id_is_left_alone_while_another_batch_lives(tmp_path: Path) -> None:
    paths = lab_root(tmp_path / "root")
    plan = plan_of(paths, ["calibration-nop"])
    reserved = paths.staging / "2026-01-01_00-00-00_game-of-life-prose_fake-v1_x"
    reserved.mkdir(parents=True)
    with live_batch(paths, "another"):
        run_plan(paths, plan)
    assert list(paths.staging.iterdir()) == [reserved]


def test_what_a_staging_folder_holds_is_never_thrown_away_unasked(tmp_path: Path) -> None:
    paths = lab_root(tmp_path / "root")
    plan = plan_of(paths, ["calibration-nop"])
    held = paths.staging / "somebody-s" / "work"
    held.mkdir(parents=True)
    run_plan(paths, plan)
    assert held.is_dir()


def test_a_cut_off_run_says_nothing_about_how_long_runs_take() -> None:
    state = fold([finished("a", "interrupted"), finished("b", "ok") | {"seconds": 9.0}])
    assert tuple(state.recent_seconds) == (9.0,)

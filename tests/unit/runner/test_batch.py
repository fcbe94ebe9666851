"""A batch as a whole: validated, run, joined, drained, resumed; what it refuses and keeps."""

import json
import os
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from builders.batches import QUICK, Listener, lab_root, plan_of, records, run_plan
from lab.domain.plan import PlannedRun
from lab.errors import LabError
from lab.paths import LabPaths
from lab.process import mark, owner
from lab.runner import coordinator
from lab.runner.batch_folder import BatchFolder, generations
from lab.runner.control import Command, write_control
from lab.runner.ids import RunIds
from lab.runner.journal import Journal, read_journal
from lab.runner.session import End
from lab.store.attempts import read_attempts
from lab.store.lock import live_batches

NOP = "calibration-nop"
WORK = "fake-success"


def reasons(paths: LabPaths) -> Counter[str | None]:
    return Counter(record.identity.exit_reason for record in records(paths))


def only_batch(paths: LabPaths, plan: Path) -> BatchFolder:
    (batch,) = generations(paths, plan)
    return batch


def test_a_run_is_published_with_its_provenance(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, [NOP]))
    (record,) = records(paths)
    identity = record.identity
    assert (identity.exit_reason, identity.completion, identity.attempts) == ("ok", "no-op", 1)
    assert (identity.kata_base, identity.prompt, identity.stack) == (
        "game-of-life",
        "prose",
        "none",
    )
    assert {"prompt_sha", "workflow_sha", "prompt_rendered_sha"} <= dict(identity.hashes).keys()
    assert (record.executor, record.entry, record.exit_code) == ("local", 0, 0)
    assert {"version", "commit", "is_dirty"} <= dict(record.lab).keys()
    assert {"cores", "load_1min"} <= dict(record.host).keys()
    assert dict(record.limits_requested)["pids"] == "512"
    assert dict(record.limits_effective).keys() and dict(record.isolation)["network"].startswith(
        "no"
    )
    assert record.timings.active_seconds is not None and record.timings.wall_seconds is not None


def test_a_workspace_has_a_repository_of_its_own_and_the_prompt(tmp_path: Path) -> None:
    import subprocess

    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, [NOP]))
    (record,) = records(paths)
    workspace = paths.run(record.identity.run_id).workspace
    assert (workspace / "prompt.md").read_text()
    git = ["git", "-C", str(workspace)]
    top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    assert top.stdout.strip() == str(workspace)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, *commit], check=True)


def test_all_faults_of_a_plan_are_told_before_anything_starts(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = paths.plans / "bad.json"
    good = {"kata": "game-of-life-prose", "workflow": "calibration-v1", "model": NOP}
    rows = [
        good | {"stack": "none"},
        good | {"kata": "game-of-lif-prose", "stack": "none"},
        good | {"workflow": "calibration-v2", "stack": "none"},
        good | {"model": WORK, "stack": "none"},
        good | {"stack": "pascal"},
        good | {"workflow": "command-example-v1", "stack": "none"},
        good | {"kata": "game-of-life", "stack": "none"},
    ]
    plan.write_text(json.dumps({"schema_version": 1, "name": "bad", "runs": rows}))
    with pytest.raises(LabError) as told:
        run_plan(paths, plan)
    text = "\n".join(told.value.faults)
    assert "runs[1]: unknown kata game-of-lif-prose: did you mean game-of-life-prose?" in text
    assert "runs[2]: unknown workflow calibration-v2" in text
    assert "runs[3]: calibration cannot run fake-success" in text
    assert "runs[4]: unknown stack pascal" in text
    assert "runs[5]: command cannot run calibration-nop" in text
    assert "runs[6]: kata game-of-life names no prompt style" in text
    assert "runs[0]" not in text
    assert not paths.batches.exists() and not paths.staging.exists()


def test_local_refuses_what_executes_a_models_output(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["none"], workflow="command-example-v1")
    with pytest.raises(LabError, match="docker/batch.sh") as told:
        run_plan(paths, plan)
    assert "--unsandboxed" in told.value.faults[0]
    run_plan(paths, plan, is_unsandboxed=True)
    assert sum(reasons(paths).values()) == 1


def test_a_finished_batch_does_nothing_unless_asked_again(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP, NOP])
    assert run_plan(paths, plan).end is End.COMPLETE
    second = run_plan(paths, plan)
    assert second.was_finished_before and len(records(paths)) == 2
    again = run_plan(paths, plan, is_again=True)
    assert again.batch.id.endswith("-2") and len(records(paths)) == 4


def test_equal_entries_get_ids_of_their_own(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, [NOP] * 6))
    ids = {record.identity.run_id for record in records(paths)}
    assert len(ids) == 6
    assert sorted(record.entry or 0 for record in records(paths)) == list(range(6))


def test_an_id_is_never_handed_out_twice(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    paths = lab_root(tmp_path)
    paths.staging.mkdir()
    now, run = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), PlannedRun("k-p", "w", "m/x y")
    first = RunIds(paths).reserve(run, now)
    paths.staged(first).folder.rename(paths.run(first).folder)
    assert first == "2026-01-02_03-04-05_k-p_w_m-x-y"
    assert RunIds(paths).reserve(run, now) == f"{first}-2"
    assert RunIds(paths).reserve(run, now) == f"{first}-3"


def test_two_coordinators_share_a_batch_and_duplicate_nothing(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP] * 40)
    ends: list[object] = []

    def work() -> None:
        ends.append(run_plan(paths, plan).end)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(record.entry for record in records(paths)) == dict.fromkeys(range(40), 1)
    assert set(ends) <= {End.COMPLETE, End.LEFT_TO_OTHERS} and End.COMPLETE in ends
    assert only_batch(paths, plan).state().is_complete
    assert live_batches(paths) == ()


def test_a_breaker_stops_a_lane_and_resume_lifts_it(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["fake-context-overflow"] * 6 + [NOP])
    first = run_plan(paths, plan, QUICK | {"LAB_BREAKER": "3"}, shards=1)
    assert first.end is End.STOPPED
    assert reasons(paths) == {"context-exceeded": 3, "ok": 1}
    assert "3 runs in a row" in next(iter(first.state.stopped.values()))
    second = run_plan(paths, plan, QUICK | {"LAB_BREAKER": "9"}, shards=1)
    assert second.end is End.COMPLETE
    assert reasons(paths) == {"context-exceeded": 6, "ok": 1}


def test_a_set_up_error_stops_its_lane_at_once_and_is_open_again(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["fake-bad-key"] * 4 + [NOP])
    assert run_plan(paths, plan, shards=1).end is End.STOPPED
    assert reasons(paths) == {"setup-error": 1, "ok": 1}
    assert run_plan(paths, plan, shards=1).end is End.STOPPED
    assert reasons(paths) == {"setup-error": 2, "ok": 1}


def test_pause_drain_and_shards_are_asked_for_through_the_control_file(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["fake-endless"] * 4)
    listener, ends = Listener(), []
    slow = QUICK | {"LAB_TIMEOUT_SECONDS": "1.2"}
    thread = threading.Thread(
        target=lambda: ends.append(run_plan(paths, plan, slow, listener, shards=1))
    )
    thread.start()
    wait_for(lambda: generations(paths, plan) and only_batch(paths, plan).state().claimed)
    batch = only_batch(paths, plan)
    assert live_batches(paths) == (batch.id,)
    write_control(batch.control, command=Command.PAUSE, shards=2)
    wait_for(lambda: batch.state().finished == 1)
    time.sleep(0.7)
    assert batch.state().finished == 1 and not batch.state().claimed
    assert listener.snapshots[-1].slots == 2 and listener.snapshots[-1].paused
    write_control(batch.control, command=Command.RUN, shards=None)
    wait_for(lambda: len(batch.state().claimed) == 2)
    write_control(batch.control, command=Command.DRAIN, shards=None)
    thread.join(20)
    assert ends[0].end is End.DRAINED
    assert reasons(paths) == {"timeout": 3}
    assert run_plan(paths, plan, slow).end is End.COMPLETE
    assert reasons(paths) == {"timeout": 4}


def test_an_interrupt_ends_what_runs_and_its_entry_is_done_again(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, ["fake-endless", NOP])
    started = threading.Event()

    class Interrupting(Listener):
        def changed(self, snapshot) -> None:  # type: ignore[no-untyped-def]
            if snapshot.finished == 1 and snapshot.active and not started.is_set():
                started.set()
                os.kill(os.getpid(), 15)

    ended = run_plan(paths, plan, QUICK, Interrupting())
    assert ended.end is End.INTERRUPTED
    assert reasons(paths) == {"interrupted": 1, "ok": 1}
    assert run_plan(paths, plan, QUICK | {"LAB_TIMEOUT_SECONDS": "0.5"}).end is End.COMPLETE
    assert reasons(paths) == {"interrupted": 1, "ok": 1, "timeout": 1}


def test_short_of_room_nothing_starts_and_the_reason_is_told(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP])
    listener = Listener()
    starved = QUICK | {"LAB_FREE_DISK_BYTES": str(1 << 60)}
    thread = threading.Thread(target=lambda: run_plan(paths, plan, starved, listener))
    thread.start()
    wait_for(lambda: any("free disk is" in line for line in listener.lines))
    write_control(only_batch(paths, plan).control, command=Command.DRAIN, shards=None)
    thread.join(10)
    assert records(paths) == ()


def test_a_bug_of_ours_costs_one_run_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP, NOP])
    execute = coordinator.one_run.execute

    def broken(context, recipe, claim, preflights):  # type: ignore[no-untyped-def]
        if claim.entry == 0:
            raise RuntimeError("a bug")
        return execute(context, recipe, claim, preflights)

    monkeypatch.setattr(coordinator.one_run, "execute", broken)
    run_plan(paths, plan)
    assert reasons(paths) == {"lab-error": 1, "ok": 1}
    found = next(one for one in records(paths) if one.identity.exit_reason == "lab-error")
    assert "RuntimeError: a bug" in (found.evidence or "")


def test_failed_attempts_are_kept_and_their_cost_with_them(tmp_path: Path) -> None:
    import tarfile

    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, ["fake-stalled"]), QUICK | {"LAB_STALL_SECONDS": "0.3"})
    (record,) = records(paths)
    run = paths.run(record.identity.run_id)
    first, second = read_attempts(run)
    assert (first.kept, second.kept) == ("attempts/1", None)
    with tarfile.open(run.folder / "attempts/1/attempt.tar.gz") as archive:
        assert {"run.log", "workspace/prompt.md"} <= set(archive.getnames())


def test_claims_of_a_dead_owner_are_settled(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP] * 3)
    ended = run_plan(paths, plan)
    dead = replace(owner.current(), started=1)
    journal = Journal(ended.batch.journal)
    begun, unbegun = "2026-01-01_00-00-00_begun", "2026-01-01_00-00-00_unbegun"
    again = plan_of(paths, [NOP] * 4, name="more")
    run_plan(paths, again, QUICK, shards=1)
    journal.close()
    batch = only_batch(paths, again)
    lines = [line for line in read_journal(batch.journal) if line.get("entry") not in (0, 1, 2)]
    batch.journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    published = next(r.identity.run_id for r in records(paths) if r.batch_id == batch.id)
    with_file = Journal(batch.journal)
    with with_file.exclusive():
        for entry, run_id in enumerate((published, begun, unbegun)):
            with_file.append("claimed", entry=entry, run_id=run_id, owner=str(dead))
    with_file.close()
    for run_id in (begun, unbegun):
        paths.staged(run_id).folder.mkdir(parents=True)
    paths.staged(begun).log.write_text("half")
    listener = Listener()
    assert run_plan(paths, again, QUICK, listener).end is End.COMPLETE
    told = "\n".join(listener.lines)
    assert f"{published} had been published" in told
    assert f"{begun} was cut off" in told and f"{unbegun} had been claimed" in told
    cut = next(record for record in records(paths) if record.identity.run_id == begun)
    assert (cut.identity.exit_reason, cut.identity.attempts, cut.exit_code) == (
        "interrupted",
        1,
        None,
    )
    assert list(paths.staging.iterdir()) == []


def test_a_read_only_pool_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere; the file-system test mounts a read-only pool")
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP])
    paths.runs.chmod(0o500)
    with pytest.raises(LabError, match="make it writable"):
        run_plan(paths, plan)
    paths.runs.chmod(0o700)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"runs": 3}'])
def test_a_garbled_plan_is_told_and_nothing_starts(tmp_path: Path, content: bytes) -> None:
    paths = lab_root(tmp_path)
    plan = paths.plans / "garbled.json"
    plan.write_bytes(content)
    with pytest.raises(LabError):
        run_plan(paths, plan)
    assert not paths.batches.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\n", b'{"event": 1}\n', b"null\n"])
def test_garbage_in_the_journal_and_control_file_stops_nothing(
    tmp_path: Path, content: bytes
) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP] * 3)
    run_plan(paths, plan)
    batch = only_batch(paths, plan)
    kept = batch.journal.read_bytes().splitlines(keepends=True)
    batch.journal.write_bytes(by_the_dead(kept[0] + b"".join(kept[1:3])) + content)
    batch.control.write_bytes(content)
    try:
        run_plan(paths, plan)
    except LabError as error:
        assert "control.json" in error.faults[0]  # noqa: PT017
        batch.control.unlink()
        run_plan(paths, plan)
    assert only_batch(paths, plan).state().is_complete
    assert {record.identity.exit_reason for record in records(paths)} == {"ok"}


@pytest.mark.parametrize("cut", range(0, 400, 37))
def test_a_journal_cut_at_any_byte_loses_and_repeats_no_run(tmp_path: Path, cut: int) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP] * 3)
    run_plan(paths, plan)
    batch = only_batch(paths, plan)
    whole = batch.journal.read_bytes()
    batch.journal.write_bytes(by_the_dead(whole[: len(whole) - cut]))
    before = {record.identity.run_id for record in records(paths)}
    run_plan(paths, plan)
    after = {record.identity.run_id for record in records(paths)}
    assert before == after and only_batch(paths, plan).state().is_complete


def by_the_dead(journal: bytes) -> bytes:
    """Make a journal's owner one that no longer runs."""
    own = owner.current()
    return journal.replace(str(own).encode(), str(replace(own, started=1)).encode())


def test_without_its_journal_a_batch_still_knows_its_runs(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [NOP] * 3)
    batch = run_plan(paths, plan).batch
    batch.journal.unlink()
    assert run_plan(paths, plan).end is End.COMPLETE
    assert len(records(paths)) == 3


def test_nothing_that_a_batch_started_still_runs(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    ended = run_plan(paths, plan_of(paths, ["fake-lingering-child", NOP]))
    assert [pid for pid, found in mark.marked() if found.batch_id == ended.batch.id] == []
    linger = next(r for r in records(paths) if "lingering" in r.identity.model)
    assert any("sleep 86400" in warning for warning in linger.warnings)


def wait_for(is_true, seconds: float = 15.0) -> None:  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_true():
            return
        time.sleep(0.02)
    raise AssertionError("did not come true in time")

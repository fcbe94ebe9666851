import multiprocessing
import os
import shutil
import time

import pytest
from builders.pools import add_run, cells, fill_pool, identity, metrics
from lab.domain.metric import Reason, measured, missing
from lab.paths import LabPaths
from lab.store.index import load
from lab.store.pool import Pool, PoolFault
from lab.store.run_files import Unreadable, write_metrics


@pytest.fixture
def paths(tmp_path):
    return LabPaths(tmp_path)


def run(number, **changes):
    return identity(f"2026-05-01_10-00-{number:02d}_k_w_m", **changes)


def test_a_pool_that_does_not_exist_is_empty(paths):
    pool = Pool(paths)
    assert (pool.identities(), pool.faults(), pool.alike()) == ((), (), ())
    assert not paths.runs.exists()


def test_identities_are_sorted_and_equal_to_what_was_published(paths):
    runs = [run(number, model=f"m{number % 2}", exit_reason="ok") for number in (3, 1, 2)]
    for one in runs:
        add_run(paths, one, metrics())
    expected = tuple(sorted(runs, key=lambda one: one.run_id))
    assert Pool(paths).identities() == expected
    assert Pool(paths).identities() == expected


def test_an_identity_of_nulls_survives_the_index(paths):
    bare = run(
        1,
        prompt=None,
        stack=None,
        harness=None,
        harness_version=None,
        exit_reason=None,
        completion=None,
        attempts=None,
        started_at=None,
        plan=None,
        hashes=(),
    )
    add_run(paths, bare)
    assert Pool(paths).identities() == (bare,)
    assert Pool(paths).identities() == (bare,)


def test_names_with_underscore_or_dot_are_outside_the_pool(paths):
    for name in ("_archive", "_invalidated_x", ".staging", ".batches"):
        add_run(paths, identity(name), metrics())
    (paths.runs / "README.md").write_text("about runs")
    add_run(paths, run(1), metrics())
    pool = Pool(paths)
    assert (pool.identities(), pool.faults()) == ((run(1),), ())


def test_added_changed_and_removed_runs_are_noticed(paths):
    add_run(paths, run(1), metrics(1))
    add_run(paths, run(2))
    pool = Pool(paths)
    assert len(pool.identities()) == 2
    seen = {pool.generation()}

    add_run(paths, run(3))
    assert len(pool.identities()) == 3
    seen.add(pool.generation())
    write_metrics(paths.run(run(2).run_id), {"tests_total": measured(5, "a@1")})
    pool.refresh()
    assert pool.metrics([run(2).run_id])[run(2).run_id]["tests_total"].value == 5
    seen.add(pool.generation())
    shutil.rmtree(paths.runs / run(1).run_id)
    assert pool.identities() == (run(2), run(3))
    seen.add(pool.generation())
    assert len(seen) == 4


def test_a_change_that_keeps_size_and_time_is_noticed(paths):
    folder = add_run(paths, run(1), {"a": measured(1, "code@1")})
    pool = Pool(paths)
    pool.refresh()
    before = (folder / "metrics.json").stat()
    write_metrics(paths.run(run(1).run_id), {"a": measured(1, "code@2")})
    (folder / "metrics.json").write_text((folder / "metrics.json").read_text())
    content = (folder / "metrics.json").read_bytes()
    (folder / "new").write_bytes(content.ljust(before.st_size)[: before.st_size])
    os.utime(folder / "new", ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(folder / "new", folder / "metrics.json")
    pool.refresh()
    assert pool.measured_by(run(1).run_id) == {"code@2": ("a",)}


def test_a_damaged_record_is_noticed_although_metrics_did_not_change(paths):
    folder = add_run(paths, run(1), metrics())
    pool = Pool(paths)
    assert pool.identities() == (run(1),)
    (folder / "run.json").write_text("{")
    assert pool.identities() == ()
    assert "run.json" in pool.faults()[0].reason


def test_nothing_changed_means_the_same_tokens_and_no_write(paths):
    fill_pool(paths, cells(3), 2)
    first = Pool(paths)
    first.refresh()
    before = paths.index.stat()
    second = Pool(paths)
    second.refresh()
    assert second.generation() == first.generation() != ""
    assert second.fingerprint(second.run_ids()) == first.fingerprint(first.run_ids())
    assert (paths.index.stat().st_mtime_ns, paths.index.stat().st_ino) == (
        before.st_mtime_ns,
        before.st_ino,
    )


def test_a_fingerprint_ignores_other_runs(paths):
    add_run(paths, run(1), metrics(1))
    add_run(paths, run(2), metrics(2))
    pool = Pool(paths)
    one, both = pool.fingerprint([run(1).run_id]), pool.fingerprint(pool.run_ids())
    write_metrics(paths.run(run(2).run_id), metrics(3))
    pool.refresh()
    assert pool.fingerprint([run(1).run_id]) == one
    assert pool.fingerprint(pool.run_ids()) != both


def test_the_index_may_be_deleted_at_any_time(paths):
    fill_pool(paths, cells(2), 2)
    pool = Pool(paths)
    before = pool.identities()
    generation = pool.generation()
    paths.index.unlink()
    assert pool.identities() == before
    assert pool.generation() == generation
    assert paths.index.exists()


def test_an_index_damaged_at_any_place_is_rebuilt(paths):
    fill_pool(paths, cells(2), 2)
    expected = Pool(paths).identities()
    content = paths.index.read_bytes()
    for place in range(0, len(content), 7):
        flipped = bytes([content[place] ^ 1])
        paths.index.write_bytes(content[:place] + flipped + content[place + 1 :])
        assert load(paths.index).rows == {}, place
    for length in range(0, len(content), 11):
        paths.index.write_bytes(content[:length])
        assert Pool(paths).identities() == expected, length
    assert paths.index.read_bytes() == content


@pytest.mark.parametrize("garbage", [b"", b"SQLite format 3\0", b"\n\n", b"agentic-coding-lab\n[]"])
def test_a_foreign_index_is_rebuilt(paths, garbage):
    add_run(paths, run(1))
    paths.index.write_bytes(garbage)
    assert Pool(paths).identities() == (run(1),)


FOREIGN = {
    "torn": b'{"schema_version": 1, "metr',
    "agent's own": b'{"agent": "pi_qwen3", "cycle_count": 7, "predictions_total": 7}',
    "null": b"null",
    "list": b"[1, 2]",
    "empty": b"",
    "not a number": b'{"schema_version": 1, "metrics": {"a": NaN}}',
    "newer": b'{"schema_version": 2, "run_id": "x", "metrics": {}, "missing": {}, "by": {}}',
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_metrics_file_is_reported_and_never_counted(paths, content):
    add_run(paths, run(1), metrics())
    folder = add_run(paths, run(2), metrics())
    pool = Pool(paths)
    assert len(pool.identities()) == 2
    (folder / "metrics.json").write_bytes(content)
    for _ in range(2):
        assert pool.identities() == (run(1),)
        (fault,) = pool.faults()
        assert fault.run_id == run(2).run_id
        assert fault.reason.startswith("metrics.json: ")


def test_a_cut_metrics_file_is_never_counted_wherever_it_is_cut(paths):
    folder = add_run(
        paths, run(1), {"a": measured(1, "x@1"), "b": missing(Reason.NO_SOURCE, "y@1")}
    )
    content = (folder / "metrics.json").read_bytes()
    pool = Pool(paths)
    for length in range(len(content) - 1):
        (folder / "metrics.json").write_bytes(content[:length])
        assert pool.identities() == (), length
        assert len(pool.faults()) == 1


def test_folders_without_a_record_are_reported(paths):
    paths.runs.mkdir(parents=True)
    (paths.runs / "leftover").mkdir()
    (paths.runs / "link").symlink_to("/nowhere")
    copy = add_run(paths, run(1), metrics())
    shutil.copytree(copy, paths.runs / "copy of it")
    pool = Pool(paths)
    assert pool.identities() == (run(1),)
    assert [fault.run_id for fault in pool.faults()] == ["copy of it", "leftover", "link"]
    assert pool.faults()[1] == PoolFault("leftover", "run.json: does not exist")
    assert "symbolic link" in pool.faults()[2].reason


def test_a_run_of_the_original_lab_is_told_from_a_leftover(paths):
    folder = paths.runs / "2026-05-03_05-39-00_k_w_m"
    folder.mkdir(parents=True)
    (folder / "metrics.json").write_text('{"kata": "game-of-life-prose"}')
    (fault,) = Pool(paths).faults()
    assert str(fault).startswith(f"runs/{folder.name} is not counted: run.json: does not exist")
    assert "lab import" in fault.reason


def test_a_repaired_run_counts_again(paths):
    folder = add_run(paths, run(1), metrics())
    record = (folder / "run.json").read_bytes()
    (folder / "run.json").unlink()
    pool = Pool(paths)
    assert pool.identities() == ()
    (folder / "run.json").write_bytes(record)
    assert pool.identities() == (run(1),)


@pytest.mark.parametrize("name", ["a\nb", "🎉", "x" * 255, "space and 'quote'", '"', "\x1b[31m"])
def test_any_folder_name_survives(paths, name):
    add_run(paths, identity(name), metrics())
    assert Pool(paths).identities() == (identity(name),)
    assert Pool(paths).identities() == (identity(name),)


def test_a_name_that_is_not_unicode_is_reported(paths):
    paths.runs.mkdir(parents=True)
    os.mkdir(os.fsencode(paths.runs) + b"/\xff\xfe")
    add_run(paths, run(1))
    for _ in range(2):
        pool = Pool(paths)
        assert pool.identities() == (run(1),)
        assert len(pool.faults()) == 1


def test_groups_hold_every_run_once(paths):
    fill_pool(paths, cells(4), 3)
    pool = Pool(paths)
    groups = pool.alike()
    assert len(groups) == 4
    members = [run_id for group in groups for run_id, _ in group.runs]
    assert sorted(members) == list(pool.run_ids())
    by_id = {one.run_id: one for one in pool.identities()}
    for group in groups:
        assert {by_id[run_id].model for run_id, _ in group.runs} == {group.first.model}
        assert all(by_id[run_id].started_at == start for run_id, start in group.runs)


def test_metrics_of_a_run_without_any_are_empty(paths):
    add_run(paths, run(1))
    add_run(paths, run(2), metrics(5))
    found = Pool(paths).metrics([run(1).run_id, run(2).run_id])
    assert dict(found[run(1).run_id]) == {}
    assert dict(found[run(2).run_id]) == metrics(5)


def test_metrics_read_while_indexing_are_not_read_again(paths):
    folder = add_run(paths, run(1), metrics(5))
    add_run(paths, run(2))
    pool = Pool(paths)
    pool.refresh_with_metrics()
    content = (folder / "metrics.json").read_bytes()
    (folder / "metrics.json").unlink()
    found = pool.metrics(pool.run_ids())
    assert dict(found[run(1).run_id]) == metrics(5)
    assert dict(found[run(2).run_id]) == {}
    (folder / "metrics.json").write_bytes(content)
    pool.refresh_with_metrics()
    pool.refresh_with_metrics()
    assert dict(pool.metrics([run(1).run_id])[run(1).run_id]) == metrics(5)


def test_metrics_that_broke_after_the_look_are_a_clear_fault(paths):
    folder = add_run(paths, run(1), metrics())
    pool = Pool(paths)
    pool.refresh()
    (folder / "metrics.json").write_text("{")
    with pytest.raises(Unreadable, match=r"metrics\.json"):
        pool.metrics([run(1).run_id])


def test_a_pool_that_cannot_be_written_is_indexed_in_memory(paths, monkeypatch):
    """The folder's mode does not stop root, so the disk's refusal is played here."""
    import errno

    def refuse(descriptor):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    add_run(paths, run(1), metrics())
    monkeypatch.setattr("lab.store.atomic.os.fsync", refuse)
    pool = Pool(paths)
    assert pool.identities() == (run(1),)
    assert pool.generation() != ""
    assert sorted(os.listdir(paths.runs)) == [run(1).run_id]


def _read_often(root, count, seen):
    paths = LabPaths(root)
    for _ in range(count):
        pool = Pool(paths)
        ids = [one.run_id for one in pool.identities()]
        if ids != sorted(set(ids)) or pool.faults():
            seen.put(f"wrong: {len(ids)} runs, {pool.faults()}")
            return
        seen.put(len(ids))
        time.sleep(0.002)


def _publish_many(root, count):
    from lab.store.publish import publish

    paths = LabPaths(root)
    for number in range(count):
        add_run(LabPaths(root / "elsewhere"), run(number), metrics(number))
        paths.staging.mkdir(parents=True, exist_ok=True)
        source = LabPaths(root / "elsewhere").runs / run(number).run_id
        os.rename(source, paths.staging / run(number).run_id)
        publish(paths, run(number).run_id)
        Pool(paths).refresh()
        if number % 7 == 3:
            paths.index.unlink(missing_ok=True)


def test_two_readers_and_a_writer_that_also_deletes_the_index_never_disagree(paths):
    context = multiprocessing.get_context("spawn")
    seen = context.Queue()
    paths.runs.mkdir(parents=True)
    readers = [context.Process(target=_read_often, args=(paths.root, 60, seen)) for _ in range(2)]
    writer = context.Process(target=_publish_many, args=(paths.root, 40))
    for process in (*readers, writer):
        process.start()
    counts = [seen.get(timeout=60) for _ in range(120)]
    for process in (*readers, writer):
        process.join(60)
        assert process.exitcode == 0
    assert [count for count in counts if isinstance(count, str)] == []
    assert len(Pool(paths).identities()) == 40

import os

import pytest
from builders.pools import identity, metrics, record
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store import publish as module
from lab.store.pool import Pool
from lab.store.publish import publish
from lab.store.run_files import write_metrics, write_record


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours runs after it."""


@pytest.fixture
def paths(tmp_path):
    return LabPaths(tmp_path)


def stage(paths, run_id):
    run = paths.staged(run_id)
    run.folder.mkdir(parents=True)
    write_record(run, record(identity(run_id)))
    write_metrics(run, metrics())
    (run.workspace / "src").mkdir(parents=True)
    (run.workspace / "src" / "x.py").write_text("x = 1\n")
    (run.workspace / "link").symlink_to("/nowhere")
    os.mkfifo(run.workspace / "pipe")
    (run.workspace / "secret").write_text("s")
    (run.workspace / "secret").chmod(0)
    return run


def content(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_published_run_holds_all_that_was_staged(paths):
    staged = stage(paths, "r1")
    before = content(staged.folder)
    run = publish(paths, "r1")
    assert run == paths.run("r1")
    assert content(run.folder) == before
    assert not staged.folder.exists()


def test_a_published_run_is_never_overwritten(paths):
    stage(paths, "r1")
    publish(paths, "r1")
    stage(paths, "r1")
    (paths.staged("r1").folder / "run.json").write_text("other")
    with pytest.raises(LabError, match="already published"):
        publish(paths, "r1")
    assert Pool(paths).identities() == (identity("r1"),)
    assert paths.staged("r1").folder.is_dir()


def _no_sync(_):
    return False


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("/x")])
def test_whatever_stands_in_the_way_is_kept(paths, make):
    stage(paths, "r1")
    make(paths.runs / "r1")
    with pytest.raises(LabError, match="already published"):
        publish(paths, "r1")


def test_nothing_staged_is_a_clear_line(paths):
    with pytest.raises(LabError, match="nothing is staged"):
        publish(paths, "r1")


@pytest.mark.parametrize(("sync", "least"), [(module.sync_file_system, 4), (_no_sync, 8)])
def test_a_kill_at_any_system_call_leaves_the_run_staged_or_published(
    paths, monkeypatch, sync, least
):
    """Count every sync and the rename; die at each in turn, then publish what is left."""
    stage(paths, "r0")
    calls = _count(monkeypatch, None, sync)
    publish(paths, "r0")
    total = calls[0]
    assert total >= least
    for victim in range(total):
        run_id = f"r{victim + 1}"
        stage(paths, run_id)
        calls = _count(monkeypatch, victim, sync)
        with pytest.raises(Killed):
            publish(paths, run_id)
        monkeypatch.undo()
        is_staged = paths.staged(run_id).folder.exists()
        is_published = run_id in {run.run_id for run in Pool(paths).identities()}
        assert is_staged != is_published, victim
        if is_staged:
            publish(paths, run_id)
    assert len(Pool(paths).identities()) == total + 1
    assert Pool(paths).faults() == ()


def _count(monkeypatch, victim, sync):
    calls = [0]

    def counted(real):
        def call(*arguments, **options):
            if calls[0] == victim:
                raise Killed
            calls[0] += 1
            return real(*arguments, **options)

        return call

    monkeypatch.setattr(module, "sync_file_system", counted(sync))
    monkeypatch.setattr(module.os, "fsync", counted(os.fsync))
    monkeypatch.setattr(module.os, "rename", counted(os.rename))
    return calls


def test_the_whole_file_system_is_durable_before_the_rename(paths, monkeypatch):
    stage(paths, "r1")
    seen = []
    monkeypatch.setattr(module, "sync_file_system", lambda folder: seen.append(folder) or True)
    real_rename = os.rename
    rename = lambda *names: (seen.append("rename"), real_rename(*names))  # noqa: E731
    monkeypatch.setattr(module.os, "rename", rename)
    publish(paths, "r1")
    assert seen == [str(paths.staged("r1").folder), "rename"]


def test_without_that_call_every_file_and_folder_is_durable_before_the_rename(paths, monkeypatch):
    monkeypatch.setattr(module, "sync_file_system", _no_sync)
    staged = stage(paths, "r1")
    seen = []
    real_fsync, real_rename = os.fsync, os.rename

    def fsync(descriptor):
        seen.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real_fsync(descriptor)

    def rename(*arguments):
        seen.append("rename")
        real_rename(*arguments)

    monkeypatch.setattr(module.os, "fsync", fsync)
    monkeypatch.setattr(module.os, "rename", rename)
    publish(paths, "r1")
    before = set(seen[: seen.index("rename")])
    after = paths.run("r1").folder
    regular = {path for path in after.rglob("*") if not path.is_symlink() and path.name != "pipe"}
    assert before == {str(staged.folder / path.relative_to(after)) for path in {*regular, after}}
    assert str(paths.runs) in seen[seen.index("rename") :]

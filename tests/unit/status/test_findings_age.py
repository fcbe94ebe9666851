import os

from builders.repositories import commit, git, repository
from lab.status.findings_age import last_changes

JUNE = 1780315200.0
MAY = JUNE - 31 * 86_400


def write(path, text="findings\n", at=MAY):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def test_a_committed_file_is_as_old_as_its_commit(tmp_path):
    file = write(tmp_path / "research/a/findings.md")
    repository(tmp_path)
    assert last_changes(tmp_path, [file]) == {file: JUNE}


def test_a_later_commit_of_something_else_does_not_make_it_younger(tmp_path):
    file = write(tmp_path / "research/a/findings.md")
    repository(tmp_path)
    write(tmp_path / "other")
    commit(tmp_path, "other", at="2026-08-01T12:00:00+00:00")
    assert last_changes(tmp_path, [file]) == {file: JUNE}


def test_the_newest_commit_counts(tmp_path):
    file = write(tmp_path / "research/a/findings.md")
    repository(tmp_path)
    write(file, "more\n")
    commit(tmp_path, "more", at="2026-06-02T14:00:00+02:00")
    assert last_changes(tmp_path, [file]) == {file: JUNE + 86_400}


def test_an_uncommitted_change_counts_by_its_mtime(tmp_path):
    file = write(tmp_path / "research/a/findings.md")
    repository(tmp_path)
    write(file, "edited\n", at=JUNE + 5)
    assert last_changes(tmp_path, [file]) == {file: JUNE + 5}
    git(tmp_path, "add", "--all")
    assert last_changes(tmp_path, [file]) == {file: JUNE + 5}


def test_a_file_that_was_only_touched_keeps_its_commit(tmp_path):
    file = write(tmp_path / "research/a/findings.md")
    repository(tmp_path)
    os.utime(file, (JUNE + 99, JUNE + 99))
    assert last_changes(tmp_path, [file]) == {file: JUNE}


def test_a_file_git_does_not_know_counts_by_its_mtime(tmp_path):
    repository(tmp_path)
    file = write(tmp_path / "research/a/findings.md", at=MAY)
    assert last_changes(tmp_path, [file]) == {file: MAY}


def test_outside_a_repository_the_mtime_counts(tmp_path):
    file = write(tmp_path / "research/a/findings.md", at=MAY)
    assert last_changes(tmp_path, [file]) == {file: MAY}


def test_an_absent_file_has_no_age(tmp_path):
    repository(tmp_path)
    assert last_changes(tmp_path, [tmp_path / "research/a/findings.md"]) == {}


def test_a_lab_root_inside_a_bigger_repository_is_found(tmp_path):
    file = write(tmp_path / "labs/one/research/a [b] é/findings.md")
    repository(tmp_path)
    root = tmp_path / "labs/one"
    assert last_changes(root, [file]) == {file: JUNE}


def test_a_change_that_came_with_a_merge_is_found(tmp_path):
    file = write(tmp_path / "research/a/findings.md", "one\n")
    repository(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    write(file, "one\ntwo\n")
    commit(tmp_path, "side", at="2026-06-03T12:00:00+00:00")
    git(tmp_path, "checkout", "--quiet", "main")
    write(tmp_path / "other", "x")
    commit(tmp_path, "main", at="2026-06-04T12:00:00+00:00")
    git(tmp_path, "merge", "--quiet", "--no-edit", "side", at="2026-06-05T12:00:00+00:00")
    assert last_changes(tmp_path, [file])[file] in (JUNE + 2 * 86_400, JUNE + 4 * 86_400)


def test_git_is_asked_once_for_all_files(tmp_path, monkeypatch):
    files = [write(tmp_path / f"research/{name}/findings.md", name) for name in "abc"]
    repository(tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    real = next(p for p in os.get_exec_path() if os.access(f"{p}/git", os.X_OK))
    (folder / "git").write_text(f'#!/bin/sh\necho x >> "{tmp_path}/calls"\nexec {real}/git "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert set(last_changes(tmp_path, files).values()) == {JUNE}
    assert (tmp_path / "calls").read_text() == "x\n"

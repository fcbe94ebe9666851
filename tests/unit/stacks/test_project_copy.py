import os
from pathlib import Path

from builders.analysis_jobs import write_files
from lab.stacks import project_copy
from lab.stacks.project_copy import copy_project


def listed(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_own_files_and_empty_folders_are_copied(tmp_path: Path) -> None:
    source = write_files(tmp_path / "a", {"src/x.py": "x = 1\n", "data/y": "y"})
    (source / "empty").mkdir()
    assert copy_project(source, tmp_path / "b") == ()
    assert listed(tmp_path / "b") == ["data", "data/y", "empty", "src", "src/x.py"]
    assert (tmp_path / "b/src/x.py").read_text() == "x = 1\n"


def test_history_caches_and_environments_are_not(tmp_path: Path) -> None:
    names = (".git/HEAD", ".pytest_cache/a", "src/__pycache__/a.pyc", "v/pyvenv.cfg", "v/lib/a.py")
    source = write_files(tmp_path / "a", dict.fromkeys((*names, "src/x.py"), ""))
    assert copy_project(source, tmp_path / "b") == ()
    assert listed(tmp_path / "b") == ["src", "src/x.py"]


def test_links_stay_links_and_lead_nowhere_new(tmp_path: Path) -> None:
    source = write_files(tmp_path / "a", {"x": "1"})
    (source / "to-file").symlink_to("x")
    (source / "to-folder").symlink_to("/etc")
    copy_project(source, tmp_path / "b")
    assert os.readlink(tmp_path / "b/to-folder") == "/etc"
    assert (tmp_path / "b/to-file").read_text() == "1"


def test_a_pipe_is_named_and_left_out(tmp_path: Path) -> None:
    source = write_files(tmp_path / "a", {"x": "1"})
    os.mkfifo(source / "pipe")
    assert copy_project(source, tmp_path / "b") == ("pipe",)


def test_a_huge_file_is_named_and_left_out(tmp_path: Path) -> None:
    source = write_files(tmp_path / "a", {"x": "1"})
    with open(source / "huge", "wb") as file:
        file.truncate(project_copy.FILE_BYTES + 1)
    assert copy_project(source, tmp_path / "b") == ("huge",)


def test_a_read_only_file_can_be_changed_in_the_copy(tmp_path: Path) -> None:
    source = write_files(tmp_path / "a", {"x": "1"})
    (source / "x").chmod(0o555)
    copy_project(source, tmp_path / "b")
    assert (tmp_path / "b/x").stat().st_mode & 0o777 == 0o755

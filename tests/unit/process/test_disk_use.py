"""How much lies in folders: what counts, and that nothing in them can make it fail."""

import os
import shutil
import subprocess
from pathlib import Path

from lab.process.disk_use import DiskUse, allocated


def test_content_counts_and_holes_do_not(tmp_path: Path) -> None:
    (tmp_path / "full").write_bytes(b"x" * 100_000)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    os.symlink("/usr", tmp_path / "link")
    assert 100_000 <= allocated(tmp_path) < 200_000


def test_empty_files_count_too(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert allocated(tmp_path) >= 100 * 512


def test_what_cannot_be_looked_at_harms_nothing(tmp_path: Path) -> None:
    before, top = Path.cwd(), tmp_path / "top"
    top.mkdir()
    os.chdir(top)
    for _ in range(30):
        os.mkdir("n" * 200)
        os.chdir("n" * 200)
    os.chdir(before)
    assert allocated(top) > 0
    assert allocated(tmp_path / "absent") == 0
    subprocess.run(["rm", "-rf", top], check=True)


def test_excess_is_told_with_both_numbers(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent, tmp_path / "copy")
    told = DiskUse((tmp_path,), 1000).excess()
    assert told is not None and told.endswith("bytes in its folders, allowed 1000")
    assert DiskUse((tmp_path,), 1 << 40).excess() is None


def test_looking_again_at_once_is_saved(tmp_path: Path) -> None:
    use = DiskUse((tmp_path,), 1000)
    assert use.excess() is None
    (tmp_path / "x").write_bytes(b"x" * 100_000)
    assert use.excess() is None

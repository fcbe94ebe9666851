"""What an agent may leave in a workspace: taken out, mended or kept, and always told."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.runner.file_tree import DEPTH, PATH_BYTES, Changes, File, FileTree, compare, lay_out

TREE = FileTree((File("a.txt", b"a"), File(".git/HEAD", b"ref: refs/heads/main\n")))
IGNORED = ("cache/", "*.pyc")


def left_by(folder: Path, agent: Callable[[], object]) -> Changes:
    """Let an agent work in a fresh workspace below `folder` and look at what it left."""
    workspace = folder / "work"
    start = lay_out(workspace, [TREE])
    before = Path.cwd()
    os.chdir(workspace)
    try:
        agent()
    finally:
        os.chdir(before)
    return compare(workspace, start, IGNORED)


@pytest.mark.parametrize("place", ["pipe", ".git/pipe", "cache/pipe", "x/y.pyc"])
def test_a_pipe_is_taken_out_wherever_it_hides(tmp_path: Path, place: str) -> None:
    def agent() -> None:
        Path(place).parent.mkdir(exist_ok=True)
        os.mkfifo(place)

    assert left_by(tmp_path, agent).removed == (place,)
    assert not os.path.lexists(tmp_path / "work" / place)


def test_a_socket_is_taken_out(tmp_path: Path) -> None:
    found = left_by(tmp_path, lambda: socket.socket(socket.AF_UNIX).bind("s"))
    assert found.removed == ("s",) and found.paths == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_taken_out(tmp_path: Path) -> None:
    found = left_by(tmp_path, lambda: os.mknod("null", stat.S_IFCHR | 0o666, os.makedev(1, 3)))
    assert found.removed == ("null",)


def test_a_link_is_kept_unread_and_told_where_it_leads_out(tmp_path: Path) -> None:
    def agent() -> None:
        Path("in").mkdir()
        for name, target in (
            ("in/fine", "../a.txt"),
            ("in/up", "../../secret"),
            ("absolute", "/etc/shadow"),
            ("nowhere", "gone"),
        ):
            os.symlink(target, name)

    found = left_by(tmp_path, agent)
    assert found.links_out == (("absolute", "/etc/shadow"), ("in/up", "../../secret"))
    assert found.paths == ("absolute", "in/fine", "in/up", "nowhere")
    assert os.readlink(tmp_path / "work" / "absolute") == "/etc/shadow"


def test_a_file_replaced_by_a_link_to_its_like_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "like").write_text("a")

    def agent() -> None:
        Path("a.txt").unlink()
        os.symlink(tmp_path / "like", "a.txt")

    assert left_by(tmp_path, agent).paths == ("a.txt",)


@pytest.mark.parametrize(
    ("name", "levels", "kept"), [("d", DEPTH + 5, DEPTH), ("n" * 200, 30, PATH_BYTES // 201)]
)
def test_folders_deeper_than_any_path_are_taken_out_and_told(
    tmp_path: Path, name: str, levels: int, kept: int
) -> None:
    def agent() -> None:
        for _ in range(levels):
            os.mkdir(name)
            os.chdir(name)
        Path("x").write_text("x")
        os.chmod(".", 0)

    found = left_by(tmp_path, agent)
    assert found.too_deep == ("/".join([name] * (kept + 1)),)
    assert found.removed == () and found.paths == ()


def test_rights_are_mended_and_counted_and_nobody_becomes_the_owner(tmp_path: Path) -> None:
    def agent() -> None:
        Path("locked").mkdir()
        Path("locked/x").write_text("x")
        Path("tool").write_text("#!/bin/sh\n")
        os.chmod("locked/x", 0)
        os.chmod("locked", 0)
        os.chmod("tool", 0o6755)
        os.chmod(".", 0o500)

    found = left_by(tmp_path, agent)
    work = tmp_path / "work"
    modes = {name: stat.S_IMODE((work / name).stat().st_mode) for name in ("locked", "tool")}
    assert modes["tool"] == 0o755 and modes["locked"] & 0o700 == 0o700
    assert stat.S_IMODE(work.stat().st_mode) & 0o700 == 0o700
    assert (work / "locked" / "x").read_text() == "x" and found.mended == 4


def test_private_files_are_no_sign_of_anything(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        found = left_by(tmp_path, lambda: Path("b.txt").write_text("b"))
    finally:
        os.umask(before)
    assert (found.paths, found.mended) == (("b.txt",), 0)


@pytest.mark.parametrize(
    "name", [b"a\nb", "\N{BUG}".encode(), b"n" * 255, b"\xff\xfe", b"-rf", b" ", b"\x1b[31m"]
)
def test_a_name_of_any_bytes_survives(tmp_path: Path, name: bytes) -> None:
    found = left_by(tmp_path, lambda: Path(os.fsdecode(name)).write_text("x"))
    assert found.paths == (os.fsdecode(name),)
    assert name in os.listdir(os.fsencode(tmp_path / "work"))


def test_a_sparse_file_is_a_change_like_any_other_and_is_not_read(tmp_path: Path) -> None:
    def agent() -> None:
        with open("sparse", "wb") as file:
            file.truncate(1 << 40)

    assert left_by(tmp_path, agent).paths == ("sparse",)
    assert (tmp_path / "work" / "sparse").stat().st_blocks == 0

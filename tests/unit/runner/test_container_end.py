"""The note that a container's script leaves: read as far as it can be believed."""

import os
from pathlib import Path

import pytest
from lab.runner.container_end import NOTE, Told, read


def test_what_was_left_and_refused_is_read_and_the_note_goes(tmp_path: Path) -> None:
    (tmp_path / NOTE).write_text("left sleep\nleft a b\nrefused 12\nrefused 0\n")
    assert read(tmp_path) == Told(("sleep", "a b"), 12)
    assert read(tmp_path) == Told()


@pytest.mark.parametrize("text", [b"\xff\0\nleft\nrefused many\nrefused -3\n", b""])
def test_a_note_of_anything_harms_nothing(tmp_path: Path, text: bytes) -> None:
    (tmp_path / NOTE).write_bytes(text)
    assert read(tmp_path).refused == 0


def test_a_link_or_a_pipe_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("left secret\n")
    os.symlink("secret", tmp_path / NOTE)
    assert read(tmp_path) == Told()
    (tmp_path / NOTE).unlink()
    os.mkfifo(tmp_path / NOTE)
    assert read(tmp_path) == Told()

"""Temporary folders: who owns them is known from the moment they bear their name."""

import tempfile
from pathlib import Path

import pytest
from lab.process import owner
from lab.runner import scratch


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_names_its_owner_and_goes_away_with_him() -> None:
    own = scratch.Scratch()
    folder = own.folder()
    assert owner.is_alive((folder / scratch.OWNER_FILE).read_text(encoding="ascii"))
    assert own.folder() == folder
    assert scratch.abandoned() == ()
    own.close()
    assert not folder.exists()


def test_a_folder_never_bears_its_name_without_an_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment in which another process's clean-up would take it away must not exist."""
    seen: list[tuple[Path, ...]] = []
    write = Path.write_text

    def look_first(path: Path, text: str, encoding: str) -> int:
        seen.append(scratch.abandoned())
        return write(path, text, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", look_first)
    scratch.Scratch().folder()
    assert seen == [()]


def test_what_a_dead_owner_left_is_removed(own_temporary_folder: Path) -> None:
    left = own_temporary_folder / f"{scratch.PREFIX}left"
    left.mkdir()
    (left / scratch.OWNER_FILE).write_text("0:1:1", encoding="ascii")
    assert scratch.remove_abandoned() == (str(left),)
    assert not left.exists()

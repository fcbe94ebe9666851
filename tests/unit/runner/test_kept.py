"""What of a failed attempt is kept, which transcripts are taken, and that all can be removed."""

import os
import tarfile
from pathlib import Path

from lab.runner import kept


def names_in(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return sorted(tar.getnames())


def test_no_device_and_no_huge_file_is_packed_and_a_link_stays_a_link(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a").write_text("a")
    os.mkfifo(work / "pipe")
    os.symlink("/etc/shadow", work / "link")
    with (work / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    kept.keep(tmp_path / "kept", (work,))
    archive = tmp_path / "kept" / kept.ARCHIVE
    assert names_in(archive) == ["work", "work/a", "work/link"]
    assert archive.stat().st_size < 10_000 and not work.exists()


def test_a_folder_too_deep_and_closed_is_removed(tmp_path: Path) -> None:
    top, before = tmp_path / "top", Path.cwd()
    top.mkdir()
    os.chdir(top)
    try:
        for _ in range(30):
            os.mkdir("n" * 200)
            os.chdir("n" * 200)
        os.chmod(".", 0)
    finally:
        os.chdir(before)
    os.chmod(top, 0)
    kept.remove(top)
    assert not top.exists()


def test_only_plain_files_of_the_agents_own_state_are_transcripts(tmp_path: Path) -> None:
    state, secret = tmp_path / "state", tmp_path / "secret"
    secret.mkdir()
    (secret / "s.jsonl").write_text("secret")
    (state / "own").mkdir(parents=True)
    good = state / "own" / "s.jsonl"
    good.write_text("mine")
    os.symlink(secret, state / "folder")
    os.symlink(secret / "s.jsonl", state / "file.jsonl")
    os.mkfifo(state / "pipe.jsonl")
    with (state / "huge.jsonl").open("wb") as file:
        file.truncate(1 << 40)
    found = (
        good,
        state / "folder" / "s.jsonl",
        *(state / f"{name}.jsonl" for name in ("file", "pipe", "huge")),
    )
    assert kept.ordinary(state, found) == (good,)
    kept.copy_transcripts(tmp_path / "run", state, (good,))
    assert (tmp_path / "run" / kept.TRANSCRIPTS / "own" / "s.jsonl").read_text() == "mine"

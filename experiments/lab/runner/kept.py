"""What a failed attempt leaves: one compressed archive beside the run, and the transcripts."""

import os
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

ARCHIVE = "attempt.tar.gz"
TRANSCRIPTS = "transcript"
TRANSCRIPT_BYTES = 256 << 20
PACKED_BYTES = 64 << 20


def keep(folder: Path, sources: tuple[Path, ...]) -> None:
    """Pack files and folders into one archive, links as links, and remove them.

    Nothing is followed; sockets, pipes, devices and files of more than PACKED_BYTES are left out.
    """
    folder.mkdir(parents=True)
    with tarfile.open(folder / ARCHIVE, "w:gz", compresslevel=1) as archive:
        for source in sources:
            if os.path.lexists(source):
                archive.add(source, source.name, filter=_ordinary)
    for source in sources:
        remove(source)


def _ordinary(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    is_packed = member.isreg() and member.size <= PACKED_BYTES
    return member if is_packed or member.isdir() or member.issym() else None


def remove(path: Path) -> None:
    """Remove a file or a whole folder, even where an agent took our right to do so."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        try:
            shutil.rmtree(path)
        except (OSError, RecursionError):
            remove_tree(path)


def remove_tree(folder: Path) -> None:
    """Remove a folder with closed folders in it, or so deep that no path can name its ground."""
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*command, "--", folder], stderr=subprocess.DEVNULL, check=False)
    if os.path.lexists(folder):
        raise OSError(f"{folder}: could not be removed")


def ordinary(state: Path, transcripts: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return those that really are files below the state folder, and not too large to copy."""
    root = os.path.realpath(state)
    return tuple(path for path in transcripts if _is_own_file(root, state, path))


def _is_own_file(root: str, state: Path, path: Path) -> bool:
    found = os.lstat(path)
    own = os.path.join(root, path.relative_to(state))
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_size <= TRANSCRIPT_BYTES
        and os.path.realpath(path) == own
    )


def copy_transcripts(run_folder: Path, state: Path, transcripts: tuple[Path, ...]) -> None:
    """Copy an agent's session files (as `ordinary` returns them) into the run."""
    for source in transcripts:
        target = run_folder / TRANSCRIPTS / source.relative_to(state)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target, follow_symlinks=False)

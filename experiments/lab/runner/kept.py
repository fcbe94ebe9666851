"""What a failed attempt leaves: one compressed archive beside the run, and the transcripts."""

import os
import shutil
import stat
import tarfile
from pathlib import Path

ARCHIVE = "attempt.tar.gz"
TRANSCRIPTS = "transcript"


def keep(folder: Path, sources: tuple[Path, ...]) -> None:
    """Pack files and folders into one archive, links as links, and remove them.

    Nothing is followed; sockets, pipes and devices are left out.
    """
    folder.mkdir(parents=True)
    with tarfile.open(folder / ARCHIVE, "w:gz", compresslevel=1) as archive:
        for source in sources:
            if os.path.lexists(source):
                archive.add(source, source.name, filter=_ordinary)
    for source in sources:
        remove(source)


def _ordinary(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return member if member.isreg() or member.isdir() or member.issym() else None


def remove(path: Path) -> None:
    """Remove a file or a whole folder, even where an agent took our right to do so."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path, onerror=_open_up)


def _open_up(function: object, path: str, _: object) -> None:
    """Give ourselves the folder's rights and try again."""
    os.chmod(os.path.dirname(path), stat.S_IRWXU)
    if os.path.isdir(path) and not os.path.islink(path):
        os.chmod(path, stat.S_IRWXU)
        shutil.rmtree(path)
    else:
        os.unlink(path)


def copy_transcripts(run_folder: Path, state: Path, transcripts: tuple[Path, ...]) -> None:
    """Copy an agent's session files into the run; a link or a device is passed by."""
    for source in transcripts:
        if not stat.S_ISREG(os.lstat(source).st_mode):
            continue
        target = run_folder / TRANSCRIPTS / source.relative_to(state)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target, follow_symlinks=False)

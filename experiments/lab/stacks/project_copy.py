"""A project's own files copied for measuring: what runs there cannot change the run."""

import os
import shutil
import stat
from pathlib import Path

SKIPPED_FOLDERS = frozenset({".git", ".hg", "__pycache__", "node_modules", "target"})
SKIPPED_SUFFIXES = ("_cache",)
VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
FILE_BYTES = 64 << 20


def copy_project(source: Path, target: Path) -> tuple[str, ...]:
    """Copy a workspace without caches, history and environments; return what was left out.

    Links are copied as links. Devices, pipes, sockets, unreadable and huge files are left out and
    named, relative to the workspace.
    """
    target.mkdir(parents=True)
    left_out: list[str] = []
    for folder, folders, files in os.walk(source, onerror=_raise):
        place = Path(folder)
        links = [name for name in folders if (place / name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and _is_kept(place / name)]
        for name in folders:
            (target / place.relative_to(source) / name).mkdir()
        for name in (*files, *links):
            path = place / name
            relative = path.relative_to(source)
            if not _copy_file(path, target / relative):
                left_out.append(relative.as_posix())
    return tuple(sorted(left_out))


def _raise(error: OSError) -> None:
    raise error


def _is_kept(folder: Path) -> bool:
    return not (
        folder.name in SKIPPED_FOLDERS
        or (folder.name.startswith(".") and folder.name.endswith(SKIPPED_SUFFIXES))
        or (folder / VIRTUAL_ENVIRONMENT).is_file()
    )


def _copy_file(path: Path, target: Path) -> bool:
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        target.symlink_to(os.readlink(path))
        return True
    is_plain = stat.S_ISREG(state.st_mode) and state.st_size <= FILE_BYTES
    if not is_plain or not os.access(path, os.R_OK):
        return False
    shutil.copyfile(path, target)
    target.chmod(stat.S_IMODE(state.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
    return True

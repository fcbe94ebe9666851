"""The originals as an imported lab root keeps them: what the report looks at."""

from collections.abc import Iterator

from lab.importing.original import Original, read_original
from lab.importing.root import ORIGINAL
from lab.paths import LabPaths
from lab.store.foreign import Unreadable


def read_originals(paths: LabPaths) -> tuple[dict[str, Original], tuple[tuple[str, str], ...]]:
    """Return the originals by run id, sorted, and the folders whose file is no run, with why."""
    found: dict[str, Original] = {}
    unreadable = []
    for run_id in _names(paths):
        try:
            found[run_id] = read_original(paths.run(run_id).folder / ORIGINAL, run_id)
        except Unreadable as error:
            unreadable.append((run_id, error.reason))
    return found, tuple(unreadable)


def _names(paths: LabPaths) -> Iterator[str]:
    for folder in sorted(paths.runs.iterdir()):
        if folder.name[0] not in "_." and folder.is_dir():
            yield folder.name

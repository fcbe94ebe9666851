"""Removing broken runs from the pool: under its lock, in one commit of exactly these paths."""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.domain.catalogue import Catalogue
from lab.domain.question import ResearchQuestion
from lab.errors import LabError, ToolFailed
from lab.paths import LabPaths
from lab.process.git import git
from lab.runner.broken import Broken, find_broken
from lab.store.lock import PATIENCE_SECONDS, live_batches, pool_lock

DELETED = ".deleted"
UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
PATHS_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")
Aggregate = Callable[[ResearchQuestion], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a clean did. `commit` is None where git tracked nothing of it; `notes` what it skipped.

    `files` are the rewritten files of questions.
    """

    broken: Broken
    files: tuple[Path, ...]
    commit: str | None
    notes: tuple[str, ...]


def clean(
    paths: LabPaths,
    questions: Iterable[ResearchQuestion],
    catalogue: Catalogue,
    aggregate: Aggregate,
    *,
    patience_seconds: float = PATIENCE_SECONDS,
) -> Cleaned:
    """Remove the broken runs, re-aggregate what selected them, and commit these paths alone.

    Holds the pool's lock throughout. LabError while a batch is live or git could not commit;
    nothing is removed then.
    """
    with pool_lock(paths, exclusive=True, patience_seconds=patience_seconds):
        _refuse_live(paths)
        broken = find_broken(paths, questions, catalogue)
        if not broken.runs:
            return Cleaned(broken, (), None, ())
        _refuse_unready(paths)
        for run in broken.runs:
            remove_run(paths, run.run_id)
        files, notes = _aggregate(broken.questions, aggregate)
        notes += [_skipped(question) for question in broken.archived]
        commit = _commit(paths, broken, files)
    return Cleaned(broken, tuple(files), commit, tuple(notes))


def remove_run(paths: LabPaths, run_id: str) -> None:
    """Take a run out of the pool in one rename, then delete it; hold the pool's lock."""
    place = paths.staging / DELETED / run_id
    place.parent.mkdir(parents=True, exist_ok=True)
    _delete_tree(place)
    os.rename(paths.runs / run_id, place)
    _delete_tree(place)


def _delete_tree(folder: Path) -> None:
    """Delete a folder, those included that an agent made unwritable."""
    if not folder.exists():
        return
    for path, names, _ in os.walk(folder):
        os.chmod(path, stat.S_IRWXU)
        for name in names:
            inside = os.path.join(path, name)
            if not os.path.islink(inside):
                os.chmod(inside, stat.S_IRWXU)
    shutil.rmtree(folder)


def _refuse_live(paths: LabPaths) -> None:
    live = live_batches(paths)
    if live:
        raise LabError(
            f"a batch is live ({', '.join(live)}): wait for it (lab watch) or drain it first"
        )


def _refuse_unready(paths: LabPaths) -> None:
    """Refuse before anything is removed where the commit could not be made afterwards."""
    folder = Path(os.fsdecode(git(paths.root, "rev-parse", "--absolute-git-dir").strip()))
    if any((folder / name).exists() for name in UNDER_WAY):
        raise LabError(f"{paths.root}: a merge or rebase is under way in git: finish it first")
    try:
        git(paths.root, "var", "GIT_COMMITTER_IDENT")
    except ToolFailed as error:
        raise LabError(f"git does not know who commits: {error.output.strip()}") from None


def _aggregate(
    questions: Iterable[ResearchQuestion], aggregate: Aggregate
) -> tuple[list[Path], list[str]]:
    files: list[Path] = []
    notes: list[str] = []
    for question in questions:
        try:
            files += aggregate(question)
        except LabError as error:
            notes += [f"{question.id} is not re-aggregated: {fault}" for fault in error.faults]
    return files, notes


def _skipped(question: ResearchQuestion) -> str:
    return f"{question.id} is not re-aggregated: it names an archived workflow"


def _commit(paths: LabPaths, broken: Broken, files: Sequence[Path]) -> str | None:
    """Commit the removed runs and the rewritten files, whatever else is staged or changed."""
    removed = [paths.runs / run.run_id for run in broken.runs if run.is_tracked]
    kept = [file for file in files if not _is_ignored(paths, file)]
    names = [os.fsencode(path.relative_to(paths.root)) for path in (*removed, *kept)]
    if not names:
        return None
    listed = b"\0".join(names)
    try:
        git(paths.root, "add", "--all", *PATHS_FROM_STDIN, stdin=listed)
        git(
            paths.root,
            "commit",
            "--quiet",
            "--only",
            "-m",
            _message(broken),
            *PATHS_FROM_STDIN,
            stdin=listed,
        )
    except ToolFailed as error:
        raise LabError(
            f"the runs are removed, but git did not commit: {error.output.strip()}; "
            "mend that and commit by hand, or bring the runs back with git restore"
        ) from None
    return git(paths.root, "rev-parse", "HEAD").decode().strip()


def _is_ignored(paths: LabPaths, file: Path) -> bool:
    name = os.fsdecode(file.relative_to(paths.root))
    return not git(
        paths.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", name
    )


def _message(broken: Broken) -> str:
    count = len(broken.runs)
    subject = f"data(runs): remove {count} broken run{'s' if count != 1 else ''}"
    return "\n".join((subject, "", *_lines(broken)))


def _lines(broken: Broken) -> Iterator[str]:
    for run in broken.runs:
        yield f"{run.run_id}: {run.reason}"

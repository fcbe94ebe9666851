"""What a run started now would record, and whether a cell would take it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from lab.domain.catalogue import Workflow
from lab.domain.cell import Cell, matches_version
from lab.domain.question import UNRECORDED
from lab.paths import LabPaths
from lab.store.hashes import prompt_sha, suite_sha, template_sha, workflow_sha

SHOWN = 12


@dataclass(frozen=True, slots=True)
class FreshRun:
    """The provenance of a run started now.

    `harness_version` None and hashes that are not listed are known only when the run is over; a
    listed hash with None stays unrecorded, because there is nothing to hash.
    """

    harness_version: str | None
    hashes: tuple[tuple[str, str | None], ...]


Stamp = Callable[[Cell, Workflow], FreshRun]


def stamper(paths: LabPaths, version_of: Callable[[str], str | None]) -> Stamp:
    """Make the function that tells what a fresh run of a cell under a workflow would record.

    `version_of` gives a harness's current version, None where only a run can tell.
    """

    @cache
    def stamp(kata: str, kata_base: str, stack: str | None, folder: str, harness: str) -> FreshRun:
        return FreshRun(
            version_of(harness),
            (
                ("prompt_sha", prompt_sha(paths, kata)),
                ("workflow_sha", workflow_sha(paths, folder)),
                ("template_sha", template_sha(paths, stack) if stack else None),
                ("suite_sha", suite_sha(paths, kata_base)),
            ),
        )

    return lambda cell, workflow: stamp(
        cell.kata, cell.kata_base, cell.stack, workflow.folder, workflow.harness
    )


def refusal(cell: Cell, fresh: FreshRun) -> str | None:
    """Say why a cell would not take a fresh run; None where it would, or where none can tell."""
    wanted = cell.harness_version
    if wanted == UNRECORDED:
        return "it takes runs without a recorded harness_version only, and fresh runs record theirs"
    if wanted and fresh.harness_version and not matches_version(wanted, fresh.harness_version):
        return f"it is pinned to harness_version {wanted}, now it is {fresh.harness_version}"
    current = dict(fresh.hashes)
    for name, value in cell.hashes:
        if name in current and current[name] != value:
            now = (current[name] or "nothing")[:SHOWN]
            return f"it is pinned to {name} {value[:SHOWN]}, now it is {now}"
    return None

"""A solution tape: a kata solved in small steps, kept as plain files."""

import json
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError

Files = tuple[tuple[str, bytes], ...]
SCHEMA_VERSION = 1
MANIFEST = "tape.json"
VERIFICATION = "verification"
PARTS = ("test", "inactive", "passing", "stub", "code", "wrong", "cleanup")
REQUIRED_PARTS = ("test", "inactive", "code")


@dataclass(frozen=True, slots=True)
class Step:
    """One behaviour: its test, the code that makes it pass, and what some manners need besides.

    Each part maps paths of the workspace to whole files. `inactive` is the test as an entry of a
    test list, `passing` a test that the finished step already satisfies, `stub` a new module that
    lets the test compile and fail, `wrong` an attempt that misses, `cleanup` the tidied code.
    """

    name: str
    test: Files
    inactive: Files
    passing: Files
    stub: Files
    code: Files
    wrong: Files
    cleanup: Files

    @property
    def finished(self) -> Files:
        """Return the step's code as its clean-up leaves it."""
        return overlay(self.code, self.cleanup)


@dataclass(frozen=True, slots=True)
class Tape:
    """The steps in order; `verification` confirms the finished solution with further tests.

    `environment` holds the variables that make fast successive edits safe on this stack.
    """

    kata_base: str
    stack: str
    environment: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    verification: Files

    @property
    def solution(self) -> Files:
        """Return the production files after the last step."""
        return overlay(*(step.finished for step in self.steps))

    @property
    def tests(self) -> Files:
        return overlay(*(step.test for step in self.steps))

    @property
    def test_list(self) -> Files:
        """Return every test as an inactive entry."""
        return overlay(*(step.inactive for step in self.steps))


EMPTY = Tape(kata_base="", stack="", environment=(), steps=(), verification=())


def overlay(*layers: Files) -> Files:
    """Lay files over each other: a later layer replaces a path of an earlier one."""
    merged: dict[str, bytes] = {}
    for layer in layers:
        merged.update(layer)
    return tuple(sorted(merged.items()))


def read_tape(folder: Path) -> Tape:
    """Read the tape in <kata>/<stack>/: tape.json, and one folder per step in name order.

    Raises LabError with all faults.
    """
    environment, faults = _read_manifest(folder / MANIFEST)
    folders = sorted(entry for entry in folder.glob("*") if entry.is_dir())
    steps = tuple(_read_step(entry) for entry in folders if entry.name != VERIFICATION)
    faults += [] if steps else [f"{folder}: no steps: each is a folder such as 01-empty-world"]
    faults += [fault for step in steps for fault in _step_faults(folder / step.name, step)]
    if faults:
        raise LabError(faults)
    return Tape(
        kata_base=folder.parent.name,
        stack=folder.name,
        environment=environment,
        steps=steps,
        verification=_read_files(folder / VERIFICATION),
    )


def _read_manifest(path: Path) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    if not path.is_file():
        return (), [f"{path}: no such file: a tape needs schema_version and environment there"]
    try:
        document: object = json.loads(path.read_bytes())
    except ValueError as error:
        return (), [f"{path}: not JSON: {error}"]
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        return (), [f"{path}: needed an object with schema_version {SCHEMA_VERSION}"]
    pairs = document.get("environment", {})
    if not isinstance(pairs, dict) or not all(isinstance(value, str) for value in pairs.values()):
        return (), [f"{path}: environment: needed a mapping of names to text"]
    return tuple(sorted(pairs.items())), []


def _read_step(folder: Path) -> Step:
    return Step(folder.name, **{part: _read_files(folder / part) for part in PARTS})


def _read_files(folder: Path) -> Files:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_cache(path))
    return tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in found)


def _is_cache(path: Path) -> bool:
    return "__pycache__" in path.parts


def _step_faults(folder: Path, step: Step) -> list[str]:
    faults = [
        f"{folder}/{part}: a step needs files there"
        for part in REQUIRED_PARTS
        if not getattr(step, part)
    ]
    unknown = sorted({entry.name for entry in folder.iterdir()} - set(PARTS))
    faults += [f"{folder}/{name}: unknown part; allowed: {', '.join(PARTS)}" for name in unknown]
    if dict(step.test).keys() != dict(step.inactive).keys():
        faults.append(f"{folder}: test and inactive must hold the same paths")
    if not dict(step.wrong).keys() <= dict(step.finished).keys():
        faults.append(f"{folder}/wrong: only paths that code or cleanup writes can be mended")
    return faults

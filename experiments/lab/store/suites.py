"""katas/<base>-verification/: the acceptance suite of a kata, read for one stack."""

import json
import shlex
from pathlib import Path
from typing import Any

from lab.domain.acceptance import AcceptanceSuite, Scenario
from lab.errors import LabError
from lab.store.schema import check

RUNNER = "runner.json"
SCENARIOS = "scenarios"
INPUT = ".input.json"
EXPECTED = ".expected.json"
DEFAULT_TIMEOUT_SECONDS = 30.0
ADAPTER = ".verification-adapter"


def read_suite(folder: Path, stack: str) -> AcceptanceSuite:
    """Read a suite, links followed; LabError names every fault, an absent scenario above all."""
    runner = _read_runner(folder / RUNNER)
    command = runner.get("commands", {}).get(stack, runner.get("command"))
    return AcceptanceSuite(
        scenarios=_scenarios(folder / SCENARIOS),
        timeout_seconds=float(runner.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS)),
        command=_words(command),
        adapter=_adapter(folder, runner.get("adapter"), stack),
    )


def _read_runner(path: Path) -> dict[str, Any]:
    document = _json(path)
    faults = check("suite-runner", document, str(path))
    if faults:
        raise LabError(faults)
    runner: dict[str, Any] = document
    return runner


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise LabError(f"{path}: not JSON: {error}") from error


def _text(path: Path) -> str:
    """Read a file as UTF-8; a link that leads nowhere is named with its target."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        target = f" (links to {path.readlink()})" if path.is_symlink() else ""
        raise LabError(f"{path}{target}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path}: not UTF-8: {error.reason}") from error


def _words(command: str | list[str] | None) -> tuple[str, ...] | None:
    if command is None:
        return None
    return tuple(shlex.split(command) if isinstance(command, str) else command)


def _adapter(
    folder: Path, named: str | dict[str, str] | None, stack: str
) -> tuple[str, str] | None:
    """Return the name that the adapter gets in the workspace (as in the seed), and its text."""
    name = named.get(stack) if isinstance(named, dict) else named
    if name is None:
        return None
    path = folder / name
    return f"{ADAPTER}{path.suffix}", _text(path)


def _scenarios(folder: Path) -> tuple[Scenario, ...]:
    """Pair the files by name; a suite without scenarios is a fault, never a suite of 0."""
    if not folder.is_dir():
        target = f" (links to {folder.readlink()})" if folder.is_symlink() else ""
        raise LabError(f"{folder}{target}: no such folder; a suite needs NN-name{INPUT} files")
    names = sorted(path.name for path in folder.iterdir())
    inputs = {name.removesuffix(INPUT) for name in names if name.endswith(INPUT)}
    expected = {name.removesuffix(EXPECTED) for name in names if name.endswith(EXPECTED)}
    faults = [f"{folder}: {name}{EXPECTED} is missing" for name in sorted(inputs - expected)]
    faults += [f"{folder}: {name}{INPUT} is missing" for name in sorted(expected - inputs)]
    if not names or not inputs | expected:
        faults.append(f"{folder}: no scenario; a suite needs NN-name{INPUT} files")
    if faults:
        raise LabError(faults)
    return tuple(_scenario(folder, name) for name in sorted(inputs))


def _scenario(folder: Path, name: str) -> Scenario:
    _json(folder / f"{name}{EXPECTED}")
    return Scenario(name, _text(folder / f"{name}{INPUT}"), _text(folder / f"{name}{EXPECTED}"))

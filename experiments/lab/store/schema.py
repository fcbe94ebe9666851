"""The JSON Schemas of all written files: find one, and check a document against it."""

import difflib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.store.quick_schema import Test, quick_test

FOLDER = Path(__file__).parent / "schemas"
Schema = Mapping[str, Any]


@cache
def schema(name: str) -> Schema:
    """Return the schema of this name (without .json) as a mapping; KeyError if there is none."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        raise KeyError(f"no schema {name}: {path}")
    found: Schema = json.loads(path.read_text(encoding="utf-8"))
    return found


def check(name: str, document: object, where: str) -> tuple[str, ...]:
    """Return all faults of a document, one line each, sorted by place; empty = it conforms."""
    test = _quick(name)
    if test is not None and test(document):
        return ()
    found = sorted(_validator(name).iter_errors(document), key=lambda error: error.json_path)
    return tuple(
        f"{where}: {_place(error.absolute_path)}{message}"
        for error in found
        for message in _messages(error)
    )


def demand(name: str, document: object, where: str) -> None:
    """Raise LabError with all faults of a document."""
    faults = check(name, document, where)
    if faults:
        raise LabError(faults)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ": did you mean X?" or, when nothing is near, the allowed names."""
    names = sorted(set(known))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f": did you mean {close[0]}?"
    return f": allowed are {', '.join(names)}" if names else ""


@cache
def _quick(name: str) -> Test | None:
    return quick_test(schema(name))


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema(name))


def _messages(error: Any) -> Iterable[str]:
    """Say what is wrong; each unknown key gets its own line with the nearest known one."""
    known = error.schema.get("properties", {})
    if error.validator != "additionalProperties" or not known:
        return (error.message,)
    unknown = sorted(set(error.instance) - set(known))
    return tuple(f"unknown key {key!r}{nearest(key, known)}" for key in unknown)


def _place(path: Iterable[str | int]) -> str:
    place = ""
    for part in path:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return f"{place}: " if place else ""

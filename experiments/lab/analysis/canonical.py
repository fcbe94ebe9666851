"""JSON compared by value: what an acceptance scenario expects against what came out."""

import json
from collections.abc import Iterator
from typing import Any

SHOWN = 80


class NotJson(Exception):
    """The text is not one JSON document in UTF-8; says why."""


def parse(content: bytes) -> Any:
    """Parse strict JSON (no NaN, UTF-8 without a byte order mark); raises NotJson."""
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def difference(expected: Any, actual: Any) -> str | None:
    """Return the first difference with its place, or None when both are the same value.

    JSON has one kind of number: 1 equals 1.0, and neither equals true. The order of an object's
    names means nothing, that of a list does. See research/decisions/0002-python-analysis.md.
    """
    return next(_differences("$", expected, actual), None)


def _differences(place: str, expected: Any, actual: Any) -> Iterator[str]:
    stack = [(place, expected, actual)]
    while stack:
        at, wanted, got = stack.pop()
        if isinstance(wanted, dict) and isinstance(got, dict):
            yield from _names(at, wanted, got)
            stack.extend(
                (f"{at}.{name}", wanted[name], got[name])
                for name in reversed(wanted)
                if name in got
            )
        elif isinstance(wanted, list) and isinstance(got, list):
            if len(wanted) != len(got):
                yield f"{at}: expected {len(wanted)} elements, got {len(got)}"
            pairs = list(enumerate(zip(wanted, got, strict=False)))
            stack.extend((f"{at}[{index}]", *pair) for index, pair in reversed(pairs))
        elif _scalar(wanted) != _scalar(got):
            yield f"{at}: expected {_shown(wanted)}, got {_shown(got)}"


def _names(at: str, wanted: dict[str, Any], got: dict[str, Any]) -> Iterator[str]:
    for name in wanted:
        if name not in got:
            yield f"{at}: no {_shown(name)}"
    for name in got:
        if name not in wanted:
            yield f"{at}: unexpected {_shown(name)}"


def _scalar(value: Any) -> tuple[str, Any]:
    """Pair a value with its JSON type, so that true is not 1 and a list is not an object."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int | float):
        return "number", value
    return type(value).__name__, value


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."

"""From a frontmatter's values to a research question: factors, controls and their settings."""

from typing import Any

from lab.domain.question import ALTERNATIVE_AXES, AXES, Factor, Power, ResearchQuestion, Setting
from lab.store.coerce import Coercion
from lab.store.schema import nearest

PAIR = "_x_"
SWITCHES = frozenset({"true", "false", "yes", "no", "on", "off"})
DEFAULT_ALPHA = 0.05
DEFAULT_POWER = 0.8


def question_of(result: Coercion, folder: str, is_imported: bool) -> ResearchQuestion | None:
    """Build the question from coerced values; faults go to the coercion, then None."""
    value = result.value
    before = len(result.faults)
    factors = tuple(
        _factor(result, name, levels) for name, levels in (value.get("factors") or {}).items()
    )
    controls = tuple(
        setting
        for axis, chosen in (value.get("controls") or {}).items()
        if (setting := _setting(result, axis, chosen, f"controls/{axis}"))
    )
    _check_words(result, value, is_imported)
    if before or result.faults:
        return None
    return ResearchQuestion(
        id=value["id"],
        question=value["question"],
        factors=factors,
        controls=controls,
        outcomes=tuple(value["outcomes"]),
        min_replicates=value.get("min_replicates", 1),
        folder=folder,
        closed=value.get("closed"),
        status=value.get("status"),
        timeout_policy=value.get("timeout_policy", "exclude"),
        power=_power(value.get("power")),
        primary=value.get("primary"),
    )


def _check_words(result: Coercion, value: dict[str, Any], is_imported: bool) -> None:
    closed = value.get("closed")
    if isinstance(closed, str) and closed.lower() in SWITCHES:
        result.fault(result.lines["closed"], f"closed: {closed!r} is no reason: say why it ended")
    if "status" in value and not is_imported:
        result.fault(
            result.lines["status"],
            "status: is not declared but read off the data (lab status); "
            'use closed: "<reason>" for a question that ends without full data',
        )


def _power(value: dict[str, Any] | None) -> Power | None:
    if value is None:
        return None
    return Power(
        outcome=value["outcome"],
        min_effect=value["min_effect"],
        alpha=value.get("alpha", DEFAULT_ALPHA),
        power=value.get("power", DEFAULT_POWER),
    )


def _factor(result: Coercion, name: str, levels: list[Any] | None) -> Factor:
    axes = tuple(name.split(PAIR))
    read = _pair if len(axes) > 1 else _single
    place = f"factors/{name}"
    unknown = [axis for axis in axes if axis not in AXES]
    for axis in unknown:
        fault = f"factors.{name}: unknown axis {axis}{nearest(axis, AXES)}"
        result.fault(result.lines[place], fault)
    if len(set(axes)) < len(axes):
        result.fault(result.lines[place], f"factors.{name}: names an axis twice")
    if unknown:
        return Factor(name, ())
    chosen = [
        read(result, axes, level, f"{place}/{index}") for index, level in enumerate(levels or ())
    ]
    return Factor(name, tuple(level for level in chosen if level))


def _single(result: Coercion, axes: tuple[str, ...], level: Any, place: str) -> tuple[Setting, ...]:
    setting = _setting(result, axes[0], level, place)
    return (setting,) if setting else ()


def _pair(result: Coercion, axes: tuple[str, ...], level: Any, place: str) -> tuple[Setting, ...]:
    """Read one entry of a paired factor: a mapping with exactly the factor's axes."""
    line = result.lines[place]
    if not isinstance(level, dict):
        if level is not None:
            result.fault(line, f"{_named(place)}: needs a mapping with {' and '.join(axes)}")
        return ()
    for key in level:
        if key not in axes:
            place_of_key = result.lines[f"{place}/{key}"]
            fault = f"{_named(place)}: unknown key {key}{nearest(key, axes)}"
            result.fault(place_of_key, fault)
    for axis in axes:
        if axis not in level:
            result.fault(line, f"{_named(place)}: the key {axis} is missing")
    settings = [
        _setting(result, axis, level[axis], f"{place}/{axis}") for axis in axes if axis in level
    ]
    return tuple(setting for setting in settings if setting)


def _setting(result: Coercion, axis: str, value: Any, place: str) -> Setting | None:
    """Read a value, a bare list or {any: [...]}; the last two on workflow and model only."""
    line = result.lines[place]
    if axis not in AXES:
        result.fault(line, f"{_named(place)}: unknown axis {axis}{nearest(axis, AXES)}")
        return None
    if value is None:
        return None
    alternatives = _alternatives(result, value, place)
    if alternatives is None:
        return Setting(axis, (value,)) if isinstance(value, str) else None
    if axis not in ALTERNATIVE_AXES:
        allowed = " and ".join(ALTERNATIVE_AXES)
        result.fault(line, f"{_named(place)}: alternatives are allowed on {allowed} only")
        return None
    return Setting(axis, alternatives)


def _alternatives(result: Coercion, value: Any, place: str) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return None
    if isinstance(value, dict):
        if set(value) != {"any"}:
            fault = f"{_named(place)}: needs a value, or alternatives as {{any: [...]}}"
            result.fault(result.lines[place], fault)
            return None
        value = value["any"]
    names = [name for name in value or () if isinstance(name, str)]
    for index, name in enumerate(names):
        if name in names[:index]:
            result.fault(result.lines[place], f"{_named(place)}: {name} stands here twice")
    return tuple(names)


def _named(place: str) -> str:
    return place.replace("/", ".")

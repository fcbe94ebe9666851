"""From YAML nodes to values: a JSON Schema says which string is a number, a switch or a name.

Knows this part of JSON Schema: type, enum, pattern, minimum, minLength, minItems, uniqueItems,
items, properties, required, additionalProperties, $ref into $defs, and anyOf told apart by shape.
"""

import re
from collections.abc import Mapping as Table
from dataclasses import dataclass, field
from typing import Any

from lab.store.schema import Schema, nearest, schema
from lab.store.yaml_text import Mapping, Node, Scalar, Sequence

WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
SWITCH = {"true": True, "false": False}
SPOKEN = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


@dataclass(slots=True)
class Coercion:
    """What came of a node: values, faults in the order of the file, and the line of each place.

    `lines` is keyed by the path's parts joined with "/", such as "factors/model/0".
    """

    where: str
    root: Schema
    faults: list[tuple[int, str]] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    value: Any = None

    def fault(self, line: int, message: str) -> None:
        self.faults.append((line, message))

    @property
    def messages(self) -> tuple[str, ...]:
        """All faults as "<where>:<line>: <message>", by line."""
        ordered = sorted(self.faults, key=lambda fault: fault[0])
        return tuple(f"{self.where}:{line}: {message}" for line, message in ordered)


def coerce(node: Node, name: str, where: str) -> Coercion:
    """Coerce a document by the schema of this name; look at `messages` before using `value`."""
    root = schema(name)
    result = Coercion(where, root)
    result.value = _value(result, node, root, "")
    return result


def _value(result: Coercion, node: Node, part: Schema, path: str) -> Any:
    result.lines[path] = node.line
    part = _resolve(result.root, part, node)
    if isinstance(node, Scalar):
        return _scalar(result, node, part, path)
    if isinstance(node, Sequence):
        return _list(result, node, part, path)
    return _table(result, node, part, path)


def _resolve(root: Schema, part: Schema, node: Node) -> Schema:
    """Follow $ref, and of anyOf take the first branch that has the node's shape."""
    while "$ref" in part:
        part = root["$defs"][part["$ref"].rsplit("/", 1)[1]]
    branches = part.get("anyOf")
    if not branches:
        return part
    resolved = [_resolve(root, branch, node) for branch in branches]
    shape = _shape(node)
    fitting = [branch for branch in resolved if shape & set(_types(branch))]
    union = {"type": [kind for branch in resolved for kind in _types(branch)]}
    return fitting[0] if fitting else union


def _shape(node: Node) -> set[str]:
    if isinstance(node, Sequence):
        return {"array"}
    if isinstance(node, Mapping):
        return {"object"}
    return {"null"} if node.text is None else {"string", "integer", "number", "boolean"}


def _types(part: Schema) -> list[str]:
    kinds = part.get("type", ["string"])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _named(path: str) -> str:
    return path.replace("/", ".") or "the file"


def _wrong(result: Coercion, node: Node, part: Schema, path: str) -> None:
    wanted = " or ".join(dict.fromkeys(SPOKEN[kind] for kind in _types(part)))
    if isinstance(node, Scalar):
        found = "nothing" if node.text is None else repr(node.text)
    else:
        found = "a list" if isinstance(node, Sequence) else "a mapping"
    result.fault(node.line, f"{_named(path)}: found {found}, needed {wanted}")


def _scalar(result: Coercion, node: Scalar, part: Schema, path: str) -> Any:
    kinds = _types(part)
    if node.text is None and "null" in kinds:
        return None
    for kind in kinds:
        value = _read(kind, node.text)
        if value is not None:
            _check_scalar(result, node, part, path, value)
            return value
    _wrong(result, node, part, path)
    return None


def _read(kind: str, text: str | None) -> str | int | float | bool | None:
    """Return the text as a value of this kind, or None where it is not one."""
    if text is None:
        return None
    if kind == "integer":
        return int(text) if WHOLE.fullmatch(text) else None
    if kind == "number":
        return float(text) if DECIMAL.fullmatch(text) else None
    if kind == "boolean":
        return SWITCH.get(text)
    return text if kind == "string" else None


def _check_scalar(
    result: Coercion, node: Scalar, part: Schema, path: str, value: str | int | float | bool
) -> None:
    name = _named(path)
    if "enum" in part and value not in part["enum"]:
        allowed = [str(item) for item in part["enum"]]
        result.fault(node.line, f"{name}: {value!r} is not allowed{nearest(str(value), allowed)}")
    if "const" in part and value != part["const"]:
        result.fault(node.line, f"{name}: is {value!r}, this version reads {part['const']!r}")
    if "pattern" in part and not re.search(part["pattern"], str(value)):
        wanted = part.get("description", part["pattern"])
        result.fault(node.line, f"{name}: {value!r} is not allowed: {wanted}")
    if isinstance(value, str) and len(value.strip()) < part.get("minLength", 0):
        result.fault(node.line, f"{name}: is empty")
    if not isinstance(value, str) and value < part.get("minimum", value):
        result.fault(node.line, f"{name}: {value} is below {part['minimum']}")


def _list(result: Coercion, node: Sequence, part: Schema, path: str) -> Any:
    if "array" not in _types(part):
        _wrong(result, node, part, path)
        return None
    if len(node.items) < part.get("minItems", 0):
        result.fault(node.line, f"{_named(path)}: the list is empty")
    items = part.get("items", {})
    values = [
        _value(result, item, items, f"{path}/{index}".lstrip("/"))
        for index, item in enumerate(node.items)
    ]
    if part.get("uniqueItems"):
        for index, value in enumerate(values):
            if value in values[:index]:
                line = node.items[index].line
                result.fault(line, f"{_named(path)}: {value!r} stands here twice")
    return values


def _table(result: Coercion, node: Mapping, part: Schema, path: str) -> Any:
    if "object" not in _types(part):
        _wrong(result, node, part, path)
        return None
    properties: Table[str, Schema] = part.get("properties", {})
    other: Schema | None = part.get("additionalProperties") or None
    values = {}
    for entry in node.entries:
        inner = f"{path}/{entry.key}".lstrip("/")
        rule = properties.get(entry.key, other)
        if rule is None:
            known = nearest(entry.key, properties)
            result.fault(entry.line, f"unknown key {_named(inner)}{known}")
            continue
        values[entry.key] = _value(result, entry.value, rule, inner)
        result.lines[inner] = entry.line
    for key in part.get("required", ()):
        if node.get(key) is None:
            result.fault(node.line, f"{_named(path)}: the key {key} is missing")
    return values

"""Schemas turned into plain functions: the same answer as jsonschema's, five times faster.

Only for "does it conform": the faults are told by jsonschema. A schema with a keyword that is not
in the table below has no quick form. Measured 2026-11-30 on run.json: 0.71 and 0.14 ms.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[[Any], bool]
Schema = Mapping[str, Any]
NOTES = frozenset({"$schema", "$id", "$comment", "title", "description", "examples", "default"})


class NotQuick(Exception):
    """The schema says something that the table below does not know."""


def quick_test(schema: Schema) -> Test | None:
    """Return a function that tells whether a document conforms; None = ask jsonschema."""
    try:
        return _compile(schema)
    except NotQuick:
        return None


def _compile(schema: Any) -> Test:
    if schema is True:
        return lambda value: True
    if schema is False:
        return lambda value: False
    tests = [
        MAKERS[name](wanted, schema)
        for name, wanted in schema.items()
        if _is_known(name) and name not in NOTES and name != "additionalProperties"
    ]
    if "additionalProperties" in schema:
        tests.append(_additional(schema["additionalProperties"], schema))
    return _all(tests)


def _all(tests: list[Test]) -> Test:
    """Join tests; one or two of them without a loop."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)
    return lambda value: all(test(value) for test in tests)


def _is_known(name: str) -> bool:
    if name in MAKERS or name in NOTES or name == "additionalProperties":
        return True
    raise NotQuick(name)


def _is_integer(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


TYPES: dict[str, Test] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _type(wanted: Any, _: Schema) -> Test:
    names = [wanted] if isinstance(wanted, str) else wanted
    tests = [TYPES[name] for name in names]
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) or second(value)
    return lambda value: any(test(value) for test in tests)


def _same(wanted: Any) -> Test:
    if isinstance(wanted, dict | list):
        raise NotQuick("a constant that is not a scalar")
    is_truth = isinstance(wanted, bool)
    return lambda value: value == wanted and isinstance(value, bool) == is_truth


def _enum(wanted: Any, _: Schema) -> Test:
    tests = [_same(one) for one in wanted]
    return lambda value: any(test(value) for test in tests)


def _if(kind: str, test: Test) -> Test:
    """Apply a test to values of a kind only; others conform."""
    is_kind = TYPES[kind]
    return lambda value: not is_kind(value) or test(value)


def _pattern(wanted: Any, _: Schema) -> Test:
    found = re.compile(wanted).search
    return _if("string", lambda value: found(value) is not None)


def _required(wanted: Any, _: Schema) -> Test:
    names = frozenset(wanted)
    return _if("object", lambda value: value.keys() >= names)


def _properties(wanted: Any, _: Schema) -> Test:
    tests = {name: _compile(one) for name, one in wanted.items()}

    def conforms(value: Mapping[str, Any]) -> bool:
        for name, found in value.items():
            test = tests.get(name)
            if test is not None and not test(found):
                return False
        return True

    return _if("object", conforms)


def _additional(wanted: Any, schema: Schema) -> Test:
    known, test = frozenset(schema.get("properties", ())), _compile(wanted)
    return _if("object", lambda value: all(test(value[name]) for name in value.keys() - known))


def _names(wanted: Any, _: Schema) -> Test:
    test = _compile(wanted)
    return _if("object", lambda value: all(test(name) for name in value))


def _items(wanted: Any, _: Schema) -> Test:
    test = _compile(wanted)
    return _if("array", lambda value: all(test(one) for one in value))


def _one_of(wanted: Any, _: Schema) -> Test:
    tests = [_compile(one) for one in wanted]
    return lambda value: sum(test(value) for test in tests) == 1


def _any_of(wanted: Any, _: Schema) -> Test:
    tests = [_compile(one) for one in wanted]
    return lambda value: any(test(value) for test in tests)


MAKERS: dict[str, Callable[[Any, Schema], Test]] = {
    "type": _type,
    "const": lambda wanted, _: _same(wanted),
    "enum": _enum,
    "pattern": _pattern,
    "minLength": lambda wanted, _: _if("string", lambda value: len(value) >= wanted),
    "minimum": lambda wanted, _: _if("number", lambda value: value >= wanted),
    "maximum": lambda wanted, _: _if("number", lambda value: value <= wanted),
    "minItems": lambda wanted, _: _if("array", lambda value: len(value) >= wanted),
    "maxItems": lambda wanted, _: _if("array", lambda value: len(value) <= wanted),
    "required": _required,
    "properties": _properties,
    "propertyNames": _names,
    "items": _items,
    "oneOf": _one_of,
    "anyOf": _any_of,
}

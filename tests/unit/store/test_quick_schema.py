"""The quick form of a schema gives jsonschema's answer, for every schema and any document."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from lab.store.quick_schema import quick_test
from lab.store.schema import FOLDER, check, schema

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
QUICK = [name for name in NAMES if quick_test(schema(name)) is not None]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3),
    st.sampled_from([1.0, -0.0, 2**63, "", "a", "ok", "2026-01-02T03:04:05+00:00"]),
)


def values(node: Any) -> st.SearchStrategy[Any]:
    """Draw a value that often, but not always, conforms to a node of a schema."""
    if not isinstance(node, dict):
        return SCALARS
    if "const" in node:
        return st.one_of(st.just(node["const"]), SCALARS)
    if "enum" in node:
        return st.one_of(st.sampled_from(node["enum"]), SCALARS)
    branches = node.get("oneOf") or node.get("anyOf")
    if branches:
        return st.one_of(*[values(branch) for branch in branches])
    kinds = node.get("type", "string")
    if "object" in kinds or "properties" in node:
        return objects(node)
    if "array" in kinds:
        return st.one_of(st.lists(values(node.get("items", {})), max_size=3), SCALARS)
    return SCALARS


def objects(node: Any) -> st.SearchStrategy[Any]:
    properties = node.get("properties", {})
    required = {name: values(properties.get(name)) for name in node.get("required", ())}
    optional = {name: values(one) for name, one in properties.items() if name not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    extra = st.dictionaries(st.sampled_from(["a", "prompt_sha", "x y"]), SCALARS, max_size=1)
    return st.builds(lambda one, other: {**other, **one}, known, extra)


@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_quick_and_full_agree(name: str, data: st.DataObject) -> None:
    document = data.draw(values(schema(name)))
    test = quick_test(schema(name))
    assert test is not None
    assert test(document) == Draft202012Validator(schema(name)).is_valid(document)


def test_the_files_that_every_run_writes_have_a_quick_form() -> None:
    assert {"run", "attempt", "metrics"} <= set(QUICK)


def test_a_faulty_document_is_still_told_in_full() -> None:
    faults = check("control", {"schema_version": 1, "command": "fly", "shards": 0}, "here")
    assert len(faults) == 2 and all(fault.startswith("here: ") for fault in faults)

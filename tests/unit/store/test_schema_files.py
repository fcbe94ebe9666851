"""The schemas themselves: valid, and in step with what reads by them."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from lab.domain.metric import Direction, Kind, Scale
from lab.errors import LabError
from lab.store.schema import FOLDER, check, demand, nearest, schema

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_a_valid_one(name: str) -> None:
    document = json.loads((FOLDER / f"{name}.json").read_text())
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(document)


def test_the_closed_sets_are_those_of_the_domain() -> None:
    row = schema("metrics-registry")["$defs"]["metric"]["properties"]
    assert row["kind"]["enum"] == [kind.value for kind in Kind]
    assert row["direction"]["enum"] == [direction.value for direction in Direction]
    assert row["scale"]["enum"] == [scale.value for scale in Scale]


def test_a_question_has_the_keys_of_the_method_and_no_others() -> None:
    assert set(schema("question")["properties"]) == {
        "id", "question", "factors", "controls", "outcomes", "min_replicates", "closed",
        "timeout_policy", "power", "primary", "status",
    }  # fmt: skip


def test_faults_name_their_place() -> None:
    faults = check("plan", {"runs": [{"kata": "k", "workflow": "w", "model": 3}]}, "p.json")
    assert faults == ("p.json: runs[0].model: 3 is not of type 'string'",)


def test_demand_raises_all_faults() -> None:
    with pytest.raises(LabError) as caught:
        demand("plan", {"name": 1}, "p.json")
    assert len(caught.value.faults) == 2


def test_an_unknown_schema_is_our_bug() -> None:
    with pytest.raises(KeyError):
        schema("nothing")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("modle", ": did you mean model?"),
        ("zzz", ": allowed are model, prompt"),
    ],
)
def test_the_nearest_name_or_all_names_are_offered(word: str, said: str) -> None:
    assert nearest(word, ("prompt", "model")) == said


def test_where_there_is_no_name_nothing_is_offered() -> None:
    assert nearest("a", ()) == ""


def test_the_schemas_lie_in_the_package() -> None:
    assert Path(FOLDER).is_dir()

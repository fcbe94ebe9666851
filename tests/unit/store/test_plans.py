"""Batch plans on disk."""

import json
import time
from pathlib import Path

import pytest
from lab.domain.plan import Plan, PlannedRun
from lab.errors import LabError
from lab.store.plans import read_plan, write_plan
from lab.store.schema import check

PLAN = Plan(
    "RQ-a fill",
    "Missing replicates",
    (
        PlannedRun("life-prose", "w", "m", "python-pytest", 1),
        PlannedRun("life-prose", "w", "m", "python-pytest", 2, "2026-01-01_00-00-00_a"),
    ),
    7,
)


def write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document))
    return path


def test_a_plan_survives_writing_and_reading(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a-fill.json"
    write_plan(path, PLAN)
    assert read_plan(path) == PLAN
    assert check("plan", json.loads(path.read_text()), "a") == ()


def test_the_same_plan_gives_the_same_bytes(tmp_path: Path) -> None:
    write_plan(tmp_path / "a.json", PLAN)
    first = (tmp_path / "a.json").read_bytes()
    write_plan(tmp_path / "a.json", PLAN)
    assert (tmp_path / "a.json").read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_plan_written_by_hand_needs_three_keys_per_run(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.json", {"runs": [{"kata": "k", "workflow": "w", "model": "m"}] * 2}
    )
    assert read_plan(path) == Plan("mine", "", (PlannedRun("k", "w", "m"),) * 2, None)


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ([], "[] is not of type 'object'"),
        ({}, "'runs' is a required property"),
        ({"runs": [{"kata": "k", "workflow": "w"}]}, "runs[0]: 'model' is a required property"),
        ({"runs": [{"kata": "k", "workflow": "w", "model": 1}]}, "runs[0].model: 1 is not of type"),
        ({"runs": [], "rums": 1}, "unknown key 'rums': did you mean runs?"),
        ({"runs": [], "x": 1}, "unknown key 'x': allowed are description, name, "),
        ({"runs": [], "schema_version": 9}, "schema_version 9: this lab reads 1"),
    ],
)
def test_a_faulty_plan_is_refused(tmp_path: Path, document: object, fault: str) -> None:
    with pytest.raises(LabError) as caught:
        read_plan(write(tmp_path / "p.json", document))
    assert any(fault in found for found in caught.value.faults), caught.value.faults
    assert all(found.startswith("p.json: ") for found in caught.value.faults)


def test_all_faults_of_a_plan_come_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", {"runs": [{"kata": "k"}, {"kata": ""}]})
    with pytest.raises(LabError) as caught:
        read_plan(path)
    assert len(caught.value.faults) == 5


def test_text_that_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{\n"runs": [,]\n}')
    with pytest.raises(LabError, match=r"p\.json:2: not JSON"):
        read_plan(path)


def test_a_missing_plan_is_a_clear_line(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="no such file"):
        read_plan(tmp_path / "p.json")


def test_a_big_plan_is_read_quickly(tmp_path: Path) -> None:
    """Reading 2,000 runs must stay far below the budget of re-planning them."""
    path = tmp_path / "big.json"
    write_plan(path, Plan("big", "", PLAN.runs * 1000, 7))
    started = time.process_time()
    assert len(read_plan(path).runs) == 2000
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize(
    "broken",
    [
        {"block": 0}, {"block": True}, {"block": 1.5}, {"stack": ""}, {"run_id": 1}, {"kata": None},
        {"model": ""}, {"seed": "x"}, {"zzz": 1},
    ],
)  # fmt: skip
def test_what_the_schema_refuses_is_refused_in_a_big_plan_too(
    tmp_path: Path, broken: dict[str, object]
) -> None:
    run = {"kata": "k", "workflow": "w", "model": "m"} | broken
    assert check("plan", {"runs": [run]}, "p") != ()
    with pytest.raises(LabError):
        read_plan(write(tmp_path / "p.json", {"runs": [run]}))

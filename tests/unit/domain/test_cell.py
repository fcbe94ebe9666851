"""Cells: the product of factors over controls, and which runs belong to one."""

import pytest
from builders.declared import question_of
from builders.pools import identity
from lab.domain.cell import Cell, expand, matches, matches_version
from lab.errors import LabError

CELL = Cell("game-of-life", "prose", ("w1", "w2"), ("m1", "m2"), "python-pytest")
RUN = identity(workflow="w2", model="m1")


def cells(body: str, stack: str | None = "python-pytest") -> tuple[Cell, ...]:
    return expand(question_of(body), lambda _: stack)


def test_factors_are_crossed_in_the_order_of_declaration() -> None:
    found = cells(
        "factors:\n  prompt: [p, q]\n  model: [a, b]\ncontrols: {kata_base: k, workflow: w}\n"
    )
    assert [(cell.prompt, cell.model) for cell in found] == [
        ("p", "a"),
        ("p", "b"),
        ("q", "a"),
        ("q", "b"),
    ]


def test_a_paired_factor_is_not_crossed_with_itself() -> None:
    found = cells(
        "factors:\n  workflow_x_prompt:\n"
        "  - {workflow: v, prompt: p}\n  - {workflow: w, prompt: q}\n"
        "controls: {kata_base: k, model: m}\n"
    )
    assert [(cell.workflow, cell.prompt) for cell in found] == [("v", "p"), ("w", "q")]


def test_a_level_overrides_a_control() -> None:
    found = cells("factors: {model: [a]}\ncontrols: {kata_base: k, workflow: w, model: b}\n")
    assert [cell.models for cell in found] == [("a",)]


def test_without_factors_there_is_one_cell() -> None:
    found = cells("controls: {kata_base: k, workflow: w, model: {any: [b, a]}}\n")
    assert found == (Cell("k", None, ("w",), ("b", "a"), "python-pytest"),)
    assert found[0].kata == "k"
    assert found[0].model == "b"


def test_a_declared_stack_wins_over_the_katas_first() -> None:
    (cell,) = cells("controls: {kata_base: k, workflow: w, model: m, stack: rust-cargo}\n")
    assert cell.stack == "rust-cargo"


def test_hashes_and_version_are_carried() -> None:
    (cell,) = cells(
        "controls: {kata_base: k, workflow: w, model: m, workflow_sha: b, prompt_sha: a, "
        "harness_version: 2.10}\n"
    )
    assert cell.hashes == (("prompt_sha", "a"), ("workflow_sha", "b"))
    assert cell.harness_version == "2.10"


def test_a_cell_without_kata_workflow_or_model_is_refused() -> None:
    with pytest.raises(LabError, match="a cell has no kata_base and no model"):
        cells("controls: {workflow: w}\n")


def test_keys_of_different_cells_differ() -> None:
    found = cells(
        "factors:\n  harness_version: ['1', '2']\n  prompt_sha: [a, b]\n"
        "controls: {kata_base: k, workflow: w, model: m}\n"
    )
    assert len({cell.key for cell in found}) == 4


def test_any_alternative_matches() -> None:
    assert matches(CELL, RUN)


@pytest.mark.parametrize(
    "changes",
    [
        {"kata": "game-of-life-user-story"},
        {"workflow": "w3"},
        {"model": "m1-no-thinking"},
        {"stack": "rust-cargo"},
        {"stack": None},
    ],
)
def test_a_run_that_differs_in_an_axis_does_not_match(changes: dict[str, object]) -> None:
    assert not matches(CELL, identity(**({"workflow": "w2", "model": "m1"} | changes)))


def test_the_outcome_of_a_run_does_not_matter_for_matching() -> None:
    assert matches(CELL, identity(workflow="w1", model="m1", exit_reason="timeout"))


@pytest.mark.parametrize(
    ("wanted", "recorded", "expected"),
    [
        (None, None, True),
        (None, "2.1.267 (Claude Code)", True),
        ("2.1.267", "2.1.267 (Claude Code)", True),
        ("2.1.267", "2.1.267", True),
        ("2.1", "2.1.267", False),
        ("2.1.267", None, False),
        ("2.1.267", "", False),
        ("unrecorded", None, True),
        ("unrecorded", "  ", True),
        ("unrecorded", "2.1.267", False),
    ],
)
def test_a_version_matches_on_its_leading_token(
    wanted: str | None, recorded: str | None, expected: bool
) -> None:
    assert matches_version(wanted, recorded) is expected


def test_a_pinned_hash_must_be_equal() -> None:
    pinned = Cell(
        "game-of-life", "prose", ("w2",), ("m1",), None, hashes=(("prompt_sha", "a" * 64),)
    )
    assert matches(pinned, RUN)
    assert not matches(pinned, identity(workflow="w2", model="m1", hashes=()))

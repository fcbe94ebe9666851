"""Lint of one question: what is an error, what a warning, and where it points."""

import pytest
from builders.declared import HEAD, SMALL, catalogue, kata, model, source_of, workflow
from builders.metrics import metric_row, registry_of
from lab.domain.catalogue import Catalogue, Model, PromptRule
from lab.domain.metric import Registry
from lab.planning.lint import lint_question
from lab.planning.lint_catalogue import Known
from lab.planning.remark import Remark

REGISTRY = registry_of(
    metric_row("tests_passing", stacks=("python-pytest", "rust-cargo")),
    metric_row("smell_total", group="code-quality"),
    metric_row("skip_events", test_list_sensitive=True),
    metric_row("verification_pct", formerly=("acceptance_rate",), replaces=("passed",)),
)
KNOWN = Known(("h1", "h2"), ("python-pytest", "rust-cargo", "none"))
CONTROLS = {"kata_base": "life", "prompt": "prose", "workflow": "w1"}
MODELS = "factors: {model: [m1, m2]}\n"


def controls(**changes: str | None) -> str:
    chosen = {**CONTROLS, **changes}
    lines = [f"  {axis}: {value}\n" for axis, value in chosen.items() if value is not None]
    return "controls:\n" + "".join(lines)


def remarks(
    body: str, head: str = HEAD, rows: Catalogue = SMALL, registry: Registry = REGISTRY
) -> list[Remark]:
    return list(lint_question(source_of(body, head), rows, registry, KNOWN))


def said(body: str, head: str = HEAD, rows: Catalogue = SMALL) -> list[tuple[str, str, int]]:
    found = remarks(body, head, rows)
    return [(remark.severity.value, remark.rule, remark.line) for remark in found]


def outcomes(*names: str) -> str:
    return f"id: RQ-a\nquestion: q\noutcomes: [{', '.join(names)}]\n"


def test_a_sound_question_has_no_remarks() -> None:
    assert remarks(MODELS + controls()) == []


@pytest.mark.parametrize(
    ("changes", "expected", "words"),
    [
        ({"kata_base": "lief"}, ("error", "unknown-kata", 7), "did you mean life?"),
        ({"kata_base": "life-old"}, ("warning", "archived-kata", 7), "life-old is archived"),
        ({"prompt": "prosa"}, ("error", "unknown-prompt", 8), "did you mean prose?"),
        ({"prompt": None}, ("error", "unknown-prompt", 7), "name one of prose, user-story"),
        ({"workflow": "w9"}, ("error", "unknown-workflow", 9), "unknown workflow w9"),
        ({"workflow": "{any: [w1, w9]}"}, ("error", "unknown-workflow", 9), "unknown workflow w9"),
        ({"workflow": "w-old"}, ("warning", "archived-workflow", 9), "w-old is archived"),
        ({"workflow": "[w1, w-old]"}, ("warning", "archived-workflow", 9), "w-old is archived"),
        ({"workflow": "w3"}, ("error", "harness-of-model", 5), "h2 cannot run m1"),
        ({"stack": "pyton-pytest"}, ("error", "unknown-stack", 10), "did you mean python-pytest?"),
        ({"stack": "rust-cargo"}, ("warning", "stack-of-kata", 10), "life is not made for rust"),
        ({"harness_version": "'2.1 (CLI)'"}, ("error", "version-form", 10), "the bare version"),
        ({"prompt_sha": "abc"}, ("warning", "hash-form", 10), "no SHA-256 in full"),
        ({"image_digest": "latest"}, ("warning", "hash-form", 10), "no SHA-256 in full"),
        ({"model": "m1"}, ("error", "control-is-factor", 10), "also varies in the factor model"),
    ],
)
def test_a_faulty_control_is_named_with_its_line(
    changes: dict[str, str | None], expected: tuple[str, str, int], words: str
) -> None:
    found = remarks(MODELS + controls(**changes))
    listed = [(each.severity.value, each.rule, each.line) for each in found]
    assert expected in listed
    assert any(words in remark.message for remark in found), found


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ("factors: {model: [m1, m9]}\n", ("error", "unknown-model", 5)),
        ("factors:\n  model:\n    - m1\n    - {any: [m2, m9]}\n", ("error", "unknown-model", 8)),
        ("factors: {model: [m1, m-old]}\n", ("warning", "archived-model", 5)),
        ("factors: {model: [m1]}\n", ("warning", "one-level-factor", 5)),
        ("factors: {model: [m1, m1]}\n", ("error", "duplicate-cells", 5)),
        ("factors: {model: [m1, {any: [m2, m1]}]}\n", ("error", "overlapping-cells", 5)),
        ("factors:\n  model: [m1, m2]\n  model_x_stack: [{model: m1, stack: python-pytest}]\n",
         ("error", "contradictory-cells", 7)),
    ],
)  # fmt: skip
def test_a_faulty_factor_is_named_with_its_line(
    factors: str, expected: tuple[str, str, int]
) -> None:
    assert expected in said(factors + controls())


def test_a_pair_is_named_by_the_line_of_its_entry() -> None:
    body = (
        "factors:\n  workflow_x_prompt:\n    - {workflow: w1, prompt: prose}\n"
        "    - {workflow: w2, prompt: user-story}\n    - {workflow: w2, prompt: haiku}\n"
        "controls: {kata_base: life, model: m1}\n"
    )
    assert ("error", "unknown-prompt", 9) in said(body)


def test_nothing_that_varies_is_a_warning() -> None:
    assert said(controls(model="m1")) == [("warning", "one-level-factor", 1)]


def test_a_question_without_a_model_is_an_error() -> None:
    found = remarks("factors: {prompt: [prose, user-story]}\ncontrols: {kata_base: life}\n")
    assert [(each.rule, each.line) for each in found][0] == ("incomplete-cell", 6)
    assert "a cell has no workflow and no model" in found[0].message


@pytest.mark.parametrize(
    ("first", "second", "is_shared"),
    [
        ("'2.1'", "unrecorded", False),
        ("'2.1'", "'2.2'", False),
        ("'2.1'", "'2.1'", True),
    ],
)
def test_versions_keep_cells_apart(first: str, second: str, is_shared: bool) -> None:
    body = f"factors: {{harness_version: [{first}, {second}]}}\n" + controls(model="m1")
    rules = {remark.rule for remark in remarks(body)}
    assert ("duplicate-cells" in rules) is is_shared


def test_many_overlaps_are_summed_up() -> None:
    body = f"factors: {{model: [{', '.join(['m1'] * 6)}]}}\n" + controls()
    found = [remark for remark in remarks(body) if remark.is_error]
    assert len(found) == 6
    assert found[-1].message == "10 more pairs of cells can match the same run"


def test_a_prompt_that_the_workflow_does_not_permit_is_a_warning_with_its_reason() -> None:
    rows = catalogue(
        kata(),
        workflow("oneshot-v1", prompts=("prose",)),
        model("m1"),
        model("m2"),
        rules=(PromptRule(("oneshot-*",), ("prose",), "examples invite tests"),),
    )
    body = MODELS + controls(workflow="oneshot-v1", prompt="user-story")
    (found,) = remarks(body, rows=rows)
    assert (found.severity.value, found.rule, found.line) == ("warning", "prompt-of-workflow", 9)
    assert "permits the prompts prose, not user-story (examples invite tests)" in found.message


def test_alternatives_of_different_families_are_a_warning() -> None:
    rows = catalogue(kata(), workflow("w1"), model("m1"), model("n1", family="n"), model("m2"))
    body = "factors: {model: [{any: [m1, n1]}, m2]}\n" + controls()
    (found,) = remarks(body, rows=rows)
    assert (found.severity.value, found.rule) == ("warning", "mixed-models")


def test_an_unknown_outcome_is_an_error_with_the_nearest_name() -> None:
    (found,) = remarks(MODELS + controls(), outcomes("tests_passing", "test_passing"))
    assert (found.severity.value, found.rule, found.line) == ("error", "unknown-outcome", 4)
    assert found.message == "unknown outcome test_passing: did you mean tests_passing?"


def test_an_older_name_leads_to_the_present_one() -> None:
    found = remarks(MODELS + controls(), outcomes("acceptance_rate", "passed"))
    assert [remark.message for remark in found] == [
        "unknown outcome acceptance_rate: now verification_pct",
        "unknown outcome passed: retired, the nearest is verification_pct",
    ]


@pytest.mark.parametrize(
    "more", ["primary: smell_total\n", "power: {outcome: smell_total, min_effect: 1}\n"]
)
def test_what_is_to_be_decided_must_be_an_outcome(more: str) -> None:
    found = said(MODELS + controls() + more)
    assert [(severity, rule) for severity, rule, _ in found] == [("error", "unknown-outcome")]


def test_quality_outcomes_need_a_kata_that_carries_them() -> None:
    rows = catalogue(kata(carries_quality=False), workflow("w1"), model("m1"), model("m2"))
    (found,) = remarks(MODELS + controls(), outcomes("tests_passing", "smell_total"), rows)
    assert (found.severity.value, found.rule) == ("warning", "quality-of-kata")
    assert "life carries no code-quality signal: smell_total" in found.message


def test_an_outcome_that_the_stack_does_not_measure_is_a_warning() -> None:
    rows = catalogue(kata(stacks=("rust-cargo",)), workflow("w1"), model("m1"), model("m2"))
    found = remarks(MODELS + controls(), outcomes("tests_passing", "smell_total"), rows)
    assert [remark.message for remark in found] == ["smell_total is not measured on rust-cargo"]


def test_acceptance_outcomes_need_a_suite() -> None:
    rows = catalogue(kata(has_suite=False), workflow("w1"), model("m1"), model("m2"))
    (found,) = remarks(MODELS + controls(), outcomes("verification_pct"), rows)
    assert (found.severity.value, found.rule) == ("warning", "outcome-of-kata")


def test_the_test_list_boundary_is_a_warning() -> None:
    rows = catalogue(kata(), workflow("w1"), workflow("w2", has_test_list=True), model("m1"))
    body = "factors: {workflow: [w1, w2]}\n" + controls(workflow=None, model="m1")
    assert [rule for _, rule, _ in said(body, outcomes("skip_events"), rows)] == [
        "test-list-boundary"
    ]
    assert said(body, outcomes("tests_passing"), rows) == []


def test_in_an_imported_lab_names_are_not_checked_but_the_shape_is() -> None:
    imported = Catalogue((), (), (), fallback_stack="typescript-vitest", is_imported=True)
    head = outcomes("cc_longest_function")
    body = "factors: {model: [x, x]}\n" + controls(kata_base="old", workflow="v1")
    assert [rule for _, rule, _ in said(body, head, imported)] == ["duplicate-cells"]


def tape_remarks(kata_tapes: tuple[str, ...], manner: str, harness: str = "h1") -> list[Remark]:
    rows = catalogue(
        kata(tapes=kata_tapes),
        workflow("w1", harness=harness),
        Model("m1", "f", (harness,), manner=manner),
    )
    known = Known(("h1", "h2"), ("python-pytest",), need_tape=("h1",), tapeless=("nop",))
    source = source_of("factors: {model: [m1]}\n" + controls())
    found = lint_question(source, rows, REGISTRY, known)
    return [remark for remark in found if remark.rule == "no-tape"]


def test_a_kata_without_a_tape_cannot_be_played() -> None:
    (remark,) = tape_remarks((), "strict-tdd")
    assert remark.is_error
    assert remark.message.endswith("add experiments/tapes/life/python-pytest/")
    assert tape_remarks(("rust-cargo",), "strict-tdd") == [remark]
    assert tape_remarks(("python-pytest",), "strict-tdd") == []


def test_a_manner_without_a_tape_and_a_harness_without_one_need_none() -> None:
    assert tape_remarks((), "nop") == []
    assert tape_remarks((), "strict-tdd", harness="h2") == []

from datetime import UTC, datetime

from builders.pools import add_run, identity
from builders.questions import QUESTION, small_lab, small_question
from lab.aggregation.aggregate import derive
from lab.aggregation.gather import Sources, choose
from lab.domain.metric import Reason, measured, missing

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}
A, B = "a" * 64, "b" * 64
NOW = datetime(2026, 11, 30, tzinfo=UTC)
M1 = "life-prose / plain-v1 / m1 / python-pytest"
M2 = "life-prose / plain-v1 / m2 / python-pytest"


def add(paths, run_id, model="m1", metrics=None, **changes):
    facts = {**LIFE, "hashes": (), "harness_version": None, **changes}
    add_run(paths, identity(run_id, model=model, **facts), metrics or {})


def warnings(paths):
    sources = Sources(paths)
    question = small_question(paths)
    summary, _ = derive(sources, question, choose(sources, question), NOW)
    return [(warning.code, warning.cells or warning.outcome) for warning in summary.warnings]


def texts(paths):
    sources = Sources(paths)
    question = small_question(paths)
    summary, _ = derive(sources, question, choose(sources, question), NOW)
    return "\n".join(warning.text for warning in summary.warnings)


def workflows(*names, outcomes="[code_mass, skips]"):
    return (
        QUESTION.replace("model: [m1, {any: [m2, m2-routed]}]", f"workflow: [{', '.join(names)}]")
        .replace("  workflow: plain-v1", "  model: m1")
        .replace("[green, share, tokens, code_mass, guess_correct_rate]", outcomes)
    )


def test_equal_content_everywhere_gives_no_warning(tmp_path):
    paths = small_lab(tmp_path)
    for number, model in enumerate(["m1", "m1", "m2", "m2-routed"]):
        add(paths, str(number), model, hashes=(("prompt_sha", A),), harness_version="1.0 (X)")
    assert warnings(paths) == []


def test_two_versions_of_a_prompt_inside_a_cell_are_named(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", hashes=(("prompt_sha", A),))
    add(paths, "2", hashes=(("prompt_sha", B),))
    add(paths, "3", hashes=(("prompt_sha", B),))
    assert warnings(paths) == [("mixed-content", (M1,))]
    assert "aaaaaaaaaaaa (1 run), bbbbbbbbbbbb (2 runs)" in texts(paths)


def test_a_recorded_and_an_unrecorded_hash_are_not_the_same(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", hashes=(("image_digest", f"sha256:{A}"),))
    add(paths, "2")
    assert warnings(paths) == [("mixed-content", (M1,))]
    assert "aaaaaaaaaaaa (1 run), unrecorded (1 run)" in texts(paths)


def test_a_workflow_that_changed_between_compared_cells_is_named(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", "m1", hashes=(("workflow_sha", A),))
    add(paths, "2", "m2", hashes=(("workflow_sha", B),))
    assert warnings(paths) == [("differing-content", (M1, M2))]


def test_different_workflows_may_have_different_texts(tmp_path):
    paths = small_lab(tmp_path, workflows("plain-v1", "adhoc-v1", outcomes="[green]"))
    add(paths, "1", hashes=(("workflow_sha", A),))
    add(paths, "2", **{**LIFE, "workflow": "adhoc-v1"}, hashes=(("workflow_sha", B),))
    assert warnings(paths) == []


def test_a_cli_version_that_the_question_declares_may_differ(tmp_path):
    text = QUESTION.replace("controls:", 'controls:\n  harness_version: "1.0"')
    paths = small_lab(tmp_path, text)
    add(paths, "1", harness_version="1.0 (a)")
    add(paths, "2", harness_version="1.0 (b)")
    assert warnings(paths) == []
    undeclared = small_lab(tmp_path / "other")
    add(undeclared, "1", harness_version="1.0 (a)")
    add(undeclared, "2", harness_version="1.0 (b)")
    assert warnings(undeclared) == [("mixed-content", (M1,))]


def test_failed_runs_do_not_make_content_mixed(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", hashes=(("prompt_sha", A),))
    add(paths, "2", hashes=(("prompt_sha", B),), exit_reason="timeout")
    assert warnings(paths) == []


def test_values_of_two_versions_of_the_measuring_code_are_named(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", "m1", {"code_mass": measured(1, "mass@1")})
    add(paths, "2", "m2", {"code_mass": measured(1, "mass@2")})
    add(paths, "3", "m2", {"code_mass": missing(Reason.TOOL_FAILED, "mass@3")})
    assert warnings(paths) == [("mixed-measuring-code", "code_mass")]
    assert "mass@1 (1 run), mass@2 (1 run)" in texts(paths)


def test_a_pooled_rate_is_mixed_where_its_parts_are(tmp_path):
    paths = small_lab(tmp_path)
    for number, by in enumerate(["g@1", "g@2"]):
        both = {name: measured(1, by) for name in ("guess_correct", "guess_total")}
        add(paths, str(number), "m1", both)
    assert warnings(paths) == [("mixed-measuring-code", "guess_correct_rate")]


def test_sensitive_columns_across_the_test_list_boundary_are_named(tmp_path):
    paths = small_lab(tmp_path, workflows("listing-v1", "plain-v1", outcomes="[skips]"))
    assert warnings(paths) == [("test-list-boundary", None)]
    assert "listing-v1 write a test list first, plain-v1 do not" in texts(paths)


def test_the_boundary_does_not_matter_to_other_columns_or_one_side(tmp_path):
    across = small_lab(tmp_path / "a", workflows("listing-v1", "plain-v1", outcomes="[green]"))
    one_side = small_lab(tmp_path / "b", workflows("adhoc-v1", "plain-v1", outcomes="[skips]"))
    assert warnings(across) == warnings(one_side) == []


def test_a_workflow_whose_files_are_gone_is_unknown_to_the_boundary(tmp_path):
    paths = small_lab(tmp_path, workflows("gone-v1", "plain-v1", outcomes="[skips]"))
    assert warnings(paths) == [("test-list-unknown", None)]


def test_a_metric_that_some_compared_workflows_name_is_not_comparable(tmp_path):
    paths = small_lab(tmp_path, workflows("adhoc-v1", "plain-v1", outcomes="[code_mass]"))
    assert warnings(paths) == [("named-by-some", "code_mass")]
    assert "not comparable with plain-v1, which does not name it" in texts(paths)


def test_a_metric_that_all_compared_workflows_name_is_a_compliance_signal(tmp_path):
    paths = small_lab(tmp_path, workflows("adhoc-v1", outcomes="[code_mass]"))
    assert warnings(paths) == [("named-by-all", "code_mass")]


def test_an_archived_workflow_is_named(tmp_path):
    paths = small_lab(tmp_path, workflows("old-v1", outcomes="[green]"))
    assert warnings(paths) == [("archived-workflow", None)]


def test_refusals_and_overfull_contexts_are_reported_with_their_share(tmp_path):
    paths = small_lab(tmp_path)
    for number, reason in enumerate(["ok", "provider-refusal", "provider-refusal", "ok"]):
        add(paths, str(number), exit_reason=reason)
    add(paths, "5", "m2", exit_reason="context-exceeded")
    assert warnings(paths) == [("ended-by-the-arm", (M1,)), ("ended-by-the-arm", (M2,))]
    assert "2 of 4 runs (50 %)" in texts(paths)


def test_a_run_without_an_exit_reason_is_reported(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", exit_reason=None)
    assert warnings(paths) == [("no-exit-reason", (M1,))]
    assert "1 run of the cell" in texts(paths)


def test_overlapping_cells_are_named(tmp_path):
    text = QUESTION.replace("model: [m1, {any: [m2, m2-routed]}]", "model: [m1, {any: [m2, m1]}]")
    paths = small_lab(tmp_path, text)
    add(paths, "1")
    assert warnings(paths) == [("overlapping-cells", (M1, M2))]


def test_an_outcome_that_every_ok_run_has_is_named(tmp_path):
    name = "completed_within_budget"
    asked = QUESTION.replace("[green, share, tokens, code_mass, guess_correct_rate]", f"[{name}]")
    paths = small_lab(tmp_path, asked)
    registry = paths.root / "experiments" / "metrics-registry.yaml"
    registry.write_text(registry.read_text().replace("  green: {", f"  {name}: {{"))
    add(paths, "1", exit_reason="timeout")
    assert warnings(paths) == [("true-by-selection", name)]
    assert "compare the share of timeouts" in texts(paths)

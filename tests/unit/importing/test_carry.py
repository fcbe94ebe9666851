import pytest
from builders.originals import RUN, SKELETON, august, early, october, original_of
from lab.domain.metric import Reason
from lab.importing.carry import Beside, carry
from lab.importing.columns import COLUMNS, OCTOBER, outcome_names, split_kata
from lab.paths import REPOSITORY, LabPaths
from lab.store.registry import read_registry

HARNESSES = {"v1": "claude-code", "v2-pi": "pi"}
REGISTRY = read_registry(LabPaths(REPOSITORY))
IDS = frozenset(REGISTRY.ids)
VALUES = {
    "duration_seconds": 300,
    "wall_seconds": 300,
    "completed_within_budget": True,
    "tokens_total": 1_000_000,
    "context_utilization": 0.46,
    "cost_usd": 1.25,
    "predictions_correct": 9,
    "predictions_total": 10,
    "tests_passing": True,
    "tests_total": 5,
    "todos_remaining": 0,
    "test_lines": 30,
    "code_mass": 100,
    "mutation_score": None,
    "mccabe_max": 4,
    "mccabe_avg": 2.5,
    "mccabe_high_count": 0,
    "cognitive_max": 3,
    "cognitive_avg": 1.5,
    "cognitive_high_count": 0,
    "verification_total": 10,
    "verification_passed": 8,
    "verification_pct": 0.8,
    "coverage_statements_pct": 0.98,
    "coverage_branches_pct": 0.9,
    "production_loc": 36,
    "functions": 4,
    "longest_function": 12,
    "avg_loc_per_function": 7.5,
    "median_loc_per_function": 6,
    "smell_total": 3,
    "smell_complexity": 1,
    "smell_duplication": 0,
    "smell_magic_numbers": 2,
    "smell_code_quality": 0,
    "legacy_cc_imports": 1,
    "legacy_cli_built": True,
    "legacy_lines_of_code": 40,
    "legacy_cycle_count": 5,
    "legacy_refactorings_applied": 2,
    "legacy_tests_passed_immediately": 1,
    "legacy_avg_cycle_seconds": 50.5,
    "legacy_avg_red_seconds": 20.5,
    "legacy_avg_green_seconds": 20,
    "legacy_avg_refactor_seconds": 10,
}


@pytest.fixture
def carried(tmp_path):
    def call(document, hashes=None):
        return carry(original_of(tmp_path, document), Beside(HARNESSES, hashes or {}), REGISTRY)

    return call


def said(carried, name):
    one = carried.metrics[name]
    return one.reason if one.value is None else one.value


def test_a_run_of_august_keeps_its_values_under_our_names(carried):
    found = carried(august())
    assert found.oddities == ()
    assert {name: one.value for name, one in found.metrics.items()} == VALUES
    assert {one.by for one in found.metrics.values()} == {"original@2026-08"}
    assert said(found, "mutation_score") is Reason.NOT_REQUESTED


def test_the_record_has_what_was_recorded_and_null_for_the_rest(carried):
    hashes = (("prompt_sha", "5de3807c4e86"),)
    record = carried(august(), {RUN: hashes}).record
    identity = record.identity
    assert (identity.kata_base, identity.prompt) == ("life", "prose")
    assert (identity.stack, identity.harness, identity.harness_version) == (
        "typescript-vitest",
        "claude-code",
        None,
    )
    assert (identity.started_at, record.ended_at) == (
        "2026-05-20T10:00:00+00:00",
        "2026-05-20T10:05:00+00:00",
    )
    assert (identity.plan, identity.hashes, identity.attempts) == ("old-fill.json", hashes, None)
    assert (record.exit_code, record.timings.wall_seconds, record.timings.active_seconds) == (
        0,
        300.0,
        None,
    )
    assert identity.completion is None


def test_a_run_of_early_may_lacks_the_columns_that_came_later(carried):
    found = carried(early())
    assert said(found, "median_loc_per_function") is Reason.NO_SOURCE
    assert "legacy_cli_built" not in found.metrics
    assert found.metrics["code_mass"].by == "original@2026-05"
    assert found.oddities == ()


def test_a_run_of_october_is_read_by_its_new_names(carried):
    found = carried(october())
    assert (found.record.identity.stack, found.record.identity.harness_version) == (
        "python-pytest",
        "2.1.267 (Claude Code)",
    )
    names = ("tokens_total", "context_utilization", "production_loc", "cycles_closed")
    assert [said(found, name) for name in names] == [500, 0.4, 36, 3]
    assert said(found, "chain_opens_red") is True
    assert said(found, "legacy_cycle_count") == 7
    assert found.metrics["tokens_total"].by == "original@2026-10"
    assert found.oddities == ()


def test_a_skeleton_that_no_analysis_filled_has_its_cost_and_nothing_else(carried):
    found = carried(SKELETON)
    assert said(found, "cost_usd") == 2.5
    values = [name for name, one in found.metrics.items() if one.value is not None]
    assert sorted(values) == ["cost_usd", "duration_seconds", "wall_seconds"]
    assert [one.kind for one in found.oddities] == [
        "unknown-exit-reason" if kind == "exit" else kind
        for kind in ("skeleton", "other-time-zone", "exit")
    ]
    assert found.record.identity.started_at == "2026-05-20T16:00:00+00:00"
    assert found.record.identity.exit_reason == "unknown"


def test_a_file_that_the_agent_overwrote_is_named_and_its_own_numbers_are_not_believed(carried):
    forged = {"agent": "me", "cycle_count": 99, "predictions_total": 99, "started_at": ...}
    found = carried(august(**forged))
    assert [one.kind for one in found.oddities] == ["overwritten-by-the-agent", "no-start"]
    assert "agent, cycle_count, predictions_total" in found.oddities[0].text
    assert found.record.detections == ("overwritten-by-the-agent",)
    assert found.record.identity.started_at is None
    assert said(found, "predictions_total") == 10
    assert said(found, "legacy_cycle_count") == 5


def test_a_file_completed_by_hand_is_named_and_is_no_replicate(carried):
    found = carried(
        august(ended_at=None, duration_seconds=None, run_status__exit_reason="completed")
    )
    assert [one.kind for one in found.oddities] == ["patched-by-hand", "unknown-exit-reason"]
    assert found.record.identity.exit_reason == "completed"
    assert said(found, "duration_seconds") is Reason.NO_SOURCE
    assert said(found, "completed_within_budget") is Reason.NO_SOURCE
    assert len(found.record.warnings) == 2


def test_a_column_that_no_table_knows_is_named(carried):
    found = carried(august(final_metrics__brightness=3))
    assert [str(one.text) for one in found.oddities] == [
        "not carried over: final_metrics.brightness"
    ]


def test_text_where_a_number_belongs_is_null_and_named(carried):
    found = carried(august(final_metrics__code_mass="many"))
    assert said(found, "code_mass") is Reason.UNPARSABLE
    assert [one.kind for one in found.oddities] == ["text-for-a-number"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"duration_seconds": True}, "duration_seconds"),
        ({"final_metrics__tests_passing": 1}, "tests_passing"),
        ({"final_metrics__code_mass": 2**63}, "code_mass"),
    ],
)
def test_what_a_column_cannot_hold_is_unparsable(carried, change, name):
    found = carried(august(**change))
    assert said(found, name) is Reason.UNPARSABLE
    assert found.record.timings.wall_seconds in (300.0, None)


def test_names_of_a_foreign_file_are_escaped(carried):
    (oddity,) = carried(august(**{"\x1b[31m": 1})).oddities
    assert oddity.text.endswith("it also says \\x1b[31m")


def test_a_run_without_a_content_hash_is_odd_only_where_others_have_one(carried):
    assert carried(august()).oddities == ()
    others = {"another run": (("prompt_sha", "a"),)}
    assert [one.kind for one in carried(august(), others).oddities] == ["no-content-hash"]


@pytest.mark.parametrize(
    ("exit_reason", "within"),
    [
        ("ok", True),
        ("error-1", True),
        ("timeout", False),
        ("rate-limited", False),
        ("completed", Reason.NO_SOURCE),
    ],
)
def test_the_budget_follows_from_the_exit_reason(carried, exit_reason, within):
    found = carried(august(run_status__exit_reason=exit_reason))
    assert said(found, "completed_within_budget") == within


def test_every_alias_leads_to_a_row_of_the_registry_or_to_legacy():
    ours = [column.id for column in COLUMNS] + list(OCTOBER.values())
    assert [name for name in ours if name not in IDS and not name.startswith("legacy_")] == []


def test_the_aliases_agree_with_the_registry_s_own_older_names():
    spelled = outcome_names()
    formerly = {old: row.id for row in REGISTRY.rows for old in row.formerly}
    assert {old: spelled.get(old) for old in formerly} == formerly


def test_no_two_columns_of_august_share_a_name_a_place_or_an_id():
    for facts in zip(*((one.name, one.place, one.id) for one in COLUMNS), strict=True):
        assert len(set(facts)) == len(COLUMNS)


@pytest.mark.parametrize(
    ("kata", "parts"),
    [
        ("claim-office-lite-prose", ("claim-office-lite", "prose")),
        ("life-user-story", ("life", "user-story")),
        ("life", ("life", None)),
    ],
)
def test_a_kata_is_split_by_the_prompt_styles(kata, parts):
    assert split_kata(kata) == parts

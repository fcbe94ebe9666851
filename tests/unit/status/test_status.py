from dataclasses import replace

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, QUESTION, small_lab
from builders.repositories import commit, repository
from lab.domain.metric import measured
from lab.status.status import Sources, read_status
from lab.store.catalogue import read_catalogue
from lab.store.pool import Pool
from lab.store.questions import read_questions
from lab.store.registry import read_registry

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}
CURRENT = {"green": measured(True, "pytest@1"), "tokens": measured(7, "gateway@1")}


def life(number, model="m1", **changes):
    return identity(f"{model}-{number}", model=model, **{**LIFE, **changes})


def status_of(paths):
    sources = Sources(paths, Pool(paths), read_catalogue(paths), read_registry(paths))
    return read_status(sources, read_questions(paths))


def only(paths):
    (status,) = status_of(paths)
    return status


@pytest.fixture
def paths(tmp_path):
    return small_lab(tmp_path)


def fill(paths, **changes):
    for model in ("m1", "m2"):
        for number in range(3):
            add_run(paths, life(number, model, **changes), CURRENT)


def finish(paths):
    folder = paths.root / FOLDER
    (folder / "summary.json").write_text("{}")
    (folder / "findings.md").write_text("## F-small.1 — Both do\n")
    repository(paths.root)


def test_a_new_question_is_open_and_wants_a_plan(paths):
    status = only(paths)
    assert (status.cells, status.full, status.short) == (2, 0, 6)
    assert (status.matched, status.findings, status.newer) == (0, 0, None)
    assert status.is_open
    assert status.next_step == "lab plan RQ-small"


def test_only_ok_runs_fill_a_cell(paths):
    fill(paths)
    add_run(paths, life(7), CURRENT)
    add_run(paths, life(8, exit_reason="timeout"), CURRENT)
    add_run(paths, life(9, exit_reason=None), CURRENT)
    status = only(paths)
    assert (status.cells, status.full, status.short) == (2, 2, 0)
    assert (status.matched, status.usable) == (9, 7)


def test_a_cell_with_timeouts_only_is_short(paths):
    fill(paths, exit_reason="timeout")
    status = only(paths)
    assert (status.full, status.short, status.matched, status.usable) == (0, 6, 6, 0)


def test_an_alternative_fills_its_cell(paths):
    for number in range(3):
        add_run(paths, life(number, "m2-routed"), CURRENT)
    assert only(paths).full == 1


def test_runs_of_other_cells_do_not_count(paths):
    add_run(paths, life(1, workflow="adhoc-v1"), CURRENT)
    add_run(paths, life(2, stack="rust-cargo"), CURRENT)
    assert only(paths).matched == 0


def test_a_full_question_walks_through_its_next_steps(paths):
    fill(paths)
    assert only(paths).next_step == "lab aggregate RQ-small"
    (paths.root / FOLDER / "summary.json").write_text("{}")
    assert only(paths).next_step == f"write {FOLDER}/findings.md"
    finish(paths)
    status = only(paths)
    assert (status.findings, status.newer, status.is_open) == (1, 0, False)
    assert status.next_step == ""


def test_runs_after_the_findings_reopen_a_question(paths):
    fill(paths, started_at="2026-05-01T10:00:00+00:00")
    finish(paths)
    assert not only(paths).is_open
    add_run(paths, life(8, started_at="2026-06-01T12:00:01+00:00"), CURRENT)
    status = only(paths)
    assert (status.newer, status.is_open) == (1, True)
    assert status.next_step == f"lab aggregate RQ-small and review {FOLDER}/findings.md"
    with (paths.root / FOLDER / "findings.md").open("a") as file:
        file.write("More.\n")
    commit(paths.root, "review", at="2026-06-02T12:00:00+00:00")
    assert only(paths).newer == 0


@pytest.mark.parametrize(
    ("started_at", "newer", "undated"),
    [
        ("2026-06-01T11:59:59+00:00", 0, 0),
        ("2026-06-01T12:00:00Z", 0, 0),
        ("2026-06-01T12:00:01Z", 1, 0),
        ("2026-06-01T13:59:00+02:00", 0, 0),
        ("2026-06-01T14:00:01+02:00", 1, 0),
        ("2026-06-01T12:00:01", 1, 0),
        (None, 0, 1),
        ("2026-06-01Tnoon", 0, 1),
    ],
)
def test_starts_are_compared_in_utc(paths, started_at, newer, undated):
    fill(paths, started_at="2026-05-01T10:00:00+00:00")
    finish(paths)
    add_run(paths, life(8, started_at=started_at), CURRENT)
    status = only(paths)
    assert (status.newer, status.undated) == (newer, undated)


def test_values_of_an_older_version_are_stale(paths):
    fill(paths)
    finish(paths)
    add_run(paths, life(8), {"green": measured(True, "pytest@0")})
    add_run(paths, life(9), {"skips": measured(1, "chain@0")})
    status = only(paths)
    assert status.stale == ("m1-8",)
    assert status.next_step == "lab analyze $(lab status --stale RQ-small)"


def test_values_of_another_lab_cannot_be_stale(paths):
    fill(paths)
    add_run(paths, life(8), {"green": measured(True, "original@2026-05")})
    assert only(paths).stale == ()


def test_the_parts_of_a_pooled_outcome_can_be_stale(paths):
    fill(paths)
    add_run(paths, life(8), {"guess_total": measured(1, "marks@7")})
    assert only(paths).stale == ("m1-8",)


def test_a_closed_question_needs_nothing(paths):
    closed = QUESTION.replace("min_replicates: 3", 'min_replicates: 3\nclosed: "no budget"')
    (paths.root / FOLDER / "README.md").write_text(closed)
    status = only(paths)
    assert (status.closed, status.is_open, status.next_step) == ("no budget", False, "")
    assert status.short == 6


def test_a_finding_that_is_not_read_is_told(paths):
    (paths.root / FOLDER / "findings.md").write_text("## F-small.1 - hyphen\n")
    status = only(paths)
    assert status.findings == 0
    assert len(status.warnings) == 1


def test_a_run_of_two_questions_counts_in_both(paths):
    second = paths.root / "research/tree/1.2-other"
    second.mkdir()
    (second / "README.md").write_text(QUESTION.replace("RQ-small", "RQ-other"))
    fill(paths)
    assert [status.matched for status in status_of(paths)] == [6, 6]


def test_groups_give_the_same_counts_as_single_runs(paths):
    """The oracle matches every run with every cell, one by one."""
    from lab.domain.cell import expand, matches

    reasons = ("ok", "timeout", None, "error-1")
    for number in range(60):
        run = life(number, ("m1", "m2", "m2-routed", "m3")[number % 4])
        changed = replace(run, exit_reason=reasons[number % 3], plan=f"p{number % 5}")
        add_run(paths, changed, CURRENT)
    (question,) = read_questions(paths)
    cells = expand(question, read_catalogue(paths).default_stack)
    runs = Pool(paths).identities()
    status = only(paths)
    assert status.matched == sum(any(matches(cell, run) for cell in cells) for run in runs)
    ok = [run for run in runs if run.exit_reason == "ok"]
    usable = [sum(matches(cell, run) for run in ok) for cell in cells]
    assert status.usable == sum(usable)
    assert status.short == sum(max(0, 3 - count) for count in usable)

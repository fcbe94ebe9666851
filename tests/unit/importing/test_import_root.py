"""Whole imports of small hand-made pools, and what the command says about them."""

import json
import os

import pytest
from builders.originals import QUESTION, SKELETON, august, early, october, source_of
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.errors import LabError
from lab.importing.render import markdown
from lab.importing.report import report
from lab.importing.root import import_pool
from lab.paths import LabPaths
from lab.store.catalogue import read_catalogue
from lab.store.pool import Pool
from lab.store.questions import read_questions
from lab.store.schema import check

RUNS = {
    "2026-05-01_a": early(),
    "2026-05-20_b": august(model="m1-route", started_at="2026-05-20T12:00:00+02:00"),
    "2026-05-21_c": august(workflow="v2-pi", summary_metrics__context_utilization_pct=0),
    "2026-10-01_d": october(kata="other-prose"),
    "2026-10-02_e": SKELETON,
    "2026-10-03_torn": '{"kata": "life-prose", "work',
    "2026-10-04_live": august(run_status=...),
    "_invalidated_x": august(),
}
SUMMARY = """\
# RQ-old — Aggregation

Cells declared: 2 · matched runs: 4 · min_replicates: 2

## Zell-Coverage

| kata | workflow | model | n | n_ok | status |
|---|---|---|---:|---:|---|
| life-prose | v1 | m1 | 3 | 3 | ✅ |
| life-prose | v2-pi | m1 | 1 | 1 | ⚠️ unter min_replicates (1/2) |

## Outcome-Pivots (pro Zelle)

### cc_loc

| kata       | cell_workflow | cell_model |   n |   mean |   min |   max |   std |
|:-----------|:--------------|:-----------|----:|-------:|------:|------:|------:|
| life-prose | v1            | m1         |   2 |     36 |    36 |    36 |     0 |
| life-prose | v2-pi         | m1         |   1 |     36 |    36 |    36 |   nan |

### tests_passing (rate %)

| kata       | cell_workflow | cell_model |   n |   match |   rate_% |
|:-----------|:--------------|:-----------|----:|--------:|---------:|
| life-prose | v1            | m1         |   3 |       2 |       67 |
| life-prose | v2-pi         | m1         |   1 |       1 |      100 |

### verification_pct

| kata       | cell_workflow | cell_model |   n |   mean |   min |   max |   std |
|:-----------|:--------------|:-----------|----:|-------:|------:|------:|------:|
| life-prose | v1            | m1         |   2 |    0.8 |   0.8 |   0.8 |     0 |
| life-prose | v2-pi         | m1         |   1 |    0.8 |   0.8 |   0.8 |   nan |

### predictions_correct_rate (pooled %)

| kata       | cell_workflow | cell_model |   n |   correct |   total |   rate_% |
|:-----------|:--------------|:-----------|----:|----------:|--------:|---------:|
| life-prose | v1            | m1         |   2 |        18 |      20 |       90 |
| life-prose | v2-pi         | m1         |   1 |         9 |      10 |       90 |

### tdd_cycles

_Spalte `tdd_cycles` nicht in CSV._
"""


def quiet(done, total):
    assert 0 < done <= total


@pytest.fixture
def source(tmp_path):
    folder = source_of(tmp_path / "old", RUNS)
    hashes = {"2026-05-01_a": {"prompt": "aaaaaaaaaaaa", "workflow": "bbbbbbbbbbbb"}}
    (folder / "content-hashes.json").write_text(json.dumps(hashes))
    place = folder / "expected" / "research" / "old" / "1.1-old"
    place.mkdir(parents=True)
    (place / "summary.md").write_text(SUMMARY)
    return folder


@pytest.fixture
def paths(tmp_path):
    return LabPaths(tmp_path / "new")


@pytest.fixture
def command(capsys):
    def call(*arguments):
        code = guarded(lab, ["import", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def tree(root):
    hidden = {".lock", ".index.json"}
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file() and path.name not in hidden
    }


def test_an_import_is_a_lab_root_with_the_runs_the_question_and_the_harnesses(source, paths):
    change = import_pool(source, paths, quiet)
    assert change.added == tuple(sorted(RUNS))[:5]
    assert change.outside == ("_invalidated_x",)
    runs = {run.run_id: run for run in Pool(paths).identities()}
    assert tuple(runs) == change.added
    assert [run.harness for run in runs.values()] == [
        "claude-code",
        "claude-code",
        "pi",
        "claude-code",
        "claude-code",
    ]
    assert runs["2026-05-20_b"].started_at == "2026-05-20T10:00:00+00:00"
    assert runs["2026-05-01_a"].hashes == (
        ("prompt_sha", "aaaaaaaaaaaa"),
        ("workflow_sha", "bbbbbbbbbbbb"),
    )
    catalogue = read_catalogue(paths)
    assert (catalogue.is_imported, catalogue.fallback_stack) == (True, "typescript-vitest")
    assert [row.id for row in catalogue.workflows if row.is_archived] == ["v0"]


def test_questions_keep_their_text_and_read_with_the_registry_s_names(source, paths):
    import_pool(source, paths, quiet)
    (question,) = read_questions(paths)
    assert question.outcomes == (
        "production_loc",
        "tests_passing",
        "verification_pct",
        "predictions_correct_rate",
        "tdd_cycles",
    )
    assert (paths.root / question.folder / "README.md").read_text() == QUESTION
    assert (paths.root / question.folder / "findings.md").exists()


def test_a_file_that_is_no_run_is_named_for_ever_and_never_counted(source, paths):
    change = import_pool(source, paths, quiet)
    assert [name for name, _ in change.unreadable] == ["2026-10-03_torn", "2026-10-04_live"]
    pool = Pool(paths)
    assert len(pool.identities()) == 5
    assert [fault.run_id for fault in pool.faults()] == ["2026-10-03_torn", "2026-10-04_live"]
    reasons = dict(report(paths).unreadable)
    assert "not JSON" in reasons["2026-10-03_torn"]
    assert "broken off" in reasons["2026-10-04_live"]


def test_a_link_or_a_pipe_is_named_and_never_followed(source, paths, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("mine")
    for name in ("link", "pipe"):
        (source / "experiments" / "runs" / name).mkdir()
    (source / "experiments" / "runs" / "link" / "metrics.json").symlink_to(secret)
    os.mkfifo(source / "experiments" / "runs" / "pipe" / "metrics.json")
    change = import_pool(source, paths, quiet)
    assert ("link", "a symbolic link, not a file") in change.unreadable
    assert ("pipe", "not a regular file") in change.unreadable
    assert {name for name, _ in report(paths).unreadable} >= {"link", "pipe"}
    assert [path.name for path in paths.run("link").folder.iterdir()] == []


def test_importing_again_touches_no_file(source, paths):
    import_pool(source, paths, quiet)
    before = tree(paths.root)
    change = import_pool(source, paths, quiet)
    assert (change.added, change.updated, len(change.unchanged)) == ((), (), 5)
    assert tree(paths.root) == before


def test_a_run_that_changed_in_the_source_is_brought_up_to_date(source, paths):
    import_pool(source, paths, quiet)
    changed = source / "experiments" / "runs" / "2026-05-20_b" / "metrics.json"
    changed.write_text(json.dumps(august(final_metrics__code_mass=7)))
    mended = source / "experiments" / "runs" / "2026-10-03_torn" / "metrics.json"
    mended.write_text(json.dumps(august()))
    change = import_pool(source, paths, quiet)
    assert (change.added, change.updated) == (("2026-10-03_torn",), ("2026-05-20_b",))
    pool = Pool(paths)
    pool.refresh()
    metrics = pool.metrics(("2026-05-20_b",))
    assert metrics["2026-05-20_b"]["code_mass"].value == 7


def test_findings_written_in_the_root_are_kept_and_named(source, paths):
    import_pool(source, paths, quiet)
    mine = paths.research / "old" / "1.1-old" / "findings.md"
    mine.write_text("## F-1.1 — no, v2\n")
    assert import_pool(source, paths, quiet).kept == ("research/old/1.1-old/findings.md",)
    assert mine.read_text() == "## F-1.1 — no, v2\n"


def test_a_broken_off_import_is_finished_by_the_next(source, paths):
    def break_off(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_pool(source, paths, break_off)
    change = import_pool(source, paths, quiet)
    assert (len(change.added), len(change.unchanged)) == (3, 2)


@pytest.mark.parametrize("made", ["other-root", "other-source", "file", "same"])
def test_nothing_of_another_origin_is_overwritten(source, paths, tmp_path, made):
    if made == "other-root":
        paths.research.mkdir(parents=True)
    if made == "file":
        paths.root.write_text("mine")
    if made == "other-source":
        import_pool(source_of(tmp_path / "older", {}), paths, quiet)
    target = LabPaths(source) if made == "same" else paths
    with pytest.raises(LabError):
        import_pool(source, target, quiet)


def test_a_folder_without_runs_is_no_source(tmp_path, paths):
    with pytest.raises(LabError, match="experiments/runs"):
        import_pool(tmp_path, paths, quiet)
    assert not paths.root.exists()


def test_harnesses_are_found_by_the_workflows_own_folders(tmp_path, paths):
    folder = source_of(tmp_path / "old", {"a": august(workflow="both")})
    (folder / "workflow-harness.json").unlink()
    for name in ("both/.pi", "both/.claude", "_archive/v0/.cursor"):
        (folder / "experiments" / "workflows" / name).mkdir(parents=True)
    import_pool(folder, paths, quiet)
    rows = read_catalogue(paths).workflows
    assert [(row.id, row.harness, row.is_archived) for row in rows] == [
        ("both", "pi", False),
        ("v0", "cursor-agent", True),
    ]


def test_an_unknown_marker_folder_is_refused(tmp_path, paths):
    folder = source_of(tmp_path / "old", {})
    (folder / "workflow-harness.json").write_text('{"v1": ".codex"}')
    with pytest.raises(LabError, match=r"\.codex"):
        import_pool(folder, paths, quiet)


def test_the_report_has_both_the_original_s_tables_and_our_missing_replicates(source, paths):
    import_pool(source, paths, quiet)
    found = report(paths)
    (question,) = found.questions
    assert question.comparison
    assert [str(one) for one in question.comparison.differences] == []
    assert (question.comparison.tables, question.comparison.statuses) == (6, 2)
    assert (question.comparison.numbers, question.comparison.equal) == (41, 41)
    assert found.is_reproduced
    assert (question.cells, question.matched, question.usable) == (2, 4, 3)
    assert question.short == (("life-prose / v2-pi / m1 / typescript-vitest", 1),)
    assert {odd.kind: len(odd.runs) for odd in found.odd} == {
        "no-content-hash": 4,
        "other-time-zone": 2,
        "skeleton": 1,
        "unknown-exit-reason": 1,
    }
    assert dict(found.generations) == {"2026-05": 1, "2026-08": 2, "2026-10": 1, "skeleton": 1}


def test_a_wrong_number_in_the_original_s_table_is_reported(source, paths):
    table = source / "expected" / "research" / "old" / "1.1-old" / "summary.md"
    table.write_text(SUMMARY.replace("18 |      20", "18 |      21"))
    import_pool(source, paths, quiet)
    found = report(paths)
    assert not found.is_reproduced
    assert [str(one) for one in found.compared[0].differences] == [
        "predictions_correct_rate (pooled %): life-prose / v1 / m1: total: printed 21, here 20"
    ]


@pytest.mark.parametrize("text", ["# of another time\n", SUMMARY])
def test_a_table_of_another_time_is_named_and_not_compared(source, paths, text):
    table = source / "expected" / "research" / "old" / "1.1-old" / "summary.md"
    table.write_text(text.replace("| life-prose | v1 | m1 | 3 | 3 | ✅ |", "| life-prose |"))
    import_pool(source, paths, quiet)
    found = report(paths)
    assert (found.questions[0].comparison, found.is_reproduced) == (None, False)
    assert "original-summary.md" in (found.questions[0].fault or "")
    assert "## Not compared" in markdown(found)


def test_without_tables_nothing_is_called_reproduced(tmp_path, paths):
    import_pool(source_of(tmp_path / "old", {"a": august()}), paths, quiet)
    found = report(paths)
    assert (found.compared, found.is_reproduced) == ((), False)


def test_a_run_without_its_original_is_not_passed_over(source, paths):
    import_pool(source, paths, quiet)
    (paths.run("2026-05-01_a").folder / "original-metrics.json").unlink()
    with pytest.raises(LabError, match="2026-05-01_a"):
        report(paths)


def test_the_command_imports_reports_and_says_what_to_type_next(source, paths, command):
    code, out, err = command(source, "--into", paths.root)
    assert code == 0
    assert "runs: 5 added, 0 updated, 0 unchanged\n" in err
    assert "left out, outside the pool: _invalidated_x\n" in err
    assert "not a run: 2026-10-04_live: no run_status.exit_reason: the run was broken off" in err
    assert "41 of 41 printed numbers in 6 tables are reproduced" in out
    assert "| RQ-old | 2 | 4 | 3 | 6 | 41 | 41 | 0 | 1 |" in out
    assert out.endswith(
        "every printed number is reproduced\n"
        f"next: lab --root {paths.root} aggregate --all --allow-archived\n"
    )
    assert (paths.root / "import-report.md").read_text() in out


def test_the_report_can_be_had_again_as_json_without_the_source(source, paths, command):
    command(source, "--into", paths.root)
    before = tree(paths.root)
    code, out, _ = command("--report", paths.root, "--json")
    document = json.loads(out)
    assert (code, check("import-report", document, "stdout")) == (0, ())
    assert document["is_reproduced"] is True
    assert document["missing"] == 1
    assert json.loads((paths.root / "import-report.json").read_text()) == document
    assert tree(paths.root) == before


@pytest.mark.parametrize("arguments", [(), ("--into", "x"), ("y",), ("y", "--report", "x")])
def test_half_a_command_is_a_usage_error(command, arguments):
    assert command(*arguments)[0] == 2


def test_a_root_that_was_not_imported_has_no_report(tmp_path, command):
    code, _, err = command("--report", tmp_path)
    assert (code, err.startswith("error: ")) == (1, True)

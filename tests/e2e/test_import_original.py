"""The original lab's whole pool: imported, its tables reproduced, and a lab root that works."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.domain.cell import expand
from lab.domain.coverage import cover, group_runs
from lab.importing.report import Report, report
from lab.importing.root import Change, import_pool
from lab.paths import LabPaths
from lab.store.catalogue import read_catalogue
from lab.store.pool import Pool
from lab.store.questions import read_questions

pytestmark = [pytest.mark.data, pytest.mark.slow]


def _quiet(_done: int, _total: int) -> None:
    return None


@pytest.fixture(scope="module")
def imported(
    original_pool: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[LabPaths, Change]:
    paths = LabPaths(tmp_path_factory.mktemp("imported") / "root")
    return paths, import_pool(original_pool, paths, _quiet)


@pytest.fixture(scope="module")
def found(imported: tuple[LabPaths, Change]) -> Report:
    return report(imported[0])


def _command(
    paths: LabPaths, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str]:
    code = guarded(lab, ["--root", str(paths.root), *arguments])
    return code, capsys.readouterr().out


def test_1304_runs_come_over_and_two_stay_outside(imported: tuple[LabPaths, Change]) -> None:
    paths, change = imported
    assert (len(change.added), change.unreadable) == (1304, ())
    assert sum(name.startswith("_invalidated_") for name in change.outside) == 2
    assert len(Pool(paths).identities()) == 1304
    assert Pool(paths).faults() == ()


def test_importing_again_changes_nothing(
    imported: tuple[LabPaths, Change], original_pool: Path
) -> None:
    again = import_pool(original_pool, imported[0], _quiet)
    assert (again.added, again.updated, len(again.unchanged)) == ((), (), 1304)


def test_there_are_44_questions_with_284_cells(found: Report) -> None:
    assert (len(found.questions), sum(one.cells for one in found.questions)) == (44, 284)


def test_every_number_of_every_table_is_reproduced(found: Report) -> None:
    differences = [str(one) for part in found.compared for one in part.differences]
    assert differences == []
    assert len(found.compared) == 44
    assert sum(one.tables for one in found.compared) == 726
    assert sum(one.statuses for one in found.compared) == 284
    numbers = sum(one.numbers for one in found.compared)
    assert numbers == sum(one.equal for one in found.compared) == 20062


def test_by_our_rules_35_replicates_are_missing_over_12_questions(
    found: Report, imported: tuple[LabPaths, Change], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (found.missing, sum(one.missing > 0 for one in found.questions)) == (35, 12)
    code, out = _command(imported[0], capsys, "plan", "--all", "--dry-run", "--json")
    cells = [cell for part in json.loads(out)["questions"] for cell in part["cells"]]
    assert (code, sum(cell["missing"] for cell in cells)) == (0, 35)


def test_odd_files_are_named(found: Report) -> None:
    assert {odd.kind: len(odd.runs) for odd in found.odd} == {
        "no-content-hash": 5,
        "no-start": 1,
        "other-time-zone": 1,
        "overwritten-by-the-agent": 1,
        "patched-by-hand": 5,
        "skeleton": 1,
        "unknown-column": 1,
        "unknown-exit-reason": 6,
    }
    assert dict(found.generations) == {"2026-05": 30, "2026-08": 1273, "skeleton": 1}


def test_zeros_that_were_no_measurements_are_null(found: Report) -> None:
    runs = {one.rule: one.runs for one in found.nulled}
    assert (runs["no-code"], runs["nothing-ran"], runs["no-suite"]) == (38, 17, 65)
    assert (runs["no-price"], runs["no-transcript"]) == (25, 6)


def test_endings_that_our_table_does_not_know_stay_and_never_count(
    imported: tuple[LabPaths, Change], found: Report
) -> None:
    runs = Pool(imported[0]).identities()
    assert Counter(run.exit_reason for run in runs) == {
        "ok": 1282,
        "timeout": 11,
        "completed": 5,
        "error-1": 3,
        "rate-limited": 2,
        "unknown": 1,
    }
    stopped = [run for run in runs if run.completion == "stopped-early"]
    assert (len(stopped), {run.exit_reason for run in stopped}) == (33, {"ok"})


def test_an_imported_root_can_be_looked_at_and_aggregated(
    imported: tuple[LabPaths, Change], capsys: pytest.CaptureFixture[str]
) -> None:
    paths, _ = imported
    code, out = _command(paths, capsys, "aggregate", "--all", "--allow-archived", "--json")
    assert (code, len(json.loads(out)["questions"])) == (0, 44)
    code, out = _command(paths, capsys, "aggregate", "--all", "--allow-archived", "--check")
    assert code == 0
    code, out = _command(paths, capsys, "status", "--json")
    questions = json.loads(out)["questions"]
    assert (code, sum(one["matched"] for one in questions)) == (0, 1571)
    assert [one["id"] for one in questions if one["stale"]] == []


def test_our_table_counts_ok_runs_only_and_leaves_nulls_out(
    imported: tuple[LabPaths, Change], capsys: pytest.CaptureFixture[str]
) -> None:
    """The model whose linter once did not run: four of five values, and the original's fifth, 0."""
    paths, _ = imported
    code, _ = _command(paths, capsys, "aggregate", "RQ-model-quality-pi")
    assert code == 0
    text = (paths.research / "questions-pi" / "1.1-model-quality-pi" / "summary.json").read_text()
    summary = json.loads(text)
    (cell,) = [cell for cell in summary["cells"] if cell["model"] == "gpt-5-6-terra"]
    complexity = cell["outcomes"]["cognitive_max"]
    assert (complexity["n"], complexity["nulls"]) == (4, {"tool-failed": 1})
    assert math.isclose(complexity["mean"], 9.75)


def test_24_cells_mix_versions_of_a_prompt_and_9_questions_compare_across_them(
    imported: tuple[LabPaths, Change],
) -> None:
    """The counts of decision 0003's source, all matched runs: provenance came over whole."""
    paths, _ = imported
    groups = group_runs(Pool(paths).identities())
    default_stack = read_catalogue(paths).default_stack
    mixed, with_runs, across = 0, 0, set()
    for question in read_questions(paths):
        seen: dict[str, set[frozenset[str]]] = {}
        for part in cover(expand(question, default_stack), groups):
            shas = frozenset(sha for run in part.runs if (sha := run.hash_of("prompt_sha")))
            with_runs += bool(part.runs)
            mixed += len(shas) > 1
            if shas:
                seen.setdefault(part.cell.kata, set()).add(shas)
        if any(len(kinds) > 1 for kinds in seen.values()):
            across.add(question.id)
    assert (mixed, with_runs, len(across)) == (24, 281, 9)

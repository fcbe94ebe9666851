import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, QUESTION, small_lab, small_question
from lab.aggregation.aggregate import FILES, aggregate
from lab.aggregation.gather import Sources
from lab.domain.metric import Reason, measured, missing
from lab.errors import LabError
from lab.paths import REPOSITORY
from lab.store.lock import pool_lock
from lab.store.run_files import write_metrics
from lab.store.schema import check

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}
HASHES = (("prompt_sha", "a" * 64),)


def clock(day=1):
    return lambda: datetime(2026, 11, day, 12, tzinfo=UTC)


def metrics(number, **more):
    return {
        "green": measured(number != 2, "pytest@1"),
        "share": measured(number / 4, "suite@1"),
        "tokens": measured(1_000_000 + 250_000 * number, "gateway@1"),
        "code_mass": measured(100 + number, "mass@1"),
        "guess_correct": measured(number, "marks@1"),
        "guess_total": measured(4, "marks@1"),
        **more,
    }


@pytest.fixture
def paths(tmp_path):
    found = small_lab(tmp_path)
    for number in range(4):
        add_run(found, identity(f"m1-{number}", model="m1", hashes=HASHES, **LIFE), metrics(number))
    lacking = {"code_mass": missing(Reason.TOOL_FAILED, "mass@1")}
    for number, reason in enumerate(["ok", "ok", "timeout", "provider-refusal"]):
        run = identity(f"m2-{number}", model="m2", hashes=HASHES, exit_reason=reason, **LIFE)
        add_run(found, run, metrics(number, **lacking))
    return found


def contents(paths):
    return {name: (paths.root / FOLDER / name).read_bytes() for name in FILES}


def run(paths, **options):
    return aggregate(paths, small_question(paths), **{"clock": clock(), **options})


@pytest.mark.parametrize("name", FILES)
def test_the_three_files_are_as_read_and_accepted(paths, golden, name):
    assert run(paths).changed == FILES
    golden(f"aggregation/{name}", contents(paths)[name].decode())


def test_summary_json_conforms_to_its_schema(paths):
    run(paths)
    document = json.loads(contents(paths)["summary.json"])
    assert check("summary", document, "summary.json") == ()
    assert document["counts"] == {"cells": 2, "declared": 6, "matched": 8, "ok": 6}


def test_a_second_run_changes_no_byte_and_computes_nothing(paths):
    run(paths)
    before = contents(paths)
    again = run(paths, clock=clock(2))
    assert (again.changed, again.is_recalled) == ((), True)
    assert (again.cells, again.matched, again.ok) == (2, 8, 6)
    assert contents(paths) == before


def test_without_the_cache_the_same_bytes_are_computed_and_the_old_date_stays(paths):
    run(paths)
    before = contents(paths)
    for cached in (paths.runs / ".cache").rglob("*.json"):
        cached.unlink()
    again = run(paths, clock=clock(2))
    assert (again.changed, again.is_recalled) == ((), False)
    assert contents(paths) == before


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"schema_version": 1}', b"\xff\xfe"])
def test_a_broken_cache_is_no_cache(paths, junk):
    run(paths)
    (cached,) = (paths.runs / ".cache").rglob("*.json")
    cached.write_bytes(junk)
    assert run(paths).is_recalled is False


def test_a_new_run_rewrites_the_files(paths):
    run(paths)
    add_run(paths, identity("m1-9", model="m1", hashes=HASHES, **LIFE), metrics(3))
    assert run(paths).changed == FILES


def test_a_run_of_another_question_changes_nothing(paths):
    run(paths)
    add_run(paths, identity("other", model="m9", **LIFE), metrics(3))
    assert run(paths).is_recalled is True


def test_a_new_measurement_of_an_old_run_rewrites_the_files(paths):
    run(paths)
    write_metrics(paths.run("m1-0"), metrics(0, code_mass=measured(999, "mass@1")))
    assert run(paths).changed == FILES


def test_a_hand_edited_file_is_restored_and_only_that_one(paths):
    run(paths)
    before = contents(paths)
    (paths.root / FOLDER / "summary.md").write_text("trust me\n")
    assert run(paths).changed == ("summary.md",)
    assert contents(paths) == before


def test_a_deleted_file_is_restored(paths):
    run(paths)
    (paths.root / FOLDER / "runs.csv").unlink()
    assert run(paths).changed == ("runs.csv",)


def test_a_change_of_the_registry_is_seen(paths):
    run(paths)
    text = paths.registry.read_text().replace("unit: mass", "unit: points")
    paths.registry.write_text(text)
    assert run(paths).changed == ("summary.json", "summary.md")


def test_a_change_of_a_workflows_words_is_seen(paths):
    run(paths)
    (paths.workflows / "plain-v1" / "README.md").write_text("Keep code_mass low.")
    assert run(paths).changed == ("summary.json", "summary.md")


def test_a_check_writes_nothing_and_names_what_would_change(paths):
    found = run(paths, is_check=True)
    assert found.changed == FILES
    assert not any((paths.root / FOLDER / name).exists() for name in FILES)
    assert not (paths.runs / ".cache").exists()


def test_an_archived_workflow_is_refused_unless_allowed(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("plain-v1", "old-v1"))
    with pytest.raises(LabError, match="archived workflow old-v1: add --allow-archived"):
        run(paths)
    assert run(paths, allow_archived=True).warnings == 1


def test_a_question_without_any_run_still_gets_its_tables(tmp_path):
    paths = small_lab(tmp_path)
    assert run(paths).changed == FILES
    text = contents(paths)["summary.md"].decode()
    assert text.count("| no runs |") == 2
    assert "| life-prose | plain-v1 | m1 | 0 | n/a | n/a |" in text


def test_a_lone_surrogate_is_written_as_its_escape(tmp_path):
    paths = small_lab(tmp_path)
    odd = replace(small_question(paths), question="Which caf\udce9?")
    assert aggregate(paths, odd, clock=clock()).changed == FILES
    assert json.loads(contents(paths)["summary.json"])["question"]["question"] == "Which caf\udce9?"


@pytest.mark.skipif(not os.path.isdir("/sys/kernel"), reason="needs a folder nobody can write")
def test_a_pool_that_cannot_be_written_costs_the_cache_only(paths):
    (paths.runs / ".cache").symlink_to("/sys")
    assert run(paths).changed == FILES
    again = run(paths)
    assert (again.changed, again.is_recalled) == ((), False)


def test_no_run_disappears_while_it_is_read(paths):
    with pool_lock(paths, exclusive=False):
        assert run(paths).changed == FILES


def test_several_questions_share_one_look_at_the_pool(paths):
    sources = Sources(paths)
    assert run(paths, sources=sources).changed == FILES
    assert run(paths, sources=sources).changed == ()


def test_a_warm_run_imports_no_statistics_package(paths):
    run(paths)
    code = (
        "import sys; from pathlib import Path; from lab.paths import LabPaths;"
        "from lab.aggregation.aggregate import aggregate;"
        "from lab.store.questions import find_question;"
        f"paths = LabPaths(Path({str(paths.root)!r}));"
        "found = aggregate(paths, find_question(paths, 'RQ-small'));"
        "print(found.is_recalled, {'scipy', 'numpy', 'pandas', 'statsmodels'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "experiments")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "True set()\n"

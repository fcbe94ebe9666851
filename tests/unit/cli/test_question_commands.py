"""lab init, lint and plan as their user sees them."""

import json
from pathlib import Path

import pytest
from builders.pools import add_run, identity, metrics
from builders.questions import FOLDER, QUESTION, small_lab
from click.testing import CliRunner, Result
from lab.cli.boundary import guarded
from lab.cli.main import lab
from lab.paths import LabPaths
from lab.store.plans import read_plan

CALIBRATED = QUESTION.replace("guess_correct_rate", "skips")


def call(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(lab, ["--root", str(root), *arguments], catch_exceptions=False)


def fails(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = guarded(lab, ["--root", str(root), *arguments])
    return code, capsys.readouterr().err


def add(paths: LabPaths, number: int, **changes: object) -> None:
    facts = {"kata": "life-prose", "kata_base": "life", "workflow": "plain-v1", "model": "m1"}
    run = identity(f"2026-01-01_00-00-{number:02d}_x", **(facts | changes))
    add_run(paths, run, metrics(number))


def test_the_way_from_a_new_question_to_a_plan(tmp_path: Path) -> None:
    made = call(tmp_path, "init", "first")
    assert made.exit_code == 0
    assert made.stdout.endswith(f"next: edit it, then lab --root {tmp_path} plan RQ-first\n")
    linted = call(tmp_path, "lint")
    assert linted.exit_code == 0
    assert "0 errors" in linted.stdout
    planned = call(tmp_path, "plan", "RQ-first")
    path = tmp_path / "experiments" / "batch-plans" / "rq-first-fill.json"
    assert planned.stdout == f"{path}\nnext: lab --root {tmp_path} batch rq-first-fill\n"
    assert "6 runs planned" in planned.stderr
    assert len(read_plan(path).runs) == 6


def test_lint_ends_with_1_on_errors_only(tmp_path: Path) -> None:
    small_lab(tmp_path)
    warned = call(tmp_path, "lint")
    assert (warned.exit_code, "warning" in warned.stdout) == (0, True)
    readme = tmp_path / FOLDER / "README.md"
    readme.write_text(readme.read_text().replace("prompt: prose", "prompt: prosa"))
    broken = call(tmp_path, "lint", FOLDER)
    assert broken.exit_code == 1
    assert f"{FOLDER}/README.md:8: error: the kata life has no prompt prosa" in broken.stdout
    assert broken.stdout.endswith(f"next: mend the errors, then lab --root {tmp_path} lint again\n")


def test_lint_prints_json(tmp_path: Path) -> None:
    small_lab(tmp_path)
    document = json.loads(call(tmp_path, "lint", "--json").stdout)
    assert (document["questions"], document["errors"]) == (1, 0)
    assert document["warnings"] == len(document["remarks"])
    assert set(document["remarks"][0]) == {"severity", "file", "line", "rule", "message"}


def test_plan_counts_the_pool_and_is_idempotent(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add(paths, 1)
    add(paths, 2, exit_reason="timeout")
    add(paths, 3, model="m2-routed")
    first = call(tmp_path, "plan", "RQ-small")
    path = tmp_path / "experiments" / "batch-plans" / "rq-small-fill.json"
    content = path.read_bytes()
    assert sorted(run.model for run in read_plan(path).runs) == ["m1", "m1", "m2", "m2"]
    assert "1 ok of 3; 2 planned; replaces 1 timeout" in first.stderr
    assert "expected running time 4.0 min; expected cost unknown" in first.stderr
    assert call(tmp_path, "plan", FOLDER).stdout == first.stdout
    assert path.read_bytes() == content


def test_a_covered_question_gives_an_empty_plan_and_the_next_step(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    for number in range(6):
        add(paths, number, model="m1" if number % 2 else "m2")
    planned = call(tmp_path, "plan", "RQ-small")
    assert planned.stdout.endswith(
        f"rq-small-fill.json: empty\nnext: lab --root {tmp_path} aggregate RQ-small\n"
    )
    assert read_plan(tmp_path / "experiments/batch-plans/rq-small-fill.json").runs == ()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    small_lab(tmp_path)
    planned = call(tmp_path, "plan", "--all", "--dry-run", "--json")
    document = json.loads(planned.stdout)
    assert document["path"] is None
    assert len(document["plan"]["runs"]) == 6
    assert [cell["planned"] for cell in document["questions"][0]["cells"]] == [3, 3]
    assert not (tmp_path / "experiments" / "batch-plans").exists()


def test_a_plan_goes_where_it_is_told_with_the_seed_it_is_given(tmp_path: Path) -> None:
    small_lab(tmp_path)
    out = tmp_path / "my" / "plan.json"
    call(tmp_path, "plan", "RQ-small", "--seed", "7", "--out", str(out))
    assert read_plan(out).seed == 7


def test_a_cell_is_explained_and_nothing_is_written(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add(paths, 1)
    add(paths, 2, exit_reason="timeout")
    told = call(tmp_path, "plan", "RQ-small", "--explain", "1")
    assert "2026-01-01_00-00-01_x: ok" in told.stdout
    assert "2026-01-01_00-00-02_x: ended timeout, not ok" in told.stdout
    document = json.loads(call(tmp_path, "plan", "RQ-small", "--explain", "m1", "--json").stdout)
    assert document["counted"] == ["2026-01-01_00-00-01_x"]
    assert not (tmp_path / "experiments" / "batch-plans").exists()


def test_a_run_that_cannot_be_read_is_named_and_not_counted(tmp_path: Path) -> None:
    small_lab(tmp_path)
    folder = tmp_path / "experiments" / "runs" / "torn"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{")
    planned = call(tmp_path, "plan", "RQ-small")
    assert "warning: runs/torn is not counted" in planned.stderr


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("kata_base: life", "kata_base: lief", "unknown kata lief"),
        ("model: [m1", "modle: [m1", "unknown axis modle: did you mean model?"),
        ("[green", "[gren", "unknown outcome gren: did you mean green?"),
    ],
)
def test_a_question_with_errors_is_not_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, fault: str
) -> None:
    small_lab(tmp_path, QUESTION.replace(old, new))
    code, said = fails(tmp_path, capsys, "plan", FOLDER)
    assert code == 1
    assert fault in said
    assert said.startswith(f"error: {FOLDER}/README.md:")


def test_plan_needs_a_question_or_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fails(tmp_path, capsys, "plan")[0] == 2
    assert fails(tmp_path, capsys, "plan", "RQ-a", "--all")[0] == 2
    code, said = fails(tmp_path, capsys, "plan", "--all")
    assert (code, "init SLUG" in said) == (1, True)


def test_a_plan_that_cannot_be_written_is_a_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_lab(tmp_path)
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "plan.json")
    code, said = fails(tmp_path, capsys, "plan", "RQ-small", "--out", out)
    assert code == 1
    assert said == f"error: {out}: its parent is a file, not a folder: choose another place\n"


def test_a_plan_needs_a_file_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_lab(tmp_path)
    code, said = fails(tmp_path, capsys, "plan", "RQ-small", "--out", "")
    assert (code, "--out needs a file name" in said) == (2, True)

"""What every solution tape must keep, so that each manner measures what its name says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from builders.plain_suite import run_plainly
from lab.chain.verification import is_verification
from lab.paths import REPOSITORY
from lab.store.schema import check
from lab.tapes.manner import BATCH, MANNERS
from lab.tapes.script import to_sh
from lab.tapes.tape import Files, Tape, overlay, read_tape

EXPERIMENTS = REPOSITORY / "experiments"
FOLDERS = sorted(path.parent for path in (EXPERIMENTS / "tapes").glob("*/*/tape.json"))
MOST_STEPS = 8
NAMES = [f"{folder.parent.name}/{folder.name}" for folder in FOLDERS]
every_tape = pytest.mark.parametrize("tape", [read_tape(one) for one in FOLDERS], ids=NAMES)
COMPLETE = ("strict-tdd", "two-step-red", "batch-3", "test-after", "big-bang", "breaker", "stuck")


def lay_out(folder: Path, *layers: Files) -> Path:
    for name, content in overlay(*layers):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def name_of(files: Files) -> str:
    [(path, _)] = files
    return Path(path).name


def before(tape: Tape, index: int) -> Files:
    """The production files when step `index` begins."""
    return overlay(*(step.finished for step in tape.steps[:index]))


def stubs(tape: Tape) -> Files:
    return overlay(*(step.stub for step in tape.steps))


def test_there_are_tapes_for_every_kata_and_stack() -> None:
    wanted = {f"{path.stem}/python-pytest" for path in (EXPERIMENTS / "katas").glob("[!_.]*.yaml")}
    assert wanted == set(NAMES)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_manifest_fits_its_schema(folder: Path) -> None:
    assert check("tape", json.loads((folder / "tape.json").read_text()), "tape.json") == ()


@every_tape
def test_a_tape_is_short(tape: Tape) -> None:
    assert 3 <= len(tape.steps) <= MOST_STEPS


@every_tape
def test_a_test_file_holds_one_test_and_no_step_counts_as_verification(tape: Tape) -> None:
    for step in tape.steps:
        for part in (step.test, step.inactive, *([step.passing] if step.passing else [])):
            [(path, content)] = part
            [test] = re.findall(rb"^def (test_\w+)\(", content, re.MULTILINE)
            assert not is_verification((path, test.decode()))
    assert all(is_verification((path, "test_a")) for path, _ in tape.verification)


@every_tape
def test_clean_ups_come_where_no_batch_is_red(tape: Tape) -> None:
    ends = {BATCH, 2 * BATCH, len(tape.steps)}
    tidied = {number for number, step in enumerate(tape.steps, 1) if step.cleanup}
    assert tidied and tidied <= ends


@every_tape
def test_each_test_fails_by_assertion_until_its_code_is_there(tape: Tape, tmp_path: Path) -> None:
    """State by state, with every stub there: test j passes exactly when step j is done."""
    names = [name_of(step.test) for step in tape.steps]
    for done in range(len(tape.steps) + 1):
        workspace = tmp_path / str(done)
        lay_out(workspace, tape.tests, stubs(tape), before(tape, done))
        wanted = {name: "passed" if at < done else "failed" for at, name in enumerate(names)}
        assert run_plainly(workspace) == wanted


@every_tape
def test_the_code_passes_before_it_is_tidied(tape: Tape, tmp_path: Path) -> None:
    for at, step in enumerate(tape.steps):
        tests = overlay(*(one.test for one in tape.steps[: at + 1]))
        workspace = lay_out(tmp_path / str(at), before(tape, at), step.code, tests)
        assert set(run_plainly(workspace).values()) == {"passed"}


@every_tape
def test_a_new_module_does_not_compile_without_its_stub(tape: Tape, tmp_path: Path) -> None:
    stubbed = [at for at, step in enumerate(tape.steps) if step.stub]
    assert 0 in stubbed
    for at in stubbed:
        step = tape.steps[at]
        workspace = lay_out(tmp_path / str(at), before(tape, at), step.test)
        assert run_plainly(workspace) == {name_of(step.test): "does-not-compile"}


@every_tape
def test_a_wrong_attempt_spoils_its_own_test_and_no_other(tape: Tape, tmp_path: Path) -> None:
    ways = set()
    for at, step in enumerate(tape.steps):
        if not step.wrong:
            continue
        tests = overlay(*(one.test for one in tape.steps[: at + 1]))
        workspace = lay_out(tmp_path / str(at), before(tape, at), step.code, step.wrong, tests)
        told = run_plainly(workspace)
        ways.add(told.pop(name_of(step.test)))
        assert set(told.values()) == {"passed"}
    assert ways == {"failed", "does-not-compile"}


@every_tape
def test_passing_tests_pass_as_soon_as_their_step_is_done(tape: Tape, tmp_path: Path) -> None:
    with_passing = [at for at, step in enumerate(tape.steps) if step.passing]
    assert with_passing
    for at in with_passing:
        workspace = lay_out(
            tmp_path / str(at), before(tape, at), tape.steps[at].finished, tape.steps[at].passing
        )
        assert set(run_plainly(workspace).values()) == {"passed"}


@every_tape
def test_all_tests_pass_in_the_end(tape: Tape, tmp_path: Path) -> None:
    passing = overlay(*(step.passing for step in tape.steps))
    workspace = lay_out(tmp_path, tape.solution, tape.tests, passing, tape.verification)
    assert set(run_plainly(workspace).values()) == {"passed"}


@every_tape
@pytest.mark.parametrize("manner", COMPLETE)
def test_a_complete_manner_ends_in_the_perfect_solution(
    tape: Tape, manner: str, tmp_path: Path
) -> None:
    (tmp_path / "run.sh").write_text(to_sh(MANNERS[manner](tape), "true", tape.environment))
    workspace = tmp_path / "work"
    workspace.mkdir()
    subprocess.run(["sh", "../run.sh"], cwd=workspace, check=True)
    left = {
        path.relative_to(workspace).as_posix(): path.read_bytes()
        for path in workspace.rglob("*")
        if path.is_file()
    }
    assert left == dict(overlay(tape.solution, tape.tests))


@every_tape
def test_the_solution_passes_the_whole_hidden_suite(tape: Tape, tmp_path: Path) -> None:
    workspace = lay_out(tmp_path, tape.solution)
    scenarios = EXPERIMENTS / "katas" / f"{tape.kata_base}-verification" / "scenarios"
    failed = [
        path.name
        for path in sorted(scenarios.glob("*.input.json"))
        if _answer(workspace, path) != json.loads(_expected(path).read_text())
    ]
    assert failed == []


def _expected(path: Path) -> Path:
    return path.with_name(path.name.replace(".input.", ".expected."))


def _answer(workspace: Path, question: Path) -> object:
    shown = subprocess.run(
        [sys.executable, "-B", "src/cli.py"],
        cwd=workspace,
        input=question.read_bytes(),
        capture_output=True,
        check=True,
    )
    return json.loads(shown.stdout)

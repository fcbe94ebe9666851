"""The calibration harness: a manner rendered over a tape."""

from pathlib import Path

import pytest
from builders.harness_requests import play, request
from lab.errors import LabError
from lab.harnesses import calibration
from lab.paths import REPOSITORY, LabPaths
from lab.store.catalogue import read_catalogue
from lab.tapes.manner import MANNERS

TAPE = REPOSITORY / "experiments" / "tapes" / "game-of-life" / "python-pytest"


def test_there_is_a_model_for_every_manner_and_no_other() -> None:
    rows = read_catalogue(LabPaths(REPOSITORY)).models
    named = {row.id: row.manner for row in rows if "calibration" in row.harnesses}
    assert named == {f"calibration-{manner}": manner for manner in MANNERS}


@pytest.mark.parametrize("manner", MANNERS)
def test_every_manner_plays_to_its_end(manner: str, tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner=manner, tape=TAPE)
    assert play(tmp_path, calibration.invocation(asked)).result.exit_code == 0


def test_the_oracle_leaves_the_solution(tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner="oracle", tape=TAPE)
    play(tmp_path, calibration.invocation(asked))
    left = sorted(path.name for path in (tmp_path / "work" / "src").iterdir())
    assert left == ["cli.py", "life.py", "simulation.py"]


def test_the_suite_runs_with_the_stacks_command(tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner="no-op")
    assert "\n  true </dev/null" in calibration.invocation(asked).script


@pytest.mark.parametrize("manner", ["nop", "no-op"])
def test_a_manner_that_plays_nothing_needs_no_tape(manner: str, tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner=manner, tape=None)
    assert play(tmp_path, calibration.invocation(asked)).result.exit_code == 0


@pytest.mark.parametrize("tape", [None, Path("/no/such/tape")])
def test_a_missing_tape_is_told_with_its_place(tape: Path | None, tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner="strict-tdd", tape=tape)
    with pytest.raises(LabError, match="add experiments/tapes/kata/python-pytest/"):
        calibration.invocation(asked)


@pytest.mark.parametrize("manner", [None, "strict"])
def test_an_unknown_manner_is_told_with_the_known_ones(manner: str | None, tmp_path: Path) -> None:
    asked = request(tmp_path, "calibration", manner=manner, tape=TAPE)
    with pytest.raises(LabError, match="is none of: strict-tdd, two-step-red"):
        calibration.invocation(asked)

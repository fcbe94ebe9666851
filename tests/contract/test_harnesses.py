"""What every harness of the table must answer; a new row is tested at once."""

import subprocess
from pathlib import Path

import pytest
from builders.harness_requests import attempt_result, play, request
from lab.domain.attempt import Ending
from lab.harnesses import HARNESSES
from lab.harnesses.protocol import Capabilities, Harness
from lab.paths import REPOSITORY, LabPaths
from lab.store.catalogue import read_catalogue

CATALOGUE = read_catalogue(LabPaths(REPOSITORY))
TAPE = REPOSITORY / "experiments" / "tapes" / "game-of-life" / "python-pytest"
# One request that each harness can serve without anything else installed.
EXAMPLES = {
    "calibration": {"manner": "strict-tdd", "tape": TAPE},
    "command": {"command": ("true",)},
    "fake": {"manner": "success"},
}
every_harness = pytest.mark.parametrize("name", HARNESSES)


def test_every_harness_has_an_example_here() -> None:
    assert EXAMPLES.keys() == HARNESSES.keys()


@every_harness
def test_a_row_is_named_as_its_module(name: str) -> None:
    harness: Harness = HARNESSES[name]
    assert name == harness.ID
    assert isinstance(harness.CAPABILITIES, Capabilities)


@every_harness
def test_a_version_is_text_or_unknown(name: str) -> None:
    version = HARNESSES[name].version()
    assert version is None or version.strip()


@every_harness
def test_an_invocation_is_a_shell_script_without_faults(name: str, tmp_path: Path) -> None:
    asked = request(tmp_path, name, **EXAMPLES[name])
    invocation = HARNESSES[name].invocation(asked)
    checked = subprocess.run(
        ["sh", "-n"], input=invocation.script, text=True, capture_output=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert invocation.script.startswith("#!/bin/sh\n")


@every_harness
def test_the_same_request_gives_the_same_script(name: str, tmp_path: Path) -> None:
    asked = request(tmp_path, name, **EXAMPLES[name])
    assert HARNESSES[name].invocation(asked) == HARNESSES[name].invocation(asked)


@every_harness
def test_prepared_files_lie_in_the_workspace(name: str, tmp_path: Path) -> None:
    asked = request(tmp_path, name, **EXAMPLES[name])
    (asked.workflow_folder / "rules").mkdir()
    (asked.workflow_folder / "rules" / "a.md").write_text("rule")
    for path, content in HARNESSES[name].prepare(asked).files:
        assert not Path(path).is_absolute() and ".." not in Path(path).parts
        assert isinstance(content, bytes)


@every_harness
def test_a_played_example_leaves_evidence_of_success(name: str, tmp_path: Path) -> None:
    harness = HARNESSES[name]
    asked = request(tmp_path, name, **EXAMPLES[name])
    played = play(tmp_path, harness.invocation(asked))
    evidence = harness.evidence(harness.collect(played.log, tmp_path / "state"), played.result)
    assert (played.result.exit_code, evidence.exit_reason) == (0, None)
    assert evidence.has_terminal_event == harness.CAPABILITIES.terminal_event


@every_harness
@pytest.mark.parametrize("ending", Ending)
def test_evidence_survives_an_attempt_that_left_nothing(
    name: str, ending: Ending, tmp_path: Path
) -> None:
    harness = HARNESSES[name]
    collected = harness.collect(tmp_path / "no.log", tmp_path / "no-state")
    evidence = harness.evidence(collected, attempt_result(ending, None))
    assert not evidence.has_terminal_event


@every_harness
def test_garbage_in_a_log_is_no_terminal_event(name: str, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(b'{"type": "result"\n{}\n[]\n{"type": 3}\n\xff\xfe{"a"\n{"type": "result"')
    harness = HARNESSES[name]
    evidence = harness.evidence(harness.collect(log, tmp_path), attempt_result(Ending.EXITED, 0))
    assert not evidence.has_terminal_event


@every_harness
def test_a_workflow_and_a_model_of_the_catalogue_use_it(name: str) -> None:
    assert [row.id for row in CATALOGUE.workflows if row.harness == name]
    assert [row.id for row in CATALOGUE.models if name in row.harnesses]

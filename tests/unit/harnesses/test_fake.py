"""The fake agent: every scenario is played, and its stream says what it must."""

from pathlib import Path

import pytest
from builders.fake_matrix import EXPECTED_EXIT_REASONS, RUNS_ON
from builders.harness_requests import play, request
from lab.domain.attempt import Ending, Evidence, Usage
from lab.errors import LabError
from lab.harnesses import fake
from lab.harnesses.fake_scenario import CLI_VERSION, SCENARIOS
from lab.paths import REPOSITORY, LabPaths
from lab.store.catalogue import read_catalogue

ONE_SESSION = Usage(100, 1000, 200, 40, 0.0125)


def evidence_of(folder: Path, scenario: str) -> tuple[Ending, int | None, Evidence]:
    asked = request(folder, "fake", manner=scenario)
    played = play(folder, fake.invocation(asked), seconds=0.5 if scenario in RUNS_ON else 10.0)
    found = fake.evidence(fake.collect(played.log, folder / "state"), played.result)
    return played.result.ending, played.result.exit_code, found


def reason_so_far(ending: Ending, exit_code: int | None, evidence: Evidence) -> str:
    """What the runner's table makes of it, as far as a harness can tell."""
    if ending is not Ending.EXITED:
        return "clock"
    if evidence.exit_reason:
        return evidence.exit_reason.value
    if exit_code != 0:
        return f"error-{exit_code}"
    if not evidence.has_terminal_event:
        return "no terminal event"
    return "ok" if evidence.tool_calls else "no-op-run"


def test_every_scenario_has_an_expectation_and_a_model() -> None:
    rows = read_catalogue(LabPaths(REPOSITORY)).models
    named = {row.id: row.manner for row in rows if "fake" in row.harnesses}
    assert list(EXPECTED_EXIT_REASONS) == list(SCENARIOS)
    assert named == {f"fake-{scenario}": scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", EXPECTED_EXIT_REASONS)
def test_a_scenario_gives_its_exit_reason(scenario: str, tmp_path: Path) -> None:
    expected = "clock" if scenario in RUNS_ON else EXPECTED_EXIT_REASONS[scenario]
    assert reason_so_far(*evidence_of(tmp_path, scenario)) == expected


@pytest.mark.parametrize("scenario", RUNS_ON)
def test_a_stream_cut_by_the_clock_decides_nothing(scenario: str, tmp_path: Path) -> None:
    _, _, found = evidence_of(tmp_path, scenario)
    assert (found.exit_reason, found.has_terminal_event, found.is_unfinished) == (
        None,
        False,
        False,
    )


def test_success_leaves_work_a_session_file_and_its_use(tmp_path: Path) -> None:
    _, _, found = evidence_of(tmp_path, "success")
    assert (tmp_path / "work" / "src" / "cli.py").is_file()
    assert len(fake.collect(tmp_path / "run.log", tmp_path / "state").transcripts) == 1
    assert (found.usage, found.tool_calls, found.harness_version, found.warnings) == (
        ONE_SESSION,
        1,
        CLI_VERSION,
        (),
    )


def test_calls_of_children_count_once_each(tmp_path: Path) -> None:
    assert evidence_of(tmp_path, "sub-agents")[2].tool_calls == 201


def test_no_work_leaves_the_workspace_as_it_was(tmp_path: Path) -> None:
    evidence_of(tmp_path, "no-work")
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize(
    ("scenario", "warning"),
    [
        ("result-twice", "2 result events: the last one counts"),
        ("half-line", "the stream broke off inside a line"),
        ("malformed-stream", "the stream holds a line that is not JSON"),
        ("transcript-deleted", "no session file: the stream is the only source"),
        ("new-version", "the agent is version 9.10.0 (Fake Agent), expected 9.9.0 (Fake Agent)"),
    ],
)
def test_what_is_odd_is_told(scenario: str, warning: str, tmp_path: Path) -> None:
    assert evidence_of(tmp_path, scenario)[2].warnings == (warning,)


def test_a_new_version_is_the_one_recorded(tmp_path: Path) -> None:
    assert evidence_of(tmp_path, "new-version")[2].harness_version == "9.10.0 (Fake Agent)"


def test_the_deciding_line_is_kept(tmp_path: Path) -> None:
    line = evidence_of(tmp_path, "refusal")[2].line or ""
    assert '"stop_reason": "refusal"' in line


def test_a_rate_limit_tells_when_to_try_again(tmp_path: Path) -> None:
    assert evidence_of(tmp_path, "rate-limit-forever")[2].retry_after_seconds == 0.01


def test_a_lingering_child_holds_the_output_open(tmp_path: Path) -> None:
    asked = request(tmp_path, "fake", manner="lingering-child")
    assert fake.invocation(asked).script.endswith("sleep 86400 &\n")


def test_an_unknown_scenario_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="is none of: success, sub-agents"):
        fake.invocation(request(tmp_path, "fake", manner="sucess"))

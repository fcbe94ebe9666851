"""The command harness: a template filled word by word."""

import shutil
from pathlib import Path

import pytest
from builders.harness_requests import PROMPT, play, request
from lab.errors import LabError
from lab.harnesses import command
from lab.paths import REPOSITORY

SHOW = ("sh", "-c", 'printf "<%s>" "$@"', "show")


def shown(folder: Path, *words: str) -> str:
    asked = request(folder, "command", command=(*SHOW, *words))
    return play(folder, command.invocation(asked)).log.read_text()


def test_a_word_with_the_prompt_never_splits_and_is_never_run(tmp_path: Path) -> None:
    assert shown(tmp_path, "{prompt}", "$(id)") == f"<{PROMPT}><$(id)>"


def test_a_placeholder_may_stand_inside_a_word(tmp_path: Path) -> None:
    found = shown(tmp_path, "--model={model}:{kata}", "{test_command}", "{entry_point}")
    assert found == "<--model=command-model:kata-prose><true><src/cli.py>"


def test_text_in_a_prompt_is_not_filled_again(tmp_path: Path) -> None:
    asked = request(tmp_path, "command", command=(*SHOW, "{prompt}"))
    asked = type(asked)(**{**_fields(asked), "prompt_text": "{model}"})
    assert play(tmp_path, command.invocation(asked)).log.read_text() == "<{model}>"


def _fields(asked: object) -> dict[str, object]:
    return {name: getattr(asked, name) for name in type(asked).__slots__}  # type: ignore[attr-defined]


def test_the_prompt_file_lies_outside_the_workspace(tmp_path: Path) -> None:
    asked = request(tmp_path, "command", command=("cat", "{prompt_file}"))
    assert play(tmp_path, command.invocation(asked)).log.read_text() == PROMPT
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize("code", [0, 3])
def test_the_commands_exit_code_is_the_runs(code: int, tmp_path: Path) -> None:
    asked = request(tmp_path, "command", command=("sh", "-c", f"exit {code}"))
    assert play(tmp_path, command.invocation(asked)).result.exit_code == code


def test_an_unknown_placeholder_is_told_with_the_known_ones(tmp_path: Path) -> None:
    asked = request(tmp_path, "command", command=("x", "{promt}", "{promt}", "{pid}"))
    with pytest.raises(LabError) as caught:
        command.invocation(asked)
    assert [fault.split(";")[0] for fault in caught.value.faults] == [
        "LINEAGE.yaml: command-v1: command: unknown placeholder {promt}",
        "LINEAGE.yaml: command-v1: command: unknown placeholder {pid}",
    ]


def test_a_workflow_without_a_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="command: missing"):
        command.invocation(request(tmp_path, "command"))


def test_documentation_of_a_workflow_stays_out_of_the_workspace(tmp_path: Path) -> None:
    asked = request(tmp_path, "command", command=("true",))
    for name in ("README.md", "LICENSE.upstream", "agent.sh"):
        (asked.workflow_folder / name).write_text(name)
    assert command.prepare(asked).files == (("agent.sh", b"agent.sh"),)


def test_the_example_workflow_answers(tmp_path: Path) -> None:
    example = REPOSITORY / "experiments" / "workflows" / "command-example-v1"
    words = ("sh", "agent.sh", "{prompt_file}")
    asked = request(tmp_path, "command", command=words)
    shutil.copy(example / "agent.sh", tmp_path / "work")
    played = play(tmp_path, command.invocation(asked))
    assert played.result.exit_code == 0
    assert (tmp_path / "work" / "ANSWER.md").read_text() == f"I was asked:\n\n{PROMPT}"

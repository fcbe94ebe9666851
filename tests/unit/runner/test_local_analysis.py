"""How the local executor starts the analysis worker, and what counts as an answer."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from builders.analysis_jobs import NO_TOOLS
from builders.local_launch import launch_local
from lab.analysis.request import request_document
from lab.errors import ToolFailed


def fake_worker(folder: Path, script: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def launch(folder: Path, script: str, **limits: object) -> dict[str, object]:
    tools = replace(NO_TOOLS, analysis_python=fake_worker(folder, script))
    request = request_document("python-pytest", folder, tools, None) | limits
    return dict(launch_local(tools)(request))


def test_the_answer_is_what_the_worker_printed(tmp_path: Path) -> None:
    assert launch(tmp_path, "cat >/dev/null; echo '{\"a\": 1}'") == {"a": 1}


def test_the_request_arrives_with_a_scratch_folder_that_goes_away(tmp_path: Path) -> None:
    found = launch(tmp_path, "cat")
    assert found["workspace"] == str(tmp_path)
    assert not Path(str(found["scratch"])).exists()


def test_the_worker_sees_nothing_of_the_host_s_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    script = """cat >/dev/null; printf '{"count": %s}' "$(env | grep -c canary)" """
    assert launch(tmp_path, script) == {"count": 0}


def test_a_worker_that_crashes_has_failed_with_its_output(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="no such module"):
        launch(tmp_path, "echo 'no such module' >&2; exit 1")


def test_a_worker_that_does_not_end_is_ended(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(ToolFailed):
        launch(tmp_path, "exec sleep 60", time_limit_seconds=0.5)
    assert time.monotonic() - started < 10


def test_an_interpreter_that_is_not_there_has_failed(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="/nowhere/bin/python"):
        launch_local(NO_TOOLS)(request_document("python-pytest", tmp_path, NO_TOOLS, None))


def test_a_worker_that_prints_no_json_has_failed(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="hello"):
        launch(tmp_path, "cat >/dev/null; echo hello")


def test_an_answer_that_is_too_long_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.runner.local_analysis.ANSWER_BYTES", 10)
    with pytest.raises(ToolFailed):
        launch(tmp_path, 'cat >/dev/null; echo \'{"a": 1, "b": 2}\'')

"""What the Docker executor says when the engine refuses, is lost, or was never there."""

from pathlib import Path
from typing import Any

import pytest
import requests
from builders.attempts import attempt
from docker.errors import APIError, DockerException, ImageNotFound
from lab.domain.attempt import Ending
from lab.errors import LabError
from lab.runner.docker_executor import DockerExecutor
from lab.runner.docker_rules import run_user


class FakeEngine:
    """An engine with one image that raises the given error when a container is made."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def inspect_image(self, name: str) -> dict[str, Any]:
        if name != "lab-none":
            raise ImageNotFound("no such image")
        return {"Id": "sha256:1", "Config": {"Labels": None}}

    def create_host_config(self, **_: object) -> dict[str, object]:
        return {}

    def create_container(self, **_: object) -> dict[str, str]:
        raise self.error

    def close(self) -> None: ...


def fake(error: Exception) -> Any:
    return lambda: FakeEngine(error)


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (requests.ConnectionError("gone"), Ending.DOCKER_LOST),
        (DockerException("gone"), Ending.DOCKER_LOST),
        (APIError("no space left"), Ending.COULD_NOT_START),
    ],
    ids=["connection", "engine", "refusal"],
)
def test_an_engine_fault_is_named(tmp_path: Path, error: Exception, ending: Ending) -> None:
    result = DockerExecutor(fake(error)).run(attempt(tmp_path, "true\n"))
    assert (result.ending, result.exit_code) == (ending, None)
    assert result.detail


def test_a_missing_image_names_the_command_that_builds_it() -> None:
    with pytest.raises(LabError, match="lab-python-pytest is missing; run: docker/build.sh"):
        DockerExecutor(fake(ValueError())).tools("python-pytest")


def test_no_engine_is_one_clear_line() -> None:
    def refuse() -> Any:
        raise DockerException("connection refused")

    with pytest.raises(LabError, match="no Docker engine answers"):
        DockerExecutor(refuse)


@pytest.mark.parametrize("value", ["0", "root", "-5", ""])
def test_containers_never_run_as_root(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("LAB_UID", value)
    with pytest.raises(LabError, match="must be the number of a user who is not root"):
        run_user()


def test_an_ordinary_caller_keeps_his_uid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 4711)
    monkeypatch.setattr("os.getegid", lambda: 4712)
    assert run_user() == (4711, 4712)


def test_the_engine_is_the_one_that_docker_host_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lab.runner.container import EngineFault, connect

    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")
    with pytest.raises(EngineFault):
        connect()

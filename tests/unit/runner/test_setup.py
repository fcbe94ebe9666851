"""lab setup: keyed by content, resumable, idempotent, and clear when it cannot."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from lab.cli.setup import command
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths
from lab.runner import setup
from lab.runner.setup import Job, Step, install
from lab.runner.toolcache import image_tools, tool_folder, tools_for

STACK = "python-pytest"


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabPaths:
    """A lab root with its own copy of the stack, and an empty cache."""
    monkeypatch.setenv("LAB_CACHE", str(tmp_path / "cache"))
    source = REPOSITORY / "experiments" / "stacks" / STACK
    shutil.copytree(source, tmp_path / "experiments" / "stacks" / STACK)
    return LabPaths(tmp_path)


def job_of(paths: LabPaths) -> Job:
    job = Job(STACK, paths.stacks / STACK, tool_folder(paths, STACK))
    job.tools.folder.mkdir(parents=True)
    return job


def recorded(done: list[str], failing: list[str]) -> tuple[Step, ...]:
    """Two steps that note their names; those named in `failing` fail."""

    def step(name: str) -> Step:
        def do(job: Job) -> None:
            if name in failing:
                raise LabError(f"{name} failed")
            done.append(name)

        return Step(name, f"about {name}", do)

    return (step("first"), step("second"))


def test_tools_that_are_not_there_name_the_command(paths: LabPaths) -> None:
    with pytest.raises(LabError, match="run: lab setup python-pytest"):
        tools_for(paths, STACK)


def test_an_unknown_stack_names_those_there_are(paths: LabPaths) -> None:
    with pytest.raises(LabError, match="cobol: no such stack; there are python-pytest, none"):
        tools_for(paths, "cobol")


def test_the_stack_none_needs_no_tools(paths: LabPaths) -> None:
    assert tools_for(paths, "none").agent_bin == ""


def test_an_image_has_its_tools_at_fixed_places() -> None:
    tools = image_tools()
    assert (tools.is_image, tools.analysis_python) == (True, "/opt/lab/analysis/bin/python")


@pytest.mark.parametrize("name", ["lock.txt", "analysis-lock.txt", "reporter/sitecustomize.py"])
def test_a_changed_lock_or_reporter_gets_a_folder_of_its_own(paths: LabPaths, name: str) -> None:
    before = tool_folder(paths, STACK).folder
    file = paths.stacks / STACK / name
    file.write_text(file.read_text() + "# changed\n")
    assert tool_folder(paths, STACK).folder != before


def test_a_changed_template_needs_no_new_tools(paths: LabPaths) -> None:
    before = tool_folder(paths, STACK).folder
    (paths.stacks / STACK / "template" / "pyproject.toml").write_text("")
    assert tool_folder(paths, STACK).folder == before


def test_an_interrupted_installation_continues_where_it_was(
    paths: LabPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    failing = ["second"]
    monkeypatch.setattr(setup, "STEPS", recorded(done, failing))
    with pytest.raises(LabError, match="second failed"):
        install(paths, STACK, print)
    with pytest.raises(LabError, match="lab setup"):
        tools_for(paths, STACK)
    failing.clear()
    assert install(paths, STACK, print).steps == ("second",)
    assert done == ["first", "second"]
    assert tools_for(paths, STACK).agent_bin.endswith("/agent/bin")


def test_a_second_call_does_nothing_at_once(
    paths: LabPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(setup, "STEPS", recorded(done, []))
    install(paths, STACK, print)
    before = time.process_time()
    assert install(paths, STACK, print).steps == ()
    assert time.process_time() - before < 0.3
    assert done == ["first", "second"]


def test_the_steps_are_told_while_they_run(
    paths: LabPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(setup, "STEPS", recorded([], []))
    install(paths, STACK, told.append)
    assert told == ["python-pytest: about first (1 of 2)", "python-pytest: about second (2 of 2)"]


def test_the_command_prints_what_was_done(paths: LabPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "STEPS", recorded([], []))
    first = CliRunner().invoke(command, [STACK], obj=paths)
    second = CliRunner().invoke(command, [], obj=paths)
    third = CliRunner().invoke(command, ["--json"], obj=paths)
    assert "python-pytest: done (first, second)" in first.output
    assert "python-pytest: nothing to do" in second.output
    assert json.loads(third.output)["stacks"][0]["steps"] == []


def test_a_missing_ensurepip_is_one_clear_line(
    paths: LabPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "has_uv", lambda: False)
    monkeypatch.setattr(setup, "_has_ensurepip", lambda: False)
    with pytest.raises(LabError) as caught:
        install(paths, STACK, print)
    (fault,) = caught.value.faults
    assert "sudo apt install python3-venv" in fault


def test_an_installer_that_fails_names_its_last_line_and_how_to_go_on(paths: LabPaths) -> None:
    job = job_of(paths)
    script = "echo trying; echo 'ERROR: no route to host' >&2; echo; exit 1"
    with pytest.raises(LabError) as caught:
        setup._run(job, ("/bin/sh", "-c", script), "packages of lock.txt could not be installed")
    (fault,) = caught.value.faults
    assert fault.startswith("packages of lock.txt could not be installed: ERROR: no route to host")
    assert "run `lab setup python-pytest` again" in fault
    assert "trying" in job.tools.log.read_text()


def test_an_installer_does_not_see_the_shells_python_variables(
    paths: LabPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    job = job_of(paths)
    setup._run(job, ("/bin/sh", "-c", "env"), "env")
    names = {line.split("=")[0] for line in job.tools.log.read_text().splitlines()}
    assert names & {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"} == set()
    assert "LAB_REPORTER_OFF" in names


def test_the_reporter_lies_beside_the_environments_and_inside_the_agents(
    paths: LabPaths,
) -> None:
    job = job_of(paths)
    site_packages = job.tools.agent / "lib" / "python3.11" / "site-packages"
    site_packages.mkdir(parents=True)
    for _ in range(2):
        setup._place_reporter(job)
    assert (job.tools.reporter / "sitecustomize.py").exists()
    assert (site_packages / "lab_reporter" / "watch.py").exists()
    assert "arm" in (site_packages / "lab_reporter.pth").read_text()
    assert not (job.tools.folder / "reporter.new").exists()


@pytest.mark.toolchain
def test_the_agents_environment_has_the_locked_packages_and_no_installer() -> None:
    tools = tools_for(LabPaths(REPOSITORY), STACK)
    site_packages = next(Path(tools.agent_bin).parent.glob("lib/python3*/site-packages"))
    found = {path.name.split("-")[0].lower() for path in site_packages.glob("*.dist-info")}
    lock = (LabPaths(REPOSITORY).stacks / STACK / "lock.txt").read_text().split()
    assert found == {line.split("==")[0].lower() for line in lock}
    assert os.access(tools.analysis_python, os.X_OK)


def test_a_cache_that_cannot_be_made_is_told_with_its_variable(
    paths: LabPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blocked").touch()
    monkeypatch.setenv("LAB_CACHE", str(tmp_path / "blocked"))
    with pytest.raises(LabError, match="cannot be made .*: set LAB_CACHE to a folder of yours"):
        install(paths, STACK, lambda line: None)

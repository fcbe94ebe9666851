"""Installs a stack's tools into the cache: two environments and the reporter, step by step."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path

from lab.errors import LabError
from lab.paths import CACHE_VARIABLE, LabPaths
from lab.runner.toolcache import ToolFolder, tool_folder
from lab.stacks import STACKS

Progress = Callable[[str], None]
NO_VENV = (
    "this Python cannot make environments (the module ensurepip is missing); "
    "on Debian and Ubuntu run: sudo apt install python3-venv"
)
REPORTER_COPY = "lib/python3*/site-packages/lab_reporter"
WARM_TEST = "def test_warm():\n    assert 1 + 1 == 2\n"


@dataclass(frozen=True, slots=True)
class Installed:
    """What `lab setup` did for one stack: the folder, and the steps that were needed."""

    stack: str
    folder: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One stack's installation."""

    stack: str
    source: Path
    tools: ToolFolder


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    about: str
    do: Callable[[Job], None]


def stacks_with_tools() -> tuple[str, ...]:
    """Return the ids of the stacks that need an installation."""
    return tuple(stack_id for stack_id, stack in STACKS.items() if stack.IS_ANALYSED)


def install(paths: LabPaths, stack_id: str, progress: Progress) -> Installed:
    """Do what is still to be done for a stack; an interrupted installation continues.

    Raises LabError when an environment cannot be made or the network gives nothing.
    """
    if stack_id not in stacks_with_tools():
        raise LabError(f"{stack_id}: nothing to set up; stacks are {_names()}")
    job = Job(stack_id, paths.stacks / stack_id, tool_folder(paths, stack_id))
    if job.tools.done.exists():
        return Installed(stack_id, str(job.tools.folder), ())
    try:
        job.tools.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fault = f"{job.tools.folder}: cannot be made ({error.strerror})"
        raise LabError(f"{fault}: set {CACHE_VARIABLE} to a folder of yours") from error
    with _alone(job.tools.folder / ".lock"):
        missing = tuple(step for step in STEPS if not job.tools.step(step.name).exists())
        for number, step in enumerate(missing, start=1):
            progress(f"{stack_id}: {step.about} ({number} of {len(missing)})")
            step.do(job)
            job.tools.step(step.name).touch()
        job.tools.done.touch()
    return Installed(stack_id, str(job.tools.folder), tuple(step.name for step in missing))


def _names() -> str:
    return ", ".join(stacks_with_tools())


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let one installation of this folder work at a time; the others wait for it."""
    with lock.open("w") as file:
        flock(file, LOCK_EX)
        yield


def _make_analysis(job: Job) -> None:
    _make_environment(job, job.tools.analysis, with_pip=not has_uv())
    _install(job, job.tools.analysis, "analysis-lock.txt")


def _make_agent(job: Job) -> None:
    """Make the agent's environment without pip, whoever installs: it is the same everywhere."""
    _make_environment(job, job.tools.agent, with_pip=False)
    _install(job, job.tools.agent, "lock.txt")


def _make_environment(job: Job, folder: Path, *, with_pip: bool) -> None:
    """Make an environment where it stays: its scripts hold absolute paths, so no rename."""
    if importlib.util.find_spec("venv") is None or (with_pip and not _has_ensurepip()):
        raise LabError(NO_VENV)
    shutil.rmtree(folder, ignore_errors=True)
    pip = () if with_pip else ("--without-pip",)
    _run(job, (_base_python(), "-m", "venv", *pip, str(folder)), NO_VENV)


def _has_ensurepip() -> bool:
    return importlib.util.find_spec("ensurepip") is not None


def _base_python() -> str:
    """Return the interpreter below an environment: one of ours must not hang on another."""
    return getattr(sys, "_base_executable", None) or sys.executable


def has_uv() -> bool:
    """Tell whether the faster installer is there."""
    return shutil.which("uv") is not None or importlib.util.find_spec("uv") is not None


def _installer(job: Job, python: Path) -> tuple[str, ...]:
    if has_uv():
        found = shutil.which("uv")
        uv = (found,) if found else (sys.executable, "-m", "uv")
        return (*uv, "pip", "install", "--compile-bytecode", "--python", str(python))
    pip = str(job.tools.analysis / "bin" / "python")
    return (pip, "-m", "pip", "--python", str(python), "install", "--disable-pip-version-check")


def _install(job: Job, environment: Path, lock: str) -> None:
    python = environment / "bin" / "python"
    command = (*_installer(job, python), "-q", "-r", str(job.source / lock))
    _run(job, command, f"{job.stack}: packages of {lock} could not be installed")


def _place_reporter(job: Job) -> None:
    """Copy the reporter beside the environments and into the agent's interpreter."""
    source = job.source / "reporter"
    target = job.tools.reporter
    temporary = target.with_name("reporter.new")
    for folder in (target, temporary):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, temporary, ignore=shutil.ignore_patterns("__pycache__", "ruff.toml"))
    temporary.rename(target)
    (site_packages,) = job.tools.agent.glob("lib/python3*/site-packages")
    shutil.rmtree(site_packages / "lab_reporter", ignore_errors=True)
    shutil.copytree(target / "lab_reporter", site_packages / "lab_reporter")
    shutil.copy(target / "lab_reporter.pth", site_packages)


def _warm(job: Job) -> None:
    """Run one test in each environment, so that no run pays for compiling what it imports."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_warm.py").write_text(WARM_TEST, encoding="utf-8")
        for environment in (job.tools.agent, job.tools.analysis):
            python = str(environment / "bin" / "python")
            reporters = (str(job.tools.reporter), *map(str, environment.glob(REPORTER_COPY)))
            _run(job, (python, "-m", "compileall", "-q", *reporters), "compileall")
            measured = ("-m", "coverage", "run", f"--data-file={folder}/.coverage")
            suite = ("-m", "pytest", "-q", "-p", "no:cacheprovider", folder)
            _run(job, (python, *measured, *suite), f"{job.stack}: the test runner does not work")


def _run(job: Job, command: tuple[str, ...], fault: str) -> None:
    """Run an installer's command into the log; LabError with its last line when it fails."""
    environment = {**os.environ, "LAB_REPORTER_OFF": "1"}
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        environment.pop(name, None)
    with job.tools.log.open("ab") as log:
        start = log.tell()
        ended = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False)
    if ended.returncode:
        said = job.tools.log.read_bytes()[start:].decode("utf-8", "replace").strip()
        last = next((line for line in reversed(said.splitlines()) if line.strip()), "no output")
        raise LabError(
            f"{fault}: {last.strip()[:200]} (log: {job.tools.log}; "
            f"run `lab setup {job.stack}` again: it continues here)"
        )


STEPS = (
    Step("analysis", "environment of the analysis", _make_analysis),
    Step("agent", "environment of the agent", _make_agent),
    Step("reporter", "reporter", _place_reporter),
    Step("warm", "first run of the test runner", _warm),
)

"""Which executor a command gets: named, or docker where engine and image are there, else local."""

import importlib
import importlib.util
from dataclasses import dataclass

from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.executor import Executor
from lab.runner.local_executor import LocalExecutor

NAMES = ("auto", "local", "docker")
DOCKER_MODULE = "lab.runner.container"


@dataclass(frozen=True, slots=True)
class Choice:
    """An executor, and why it was taken (for people)."""

    executor: Executor
    why: str


def choose(
    paths: LabPaths,
    name: str,
    stacks: tuple[str, ...],
    *,
    is_unsandboxed: bool = False,
    processes: int = 0,
) -> Choice:
    """Open an executor for these stacks; LabError where the named one cannot be had.

    `processes` bounds all local attempts together. The docker module's `connect(paths, stacks)`
    returns an Executor, or raises LabError saying what is missing.
    """
    if name == "local":
        return _local(paths, "asked for", is_unsandboxed, processes)
    try:
        return Choice(_docker(paths, stacks), "asked for" if name == "docker" else "engine found")
    except LabError as error:
        if name == "docker":
            raise
        return _local(paths, f"docker cannot be used: {error.faults[0]}", is_unsandboxed, processes)


def _local(paths: LabPaths, why: str, is_unsandboxed: bool, processes: int) -> Choice:
    executor = LocalExecutor(paths, is_unsandboxed=is_unsandboxed, processes=processes)
    return Choice(executor, why)


def _docker(paths: LabPaths, stacks: tuple[str, ...]) -> Executor:
    if importlib.util.find_spec(DOCKER_MODULE) is None:
        raise LabError("docker: this lab has no container executor")
    executor: Executor = importlib.import_module(DOCKER_MODULE).connect(paths, stacks)
    return executor

"""Which executor a command gets: named, or docker where engine and image are there, else local."""

from dataclasses import dataclass

from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.executor import Executor
from lab.runner.local_executor import LocalExecutor


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

    `processes` bounds all local attempts together.
    """
    if name == "local":
        return _local(paths, "asked for", is_unsandboxed, processes)
    try:
        return Choice(_docker(stacks), "asked for" if name == "docker" else "engine found")
    except LabError as error:
        if name == "docker":
            raise
        return _local(paths, f"docker cannot be used: {error.faults[0]}", is_unsandboxed, processes)


def _local(paths: LabPaths, why: str, is_unsandboxed: bool, processes: int) -> Choice:
    executor = LocalExecutor(paths, is_unsandboxed=is_unsandboxed, processes=processes)
    return Choice(executor, why)


def _docker(stacks: tuple[str, ...]) -> Executor:
    """Connect to the engine and find every stack's image; LabError says what is missing."""
    try:
        from lab.runner.docker_executor import DockerExecutor
    except ModuleNotFoundError as error:
        raise LabError(f"the Python package {error.name} is missing (run: make setup)") from error
    executor = DockerExecutor()
    try:
        for stack in stacks:
            executor.image(stack)
    except LabError:
        executor.close()
        raise
    return executor

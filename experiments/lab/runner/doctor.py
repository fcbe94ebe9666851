"""What is installed here, which isolation holds, and what to type where something is missing."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

from lab.errors import LabError
from lab.harnesses import HARNESSES
from lab.paths import LabPaths
from lab.runner.executor import Executor
from lab.runner.executors import choose
from lab.runner.local_executor import LocalExecutor
from lab.runner.toolcache import tools_for
from lab.stacks import STACKS
from lab.store.catalogue import read_catalogue

LEAST_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, whether it is fine, what was found, what to type if not."""

    group: str
    name: str
    is_fine: bool
    found: str
    remedy: str | None = None
    details: tuple[str, ...] = ()


def examine(paths: LabPaths) -> tuple[Check, ...]:
    """Look at everything; nothing here changes the machine."""
    return tuple(check for look in LOOKS for check in look(paths))


def _programs(_: LabPaths) -> tuple[Check, ...]:
    version = ".".join(map(str, sys.version_info[:3]))
    python = Check(
        "program",
        "python",
        sys.version_info[:2] >= LEAST_PYTHON,
        version,
        "install Python 3.11 or later",
    )
    return (python, *(_program(name, remedy) for name, remedy in PROGRAMS))


PROGRAMS = (
    ("git", "apt install git"),
    ("sh", "apt install dash"),
    ("docker", "apt install docker.io (only for --executor docker)"),
)


def _program(name: str, remedy: str) -> Check:
    place = shutil.which(name)
    return Check("program", name, place is not None, place or "missing", remedy)


def _stacks(paths: LabPaths) -> tuple[Check, ...]:
    return tuple(_stack(paths, stack_id) for stack_id in STACKS)


def _stack(paths: LabPaths, stack_id: str) -> Check:
    try:
        tools = tools_for(paths, stack_id)
    except LabError as error:
        return Check("stack", stack_id, False, str(error), f"lab setup {stack_id}")
    return Check("stack", stack_id, True, tools.agent_bin or "needs no tools")


def _catalogue(paths: LabPaths) -> tuple[Check, ...]:
    try:
        found = read_catalogue(paths)
    except LabError as error:
        return (Check("catalogue", "files", False, error.faults[0], "lab lint"),)
    told = f"{len(found.katas)} katas, {len(found.workflows)} workflows, {len(found.models)} models"
    return (Check("catalogue", "files", True, told),)


def _executors(paths: LabPaths) -> tuple[Check, ...]:
    local = LocalExecutor(paths)
    try:
        held = _rules(local)
    finally:
        local.close()
    return (Check("executor", "local", True, "always there", details=held), _docker(paths))


def _rules(executor: Executor) -> tuple[str, ...]:
    return tuple(f"{rule}: {what}" for rule, what in executor.isolation())


def _docker(paths: LabPaths) -> Check:
    stacks = tuple(stack_id for stack_id, stack in STACKS.items() if stack.IS_ANALYSED)
    try:
        executor = choose(paths, "docker", stacks).executor
    except LabError as error:
        return Check("executor", "docker", False, error.faults[0], "see docker/README.md")
    try:
        held = _rules(executor)
    finally:
        executor.close()
    return Check("executor", "docker", True, "engine and images are there", details=held)


def _harnesses(paths: LabPaths) -> tuple[Check, ...]:
    local = LocalExecutor(paths)
    try:
        return tuple(_harness(local, harness_id) for harness_id in HARNESSES)
    finally:
        local.close()


def _harness(local: LocalExecutor, harness_id: str) -> Check:
    harness = HARNESSES[harness_id]
    refusal = local.refusal(harness.CAPABILITIES.executes_model_output)
    known = harness.version()
    version = f"version {known}" if known else "version known after a run"
    if refusal is None:
        return Check("harness", harness_id, True, f"{version} (local, docker)")
    return Check("harness", harness_id, True, f"{version} (docker)", details=(refusal,))


LOOKS: tuple[Callable[[LabPaths], tuple[Check, ...]], ...] = (
    _programs,
    _catalogue,
    _stacks,
    _harnesses,
    _executors,
)

"""Calibration agents: replay a solution tape in a known manner; the model names the manner."""

from pathlib import Path

from lab.domain.attempt import AttemptResult, Evidence
from lab.errors import LabError
from lab.harnesses.protocol import Capabilities, Collected, Invocation, Prepared, Request
from lab.tapes.manner import MANNERS, TAPELESS
from lab.tapes.script import to_sh
from lab.tapes.tape import EMPTY, Tape, read_tape

ID = "calibration"
VERSION = "1"
CAPABILITIES = Capabilities(
    executes_model_output=False, terminal_event=False, expects_work=False, needs_tape=True
)


def version() -> str:
    """Return the version of the manners: it changes when one of them plays differently."""
    return VERSION


def prepare(request: Request) -> Prepared:
    return Prepared()


def invocation(request: Request) -> Invocation:
    """Render manner x tape. Raises LabError where the manner or its tape does not exist."""
    manner = request.model.manner or ""
    if manner not in MANNERS:
        known = ", ".join(MANNERS)
        raise LabError(f"models.yaml: {request.model.id}: manner {manner!r} is none of: {known}")
    tape = EMPTY if manner in TAPELESS else _tape(request)
    script = to_sh(MANNERS[manner](tape), request.test_command, tape.environment)
    return Invocation(script, {})


def _tape(request: Request) -> Tape:
    if request.tape_folder is None or not request.tape_folder.is_dir():
        raise LabError(
            f"{request.model.id} has no tape for {request.kata_base} on {request.stack}: "
            f"add experiments/tapes/{request.kata_base}/{request.stack}/"
        )
    return read_tape(request.tape_folder)


def collect(log: Path, state: Path) -> Collected:
    return Collected(log, state)


def evidence(collected: Collected, result: AttemptResult) -> Evidence:
    """Return nothing but the version: the script's exit code says all there is."""
    return Evidence(harness_version=VERSION)

"""Any command line as an agent: the workflow's row holds the command as a template."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from lab.domain.attempt import AttemptResult, Evidence
from lab.errors import LabError
from lab.harnesses.protocol import Capabilities, Collected, Invocation, Prepared, Request
from lab.tapes.script import write_file

ID = "command"
CAPABILITIES = Capabilities(
    executes_model_output=True, terminal_event=False, expects_work=False, needs_command=True
)
PROMPT_FILE = "prompt.md"
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
DOCUMENTATION = frozenset({"README.md", "LICENSE", "LICENSE.upstream"})


def version() -> None:
    """Return None: the lab does not know how a foreign command tells its version."""


def prepare(request: Request) -> Prepared:
    """Hand the workflow's own files to the workspace, all but those that only document it."""
    folder = request.workflow_folder
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    wanted = [path for path in found if path.name not in DOCUMENTATION]
    return Prepared(
        tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in wanted)
    )


def invocation(request: Request) -> Invocation:
    """Fill the template word by word; a word never splits. Raises LabError on faulty templates."""
    values = _values(request)
    _check(request, values)
    words = [PLACEHOLDER.sub(lambda hit: values[hit[1]], word) for word in request.workflow.command]
    prompt = write_file(values["prompt_file"], request.prompt_text.encode())
    return Invocation(f"#!/bin/sh\nset -eu\n{prompt}exec {shlex.join(words)}\n", {})


def _values(request: Request) -> Mapping[str, str]:
    return {
        "prompt": request.prompt_text,
        "prompt_file": f"{request.statedir}/{PROMPT_FILE}",
        "model": request.model.id,
        "kata": request.kata,
        "workdir": request.workdir,
        "statedir": request.statedir,
        "test_command": request.test_command,
        "entry_point": request.entry_point,
    }


def _check(request: Request, values: Mapping[str, str]) -> None:
    where = f"LINEAGE.yaml: {request.workflow.id}: command"
    if not request.workflow.command:
        raise LabError(f"{where}: missing; the harness command runs what stands there")
    used = [name for word in request.workflow.command for name in PLACEHOLDER.findall(word)]
    faults = [
        f"{where}: unknown placeholder {{{name}}}; allowed: {', '.join(values)}"
        for name in dict.fromkeys(used)
        if name not in values
    ]
    if faults:
        raise LabError(faults)


def collect(log: Path, state: Path) -> Collected:
    return Collected(log, state)


def evidence(collected: Collected, result: AttemptResult) -> Evidence:
    """Return no evidence: exit 0 alone makes such a run ok."""
    return Evidence()

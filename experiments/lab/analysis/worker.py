"""The part of the analysis that runs foreign code: a JSON request on stdin, an answer on stdout.

Started as `python3 -m lab.analysis.worker` by the interpreter of the analysis environment, which
holds the standard library, tree-sitter and complexipy. It writes below `scratch` only (or TMPDIR).
"""

import json
import resource
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.analysis.acceptance import Place, run_scenarios
from lab.analysis.request import answer_document
from lab.analysis.stack_measures import STACK_MEASURES
from lab.domain.metric import Measurement
from lab.errors import ToolFailed
from lab.stacks import STACKS
from lab.stacks.project_copy import copy_project
from lab.stacks.protocol import Stack, Tools


def analyse(request: Mapping[str, Any]) -> dict[str, object]:
    """Measure one workspace and run its scenarios; see lab.analysis.request for both documents."""
    with tempfile.TemporaryDirectory(prefix="lab-", dir=request.get("scratch")) as scratch:
        return _analyse(request, Path(scratch))


def _analyse(request: Mapping[str, Any], scratch: Path) -> dict[str, object]:
    stack = STACKS[request["stack"]]
    workspace = Path(request["workspace"])
    tools = Tools(**request["tools"])
    measured = stack.measure(workspace, tools, _folder(scratch, "measure"))
    metrics: dict[str, Measurement] = dict(measured.metrics)
    details: dict[str, Any] = dict(measured.details)
    if stack.ID in STACK_MEASURES:
        library = STACK_MEASURES[stack.ID].libraries(workspace, tools, scratch, stack)
        metrics |= library.metrics
        details |= library.details
    suite = request["suite"]
    if suite is None:
        return answer_document(metrics, details, None)
    try:
        answers = _scenarios(suite, workspace, tools, scratch, stack)
    except (ToolFailed, OSError) as error:
        details["acceptance"] = {"failure": str(error)}
        return answer_document(metrics, details, None)
    return answer_document(metrics, details, answers)


def _scenarios(
    suite: Mapping[str, Any], workspace: Path, tools: Tools, scratch: Path, stack: Stack
) -> list[dict[str, Any]]:
    """Run the suite in a copy of its own: the project's tests may have changed the other one."""
    project = scratch / "acceptance"
    copy_project(workspace, project)
    if suite["adapter"]:
        name, text = suite["adapter"]
        (project / name).unlink(missing_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    command = suite["command"] or stack.start_command(project, tools)
    home = _folder(scratch, "home")
    place = Place(
        project, tuple(command), _environment(tools, home), float(suite["timeout_seconds"])
    )
    return run_scenarios(place, [(name, text) for name, text in suite["scenarios"]])


def _environment(tools: Tools, home: Path) -> dict[str, str]:
    return {
        "PATH": f"{tools.agent_bin}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LAB_REPORTER_OFF": "1",
    }


def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name
    folder.mkdir()
    return folder


def _end(number: int, frame: object) -> None:
    """Leave by an exception, so that whatever is running is killed on the way out."""
    raise SystemExit(128 + number)


def main() -> None:
    """Answer one request; limits of memory and time are the request's own."""
    request = json.load(sys.stdin)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGALRM, _end)
    signal.alarm(int(request["time_limit_seconds"]) + 1)
    if request["memory_bytes"]:
        limit = int(request["memory_bytes"])
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    json.dump(analyse(request), sys.stdout)


if __name__ == "__main__":
    main()

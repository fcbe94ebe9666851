"""Start the worker as a process of this machine."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.analysis.request import Document, Launch
from lab.errors import ToolFailed
from lab.process.bounded import Bounds, run_bounded
from lab.stacks.protocol import Tools

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
ANSWER_BYTES = 256 << 20
GRACE_SECONDS = 5.0
WORKER = ("-m", "lab.analysis.worker")


def launch_local(tools: Tools, package_folder: Path = PACKAGE_FOLDER) -> Launch:
    """Return a launch that runs the worker in the analysis environment, in a scratch folder.

    The launch raises ToolFailed when the worker ends without an answer, runs out of its time or
    cannot be started.
    """

    def launch(request: Document) -> Document:
        with tempfile.TemporaryDirectory(prefix="lab-analysis-") as scratch:
            return _run(tools, package_folder, {**request, "scratch": scratch})

    return launch


def worker_environment(tools: Tools, package_folder: Path, scratch: str) -> dict[str, str]:
    """Return all that the worker sees; PYTHONPATH is for it alone, not for what it runs."""
    return {
        "PATH": f"{tools.analysis_bin}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(package_folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LAB_REPORTER_OFF": "1",
    }


def _run(tools: Tools, package_folder: Path, request: Mapping[str, Any]) -> Document:
    scratch = str(request["scratch"])
    bounds = Bounds(float(request["time_limit_seconds"]), ANSWER_BYTES, GRACE_SECONDS)
    finished = run_bounded(
        (tools.analysis_python, *WORKER),
        cwd=Path(scratch),
        environment=worker_environment(tools, package_folder, scratch),
        bounds=bounds,
        stdin=json.dumps(request).encode(),
    )
    if finished.is_timeout or finished.is_overflow or finished.exit_code != 0:
        raise ToolFailed("analysis worker", finished.text, finished.exit_code)
    try:
        document: Document = json.loads(finished.stdout)
    except ValueError as error:
        raise ToolFailed("analysis worker", finished.text, finished.exit_code) from error
    return document

"""One analysis as a process tree of this machine: a JSON request in, a JSON answer out."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lab.errors import ToolFailed
from lab.process.isolation import best_separation
from lab.process.mark import Mark
from lab.process.spawn import Job, spawn
from lab.process.supervise import Cause, Finish, Watch, supervise
from lab.stacks.protocol import Tools

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
ANSWER_BYTES = 256 << 20
GRACE_SECONDS = 5.0
SCRIPT = 'exec "$LAB_WORKER_PYTHON" -m lab.analysis.worker 2>complaints\n'


def launch(
    scratch: Path, tools: Tools, label: Mark, request: Mapping[str, object]
) -> Mapping[str, object]:
    """Run the analysis worker once; ToolFailed when it gives no answer.

    Nothing that the analysed code leaves running outlives the call, and a dead coordinator's
    worker carries its mark.
    """
    with tempfile.TemporaryDirectory(prefix="analysis-", dir=scratch) as name:
        folder = Path(name)
        (folder / "scratch").mkdir()
        (folder / "worker.sh").write_text(SCRIPT, encoding="utf-8")
        asked = {**request, "scratch": str(folder / "scratch")}
        (folder / "request").write_text(json.dumps(asked), encoding="utf-8")
        finish = _run(folder, tools, label, float(str(request["time_limit_seconds"])))
        text = (folder / "answer").read_text(encoding="utf-8", errors="replace")
        is_whole = finish.cause is Cause.EXITED and not finish.is_truncated
        if not is_whole or finish.exit_code != 0:
            raise ToolFailed("analysis worker", _told(folder, finish), finish.exit_code)
        try:
            answer: Mapping[str, object] = json.loads(text)
        except ValueError as error:
            raise ToolFailed("analysis worker", text, finish.exit_code) from error
        return answer


def _run(folder: Path, tools: Tools, label: Mark, timeout_seconds: float) -> Finish:
    environment = _environment(tools, str(folder / "scratch"))
    job = Job(
        script=folder / "worker.sh",
        folder=folder,
        environment=(*environment.items(), ("LAB_WORKER_PYTHON", tools.analysis_python)),
        mark=label,
        stdin=folder / "request",
    )
    watch = Watch(timeout_seconds, GRACE_SECONDS, ANSWER_BYTES)
    return supervise(spawn(job, best_separation()), watch, folder / "answer")


def _environment(tools: Tools, scratch: str) -> dict[str, str]:
    """Return all that the worker sees; PYTHONPATH is for it alone, not for what it runs."""
    return {
        "PATH": f"{tools.analysis_bin}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(PACKAGE_FOLDER),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LAB_REPORTER_OFF": "1",
    }


def _told(folder: Path, finish: Finish) -> str:
    complaints = folder / "complaints"
    text = complaints.read_text(encoding="utf-8", errors="replace") if complaints.exists() else ""
    return f"{text}\n({finish.cause.value})"

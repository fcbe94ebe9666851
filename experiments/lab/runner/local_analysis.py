"""One analysis as a process of this machine: a JSON request in, a JSON answer out."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lab.errors import ToolFailed
from lab.process.isolation import best_separation
from lab.process.mark import Mark
from lab.process.spawn import Job, spawn
from lab.process.supervise import Cause, Watch, supervise
from lab.stacks.protocol import Tools

WORKER = "lab.analysis.worker"
PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
WATCH = Watch(timeout_seconds=1800, grace_seconds=2, output_bytes=64 << 20)
SCRIPT = 'exec "$LAB_WORKER_PYTHON" -m "$LAB_WORKER" <"$LAB_REQUEST" 2>"$LAB_COMPLAINTS"\n'


def launch(tools: Tools, label: Mark, request: Mapping[str, object]) -> Mapping[str, object]:
    """Run the analysis worker once; ToolFailed when it gives no answer.

    Nothing that the analysed code leaves running outlives the call.
    """
    with tempfile.TemporaryDirectory(prefix="lab-analysis-") as folder:
        return _launch(Path(folder), tools, label, request)


def _launch(
    folder: Path, tools: Tools, label: Mark, request: Mapping[str, object]
) -> Mapping[str, object]:
    script, answer, complaints = folder / "worker.sh", folder / "answer", folder / "complaints"
    script.write_text(SCRIPT, encoding="utf-8")
    (folder / "request").write_text(json.dumps(request), encoding="utf-8")
    job = Job(script, folder, _environment(folder, tools), label)
    finish = supervise(spawn(job, best_separation()), WATCH, answer)
    if finish.cause is not Cause.EXITED or finish.exit_code != 0:
        told = complaints.read_text(encoding="utf-8", errors="replace")
        raise ToolFailed(f"{WORKER} ({finish.cause.value})", told, finish.exit_code)
    found: Mapping[str, object] = json.loads(answer.read_bytes())
    return found


def _environment(folder: Path, tools: Tools) -> tuple[tuple[str, str], ...]:
    return (
        ("PATH", f"{tools.analysis_bin}:/usr/local/bin:/usr/bin:/bin"),
        ("HOME", str(folder)),
        ("TMPDIR", str(folder)),
        ("LANG", "C.UTF-8"),
        ("PYTHONPATH", str(PACKAGE_FOLDER)),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("LAB_WORKER", WORKER),
        ("LAB_WORKER_PYTHON", tools.analysis_python),
        ("LAB_REQUEST", str(folder / "request")),
        ("LAB_COMPLAINTS", str(folder / "complaints")),
        *((name, os.environ[name]) for name in ("LAB_CACHE",) if name in os.environ),
    )

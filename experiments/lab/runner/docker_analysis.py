"""One analysis in a container of its own: no network, the run's folder read-only."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from lab.domain.attempt import Limits
from lab.errors import ToolFailed
from lab.runner.container import Bind, Container, EngineFault, Request
from lab.runner.docker_rules import environment, memory_folders, run_user
from lab.runner.executor import AnalysisPlace, Pairs
from lab.runner.toolcache import image_tools

PACKAGE = Path(__file__).resolve().parents[1]
REQUEST = "/run/lab-request.json"
WORKER = "lab.analysis.worker"
LIMITS = Limits(
    timeout_seconds=3600,
    startup_seconds=3600,
    stall_seconds=3600,
    grace_seconds=2,
    cpus=2,
    memory_bytes=2 << 30,
    pids=512,
    stdout_bytes=256 << 20,
    disk_bytes=4 << 30,
)


def analyse(
    create: Callable[[Request], Container],
    image: str,
    labels: Pairs,
    place: AnalysisPlace,
    request: Mapping[str, object],
) -> Mapping[str, object]:
    """Run the worker once; ToolFailed when it gives no answer.

    The worker sees the run's folder under the same absolute path as the host, so that the request
    needs no translation; the package is there read-only, in which no agent ever runs.
    """
    with tempfile.TemporaryDirectory(prefix="lab-analysis-") as folder:
        Path(folder).chmod(0o755)
        asked = Path(folder) / "request.json"
        asked.write_text(json.dumps(request), encoding="utf-8")
        return _answer(create(_request(image, labels, place, asked)))


def _request(image: str, labels: Pairs, place: AnalysisPlace, asked: Path) -> Request:
    uid, gid = run_user()
    shown = (PACKAGE, place.run_folder)
    variables = {**environment(), "HOME": "/tmp", "TMPDIR": "/tmp", "LAB_REPORTER_OFF": "1"}
    return Request(
        image=image,
        command=("sh", "-c", f"exec {image_tools().analysis_python} -m {WORKER} <{REQUEST}"),
        user=f"{uid}:{gid}",
        workdir="/tmp",
        environment=(*variables.items(), ("PYTHONPATH", str(PACKAGE.parent))),
        binds=(*(Bind(str(path), str(path)) for path in shown), Bind(str(asked), REQUEST)),
        tmpfs=memory_folders(),
        labels=labels,
        limits=LIMITS,
    )


def _answer(running: Container) -> Mapping[str, object]:
    kept = {False: bytearray(), True: bytearray()}

    def take(data: bytes, is_complaint: bool) -> None:
        kept[is_complaint].extend(data[: LIMITS.stdout_bytes - len(kept[is_complaint])])

    try:
        running.start(take)
        is_over = running.wait(LIMITS.timeout_seconds)
        code = running.state(30).exit_code if is_over else None
    except EngineFault as error:
        raise ToolFailed("analysis container", str(error)) from error
    finally:
        running.remove()
    if code != 0:
        raise ToolFailed("analysis container", kept[True].decode("utf-8", "replace"), code)
    found: Mapping[str, object] = json.loads(kept[False])
    return found

"""Attempts as containers: no network, nothing mounted but the run's own, killed on every path."""

import errno
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.analysis.request import Launch
from lab.domain.attempt import AttemptResult, AttemptSpec, Ending
from lab.errors import LabError
from lab.gateway.client import SOCKET_NAME, SPOOL_NAME
from lab.process import owner
from lab.process.capped_log import CappedLog
from lab.process.disk_use import DiskUse
from lab.runner import container, container_end
from lab.runner.clock import now
from lab.runner.container import Bind, Container, EngineFault, EngineRefusal, Request
from lab.runner.docker_analysis import analyse
from lab.runner.docker_rules import HOME, WORK, environment, image_name, memory_folders, run_user
from lab.runner.executor import AnalysisPlace, Folders, Pairs, View, without_process
from lab.runner.toolcache import image_tools
from lab.stacks.protocol import Tools

NAME = "docker"
STATE = "/state"
SOCKETS = "/run/lab"
INVOCATION = "/run/lab-invocation"
SAMPLE_SECONDS = 0.25
LOW_DISK_BYTES = 1 << 20
KILLED = 137


@dataclass(slots=True)
class _Watched:
    """What was seen of one running container."""

    log: CappedLog
    started: float
    use: DiskUse
    last_activity: float | None = None
    is_disk_full: bool = False
    excess: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_too_much(self) -> bool:
        """Tell whether more lies in the attempt's folders than is allowed."""
        self.excess = self.excess or self.use.excess()
        return self.excess is not None

    def take(self, data: bytes, is_complaint: bool) -> None:
        self.last_activity = time.monotonic()
        with self.lock:
            try:
                self.log.take(data)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                self.is_disk_full = True


class DockerExecutor:
    """Runs attempts in containers of this machine's engine; safe for several threads."""

    name = NAME

    def __init__(self, connect: Callable[[], container.Engine] = container.connect) -> None:
        """Connect; LabError when no engine answers."""
        try:
            self._engine = connect()
        except EngineFault as error:
            raise LabError(f"no Docker engine answers ({error}); start one (dockerd)") from error
        self._owner = str(owner.current())
        self._drained = threading.Event()
        self._images: dict[str, str] = {}

    def refusal(self, executes_model_output: bool) -> str | None:
        return None

    def isolation(self) -> Pairs:
        uid, gid = run_user()
        return (
            ("file system", "yes: root read-only; only /work, /state and the event socket"),
            ("user", f"yes: {uid}:{gid}"),
            ("privileges", "yes: no capability, no new privileges"),
            ("network", "yes: none"),
            ("secrets", "yes: environment and files of the host are out of reach"),
            ("output", "yes"),
            ("end", "yes: killed and removed"),
            ("processes", "yes: cgroup"),
            ("memory", "yes: cgroup, swap included"),
        )

    def tools(self, stack_id: str) -> Tools:
        self.image(stack_id)
        return image_tools()

    def image(self, stack_id: str) -> str | None:
        return self._digest(image_name(stack_id))

    def _digest(self, name: str) -> str:
        """Return an image's digest, asked for once: a rebuild during a batch changes nothing."""
        if name not in self._images:
            found = container.image_of(self._engine, name)
            if found is None:
                raise LabError(f"the image {name} is missing; run: docker/build.sh")
            self._images[name] = found[0]
        return self._images[name]

    def view(self, folders: Folders) -> View:
        return View(WORK, STATE, f"{SOCKETS}/{SOCKET_NAME}", f"{SOCKETS}/{SPOOL_NAME}")

    def run(self, spec: AttemptSpec) -> AttemptResult:
        started_at = now()
        uid, gid = run_user()
        passwd = spec.state.parent / f"{spec.state.name}.passwd"
        passwd.write_text(f"agent:x:{uid}:{gid}::{HOME}:/bin/sh\n", encoding="utf-8")
        for folder in (spec.workspace, spec.state):
            _hand_over(folder, uid, gid)
        try:
            return self._run(spec, passwd, started_at)
        except EngineFault as error:
            return without_process(Ending.DOCKER_LOST, error, started_at)
        finally:
            passwd.unlink(missing_ok=True)
            for folder in (spec.workspace, spec.state):
                _hand_over(folder, os.geteuid(), os.getegid())

    def _run(self, spec: AttemptSpec, passwd: Path, started_at: str) -> AttemptResult:
        try:
            running = self._container(self._request(spec, passwd))
        except EngineRefusal as error:
            return without_process(Ending.COULD_NOT_START, error, started_at)
        log = CappedLog(spec.log, spec.limits.stdout_bytes)
        try:
            use = DiskUse((spec.workspace, spec.state, spec.sockets), spec.limits.disk_bytes)
            seen = _Watched(log, time.monotonic(), use)
            running.start(seen.take)
            ending = self._watch(running, seen, spec)
            active = time.monotonic() - seen.started
            state = running.state(int(spec.limits.grace_seconds) + 30)
        finally:
            running.remove()
            log.close()
        told = container_end.read(spec.state)
        ending = _with_memory(ending, state)
        last = seen.last_activity
        return AttemptResult(
            ending=ending,
            exit_code=state.exit_code,
            started_at=started_at,
            ended_at=now(),
            active_seconds=round(active, 6),
            last_activity_seconds=None if last is None else round(last - seen.started, 6),
            stdout_bytes=log.total,
            is_output_truncated=log.is_truncated,
            effective=(*state.effective, ("oom seen", str(state.is_oom_seen).lower())),
            detail=_detail(ending, seen) or running.stream_fault,
            left_behind=told.left,
            notes=_notes(spec, state, told),
        )

    def _watch(self, running: Container, seen: _Watched, spec: AttemptSpec) -> Ending:
        """Wait for the end or bring it about: SIGTERM, the grace, SIGKILL."""
        cause = None
        while not running.wait(_next_wait(seen, spec)):
            cause = self._cause(seen, spec)
            if cause is not None:
                break
        else:
            # Output closed but the container lives on: its time limit still holds.
            while running.is_running() and (cause := self._cause(seen, spec)) is None:
                time.sleep(SAMPLE_SECONDS)
        if cause is None:
            return Ending.DISK_FULL if seen.is_disk_full else Ending.EXITED
        running.signal("SIGTERM")
        if running.wait(spec.limits.grace_seconds):
            return cause
        running.signal("SIGKILL")
        return Ending.TIMEOUT_KILLED if cause is Ending.TIMEOUT else cause

    def _cause(self, seen: _Watched, spec: AttemptSpec) -> Ending | None:
        limits, elapsed = spec.limits, time.monotonic() - seen.started
        is_silent = spec.watch_output and seen.last_activity is None
        last = seen.last_activity
        silent_for = 0.0 if last is None else time.monotonic() - last
        checks = (
            (self._drained.is_set(), Ending.DRAINED),
            (elapsed >= limits.timeout_seconds, Ending.TIMEOUT),
            (is_silent and elapsed >= limits.startup_seconds, Ending.STARTUP_HANG),
            (spec.watch_output and silent_for >= limits.stall_seconds, Ending.STALLED),
            (seen.is_disk_full or seen.is_too_much(), Ending.DISK_FULL),
            (shutil.disk_usage(spec.workspace).free < LOW_DISK_BYTES, Ending.DISK_FULL),
        )
        return next((ending for holds, ending in checks if holds), None)

    def _request(self, spec: AttemptSpec, passwd: Path) -> Request:
        uid, gid = run_user()
        spool = spec.sockets / SPOOL_NAME
        binds = [
            Bind(str(spec.workspace), WORK, is_writable=True),
            Bind(str(spec.state), STATE, is_writable=True),
            Bind(str(spec.invocation), INVOCATION),
            Bind(str(passwd), "/etc/passwd"),
        ]
        if spec.sockets.is_dir():
            binds.append(Bind(str(spec.sockets), SOCKETS))
        if spool.exists():
            binds.append(Bind(str(spool), f"{SOCKETS}/{SPOOL_NAME}", is_writable=True))
        return Request(
            image=self._digest(image_name(spec.stack)),
            command=("run-batch.sh", INVOCATION),
            user=f"{uid}:{gid}",
            workdir=WORK,
            environment=tuple({**environment(), **dict(spec.environment)}.items()),
            binds=tuple(binds),
            tmpfs=memory_folders(),
            labels=self._labels(spec.batch_id, spec.run_id),
            limits=spec.limits,
        )

    def _labels(self, batch_id: str, run_id: str) -> Pairs:
        return (("lab.batch", batch_id), ("lab.run", run_id), (container.LABEL, self._owner))

    def launch(self, place: AnalysisPlace) -> Launch:
        image = self._digest(image_name(place.stack, is_analysis=True))
        labels = self._labels(place.batch_id, place.run_id)

        def send(request: Mapping[str, object]) -> Mapping[str, object]:
            return analyse(self._container, image, labels, place, request)

        return send

    def _container(self, request: Request) -> Container:
        return Container(self._engine, request)

    def drain(self) -> None:
        self._drained.set()

    def reap(self) -> tuple[str, ...]:
        ended = []
        for name, labels in container.labelled(self._engine):
            if not owner.is_alive(labels.get(container.LABEL, "")):
                container.remove(self._engine, name)
                ended.append(f"container {name[:12]} ({labels.get('lab.run', 'no run')})")
        return tuple(ended)

    def close(self) -> None:
        self._engine.close()


def _next_wait(seen: _Watched, spec: AttemptSpec) -> float:
    left = spec.limits.timeout_seconds - (time.monotonic() - seen.started)
    return max(0.0, min(SAMPLE_SECONDS, left))


def _with_memory(ending: Ending, state: container.State) -> Ending:
    """Name a memory kill: the flag is also set when only a tool's process died of it."""
    if ending is Ending.EXITED and state.is_oom_seen and state.exit_code == KILLED:
        return Ending.OOM_KILLED
    return ending


def _detail(ending: Ending, seen: _Watched) -> str | None:
    if ending is Ending.OOM_KILLED:
        return "the agent's first process was killed for memory"
    return seen.excess


def _notes(spec: AttemptSpec, state: container.State, told: container_end.Told) -> tuple[str, ...]:
    """Say which limits the attempt ran into."""
    limits = spec.limits
    found = (
        (told.refused, f"the limit of {limits.pids} processes refused {told.refused} of them"),
        (state.is_oom_seen, f"a process was killed for memory ({limits.memory_bytes} bytes)"),
    )
    return tuple(note for holds, note in found if holds)


def _hand_over(folder: Path, uid: int, gid: int) -> None:
    """Give a folder and all in it to a user; only root can, and only root has to.

    By a program, because an agent may nest folders deeper than any path can name.
    """
    if os.geteuid() == 0:
        subprocess.run(["chown", "-hR", f"{uid}:{gid}", "--", folder], check=True)

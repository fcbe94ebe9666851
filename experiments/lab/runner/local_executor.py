"""Attempts as processes of this machine: no engine needed, little isolation, and it says which."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

from lab.analysis.request import Launch
from lab.domain.attempt import AttemptResult, AttemptSpec, Ending, Limits
from lab.gateway.client import SOCKET_NAME, SPOOL_NAME
from lab.paths import LabPaths
from lab.process import fence, mark, owner, procfs, tree_end
from lab.process.isolation import Separation, best_separation
from lab.process.mark import Mark
from lab.process.spawn import Bounds, Job, spawn
from lab.process.supervise import Cause, Finish, Watch, supervise
from lab.runner.clock import now
from lab.runner.executor import AnalysisPlace, Folders, Pairs, View, without_process
from lab.runner.local_analysis import launch
from lab.runner.scratch import Scratch
from lab.runner.toolcache import tools_for
from lab.stacks.protocol import Tools

NAME = "local"
PATH = "/usr/local/bin:/usr/bin:/bin"
FENCE_SPARE = 256
ENDINGS = {
    (Cause.EXITED, False): Ending.EXITED,
    (Cause.TIMEOUT, False): Ending.TIMEOUT,
    (Cause.TIMEOUT, True): Ending.TIMEOUT_KILLED,
    (Cause.STALLED, False): Ending.STALLED,
    (Cause.STALLED, True): Ending.STALLED,
    (Cause.STARTUP_HANG, False): Ending.STARTUP_HANG,
    (Cause.STARTUP_HANG, True): Ending.STARTUP_HANG,
    (Cause.MEMORY, True): Ending.OOM_KILLED,
    (Cause.PROCESSES, True): Ending.EXITED,
    (Cause.DISK, False): Ending.DISK_FULL,
    (Cause.DISK, True): Ending.DISK_FULL,
    (Cause.DRAINED, False): Ending.DRAINED,
    (Cause.DRAINED, True): Ending.DRAINED,
}


class LocalExecutor:
    """Runs attempts as this user's processes; refuses to execute a model's output."""

    name = NAME

    def __init__(
        self, paths: LabPaths, *, is_unsandboxed: bool = False, processes: int = 0
    ) -> None:
        """`processes` bounds all attempts together, where a cgroup is permitted; 0 = no bound."""
        self._paths = paths
        self._is_unsandboxed = is_unsandboxed
        self._separation = best_separation()
        self._drain = os.eventfd(0)
        self._open = ExitStack()
        self._is_fenced = bool(processes) and self._open.enter_context(
            fence.at_most(processes + FENCE_SPARE)
        )
        self._owner = str(owner.current())
        self._uses_own_limit = os.geteuid() != 0
        self._held: dict[Limits, Pairs] = {}
        self._scratch = Scratch()

    def refusal(self, executes_model_output: bool) -> str | None:
        if not executes_model_output or self._is_unsandboxed:
            return None
        return (
            "executes what a model wrote, and the local executor cannot contain that: "
            "use `docker/batch.sh PLAN`, or --unsandboxed on a machine you can lose"
        )

    def isolation(self) -> Pairs:
        return isolation_of(self._separation, is_fenced=self._is_fenced)

    def tools(self, stack_id: str) -> Tools:
        return tools_for(self._paths, stack_id)

    def image(self, stack_id: str) -> str | None:
        return None

    def view(self, folders: Folders) -> View:
        sockets = folders.sockets
        return View(
            str(folders.workspace),
            str(folders.state),
            str(sockets / SOCKET_NAME),
            str(sockets / SPOOL_NAME),
        )

    def run(self, spec: AttemptSpec) -> AttemptResult:
        started_at = now()
        try:
            child = spawn(self._job(spec), self._separation)
        except OSError as error:
            return without_process(Ending.COULD_NOT_START, error, started_at)
        finish = supervise(child, self._watch(spec), spec.log)
        ending = ENDINGS[finish.cause, finish.was_killed]
        return AttemptResult(
            ending=ending,
            exit_code=finish.exit_code,
            started_at=started_at,
            ended_at=now(),
            active_seconds=round(finish.active_seconds, 6),
            last_activity_seconds=_rounded(finish.last_activity_seconds),
            stdout_bytes=finish.output_bytes,
            is_output_truncated=finish.is_truncated,
            effective=self._effective(spec.limits),
            detail=_detail(finish),
            left_behind=finish.left_behind,
        )

    def launch(self, place: AnalysisPlace) -> Launch:
        def send(request: Mapping[str, object]) -> Mapping[str, object]:
            label = Mark(place.batch_id, place.run_id, self._owner)
            return launch(self._scratch.folder(), self.tools(place.stack), label, request)

        return send

    def drain(self) -> None:
        os.eventfd_write(self._drain, 1)

    def reap(self) -> tuple[str, ...]:
        found = tuple(mark.orphaned())
        names = tuple(f"process {pid} ({procfs.command(pid)})" for pid, _ in found)
        for pid, _ in found:
            tree_end.kill(pid)
        return names

    def close(self) -> None:
        self._open.close()
        self._scratch.close()
        os.close(self._drain)

    def _job(self, spec: AttemptSpec) -> Job:
        home = str(spec.state)
        environment = {"PATH": PATH, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
        return Job(
            script=spec.invocation,
            folder=spec.workspace,
            environment=tuple({**environment, **dict(spec.environment)}.items()),
            mark=Mark(spec.batch_id, spec.run_id, self._owner),
            bounds=self._bounds(spec),
        )

    def _bounds(self, spec: AttemptSpec) -> Bounds:
        own = None
        if self._uses_own_limit:
            own = sum(1 for _ in procfs.processes()) + spec.limits.pids
        return Bounds(file_bytes=spec.limits.disk_bytes, user_processes=own)

    def _watch(self, spec: AttemptSpec) -> Watch:
        limits = spec.limits
        watch = Watch(
            timeout_seconds=limits.timeout_seconds,
            grace_seconds=limits.grace_seconds,
            output_bytes=limits.stdout_bytes,
            memory_bytes=limits.memory_bytes,
            processes=limits.pids,
            disk=spec.workspace,
            folders=(spec.workspace, spec.state, spec.sockets),
            disk_bytes=limits.disk_bytes,
            drain=self._drain,
        )
        if not spec.watch_output:
            return watch
        return replace(
            watch, startup_seconds=limits.startup_seconds, stall_seconds=limits.stall_seconds
        )

    def _effective(self, limits: Limits) -> Pairs:
        """Say what holds of these limits; they are the same for all runs of a batch."""
        if limits not in self._held:
            self._held[limits] = self._limits_held(limits)
        return self._held[limits]

    def _limits_held(self, limits: Limits) -> Pairs:
        held = "watched" if not self._uses_own_limit else "ulimit and watched"
        return (
            ("timeout_seconds", f"{limits.timeout_seconds:g}"),
            ("memory_bytes", f"{limits.memory_bytes} (watched)"),
            ("pids", f"{limits.pids} ({held})"),
            ("cpus", f"{os.cpu_count()} (not limited)"),
            ("stdout_bytes", str(limits.stdout_bytes)),
            ("disk_bytes", f"{limits.disk_bytes} (one file, and watched)"),
        )


def isolation_of(separation: Separation, *, is_fenced: bool) -> Pairs:
    """State rule by rule what the local executor gives on this machine."""
    ends = "yes" if separation is not Separation.GROUP else "no: a process can leave its group"
    return (
        ("file system", "no: reads and writes whatever this user may"),
        ("user", f"no: runs as uid {os.geteuid()}"),
        ("privileges", "no"),
        ("network", "no: the machine's own"),
        ("secrets", "environment cleared; files of this user are readable"),
        ("output", "yes"),
        ("end", f"{ends} ({separation.value})"),
        ("processes", "yes (cgroup)" if is_fenced else "watched"),
        ("memory", "watched"),
    )


def _detail(finish: Finish) -> str | None:
    left = f"left running and ended: {', '.join(finish.left_behind)}" if finish.left_behind else ""
    return "; ".join(part for part in (finish.detail, left) if part) or None


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)

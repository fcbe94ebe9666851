"""What a person sees of a batch: a progress bar or plain lines, and the log beside the plan."""

import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from lab.cli.typed import as_typed
from lab.runner.live import Snapshot
from lab.runner.session import End, Ended

PLAIN_SECONDS = 30.0
EXIT_CODES = {End.COMPLETE: 0, End.LEFT_TO_OTHERS: 0, End.DRAINED: 0, End.STOPPED: 1}
INTERRUPTED = 130
STAMP = re.compile(r"\b\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_")
TAIL = 30


class BatchView:
    """Listens to a coordinator; use as a context manager. Quiet: the log file only."""

    def __init__(self, plan: Path, *, is_quiet: bool) -> None:
        self._plan, self._is_quiet = plan, is_quiet
        self._log: TextIO | None = None
        self._bar: Any = None
        self._task: Any = None
        self._told = time.monotonic()

    def __enter__(self) -> Self:
        self._log = _open_log(self._plan)
        if not self._is_quiet and sys.stdout.isatty():
            self._bar = _progress_bar()
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._write(f"ended: {error}")
        if self._bar is not None:
            self._bar.stop()
        if self._log is not None:
            self._log.close()

    def said(self, line: str) -> None:
        line = printable(line)
        self._write(line)
        if self._is_quiet:
            return
        line = as_typed(line)
        if self._bar is not None:
            width = self._bar.console.width
            self._bar.console.print(fitted(line, width), markup=False, highlight=False)
        else:
            print(line, flush=True)

    def changed(self, snapshot: Snapshot) -> None:
        if self._bar is not None:
            self._draw(snapshot)
            return
        now = time.monotonic()
        if now - self._told >= PLAIN_SECONDS:
            self._told = now
            self.said(progress_line(snapshot))

    def _draw(self, snapshot: Snapshot) -> None:
        about = f"{len(snapshot.active)} running{_eta(snapshot)}"
        if snapshot.paused:
            about = f"paused: {snapshot.paused}"
        if self._task is None:
            self._task = self._bar.add_task("runs", total=snapshot.total, about=about)
        self._bar.update(self._task, completed=snapshot.finished, total=snapshot.total, about=about)

    def _write(self, line: str) -> None:
        if self._log is not None:
            self._log.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}\n")
            self._log.flush()


def _open_log(plan: Path) -> TextIO | None:
    """Open the log beside the plan; a plan in a read-only folder has none."""
    try:
        return plan.with_suffix(".log").open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        print(f"no batch log: {error.filename}: {error.strerror}", file=sys.stderr)
        return None


def _progress_bar() -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[about]}", markup=False),
        transient=True,
    )


def printable(text: str) -> str:
    """Neutralise what would steer a terminal."""
    return "".join(
        one if one.isprintable() or one == " " else "\N{REPLACEMENT CHARACTER}" for one in text
    )


def fitted(line: str, width: int) -> str:
    """Shorten a line to a terminal's width: run ids lose their date and time, then the middle goes.

    The log beside the plan and plain output keep the whole line.
    """
    line = STAMP.sub("", line)
    if len(line) <= width:
        return line
    tail = min(TAIL, width // 2)
    return f"{line[: width - tail - 1]}\N{HORIZONTAL ELLIPSIS}{line[-tail:]}"


def progress_line(snapshot: Snapshot) -> str:
    """Say in one line where a batch stands."""
    failed = snapshot.finished - snapshot.replicates
    paused = f"; paused: {snapshot.paused}" if snapshot.paused else ""
    return (
        f"{snapshot.finished}/{snapshot.total} done ({snapshot.replicates} ok, {failed} other), "
        f"{len(snapshot.active)} running{_eta(snapshot)}{paused}"
    )


def _eta(snapshot: Snapshot) -> str:
    if snapshot.eta_seconds is None or snapshot.finished >= snapshot.total:
        return ""
    return f", about {duration(snapshot.eta_seconds)} to go"


def duration(seconds: float) -> str:
    """Render seconds for people: 45 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def exit_code_of(ended: Ended) -> int:
    """Return 0 fine, 1 something to mend, 130 interrupted."""
    return EXIT_CODES.get(ended.end, INTERRUPTED)


def ended_lines(ended: Ended, plan: str) -> tuple[str, ...]:
    """Say how a batch ended and what to type next; `plan` is its name on the command line."""
    state = ended.state
    counts = ", ".join(f"{count} {reason}" for reason, count in sorted(state.ended.items()))
    head = (
        f"batch {ended.batch.id}: {state.finished} of {state.total} runs done ({counts or 'none'})"
    )
    if ended.was_finished_before:
        return (
            f"{head}; nothing left to do",
            f"next: lab aggregate --all (once more: lab batch {plan} --again)",
        )
    lines = [f"{head}; {ended.end.value}"]
    lines += [f"stopped: {' '.join(lane)}: {why}" for lane, why in state.stopped.items()]
    if ended.end is End.COMPLETE and state.total == 1:
        return (*lines, f"next: lab tdd-report {state.done[0].run_id}")
    if ended.end is End.COMPLETE:
        return (*lines, "next: lab aggregate --all")
    if ended.end is End.LEFT_TO_OTHERS:
        return (*lines, f"another coordinator has the rest; next: lab watch {plan}")
    return (*lines, f"next: lab resume {plan}")


def ended_document(ended: Ended) -> dict[str, object]:
    """Lay out how a batch ended."""
    state = ended.state
    return {
        "schema_version": 1,
        "batch_id": ended.batch.id,
        "end": ended.end.value,
        "was_finished_before": ended.was_finished_before,
        "total": state.total,
        "finished": state.finished,
        "ended": dict(state.ended),
        "runs": [done.run_id for _, done in sorted(state.done.items())],
        "stopped": {" ".join(lane): why for lane, why in state.stopped.items()},
    }

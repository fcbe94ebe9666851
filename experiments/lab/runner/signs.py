"""What a person should know of an attempt that is no proof of anything: the run's warnings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lab.chain.classify import label
from lab.chain.stream import EventStream
from lab.domain.attempt import AttemptResult
from lab.domain.event import PathClass, Result, Status
from lab.domain.metric import Measurement
from lab.runner.file_tree import Changes
from lab.runner.git_signs import history_signs
from lab.stacks.protocol import Stack

LISTED = 10
SHOWN = 200
RECORDED = 40
WORDS = 500
RESULTS = ("metrics.json", "run.json")


def of_workspace(workspace: Path, changes: Changes) -> Iterator[str]:
    """Yield what was odd about the files that an agent left."""
    yield from _listed("removed from the workspace, not a file", changes.removed)
    yield from _listed("removed from the workspace, nested too deep", changes.too_deep)
    links = (f"{path} -> {target}" for path, target in changes.links_out)
    yield from _listed("link out of the workspace", links)
    if changes.mended:
        yield f"rights mended, to read and delete: {changes.mended} files and folders"
    named = [name for name in RESULTS if name in changes.paths]
    if named:
        yield f"files in the workspace that are not the run's own: {', '.join(named)}"
    yield from history_signs(workspace)


def of_process(result: AttemptResult) -> Iterator[str]:
    """Yield what the executor saw: processes left, limits reached."""
    counts = Counter(result.left_behind)
    left = (f"{name} ({count} of them)" if count > 1 else name for name, count in counts.items())
    yield from _listed("left running and ended", left)
    if result.is_output_truncated:
        yield f"output cut: {result.stdout_bytes} bytes were printed"
    yield from result.notes


def of_suites(stream: EventStream, changes: Changes, stack: Stack) -> Iterator[str]:
    """Yield what was odd about the suites that were run, or not run."""
    tests = [path for path in changes.paths if stack.path_class(path) is PathClass.TEST]
    if stack.IS_ANALYSED and tests and not stream.events:
        yield f"tests were written, but no suite was run that the lab saw: {_shown(tests[0])}"
    died = sum(event.result is Result.DIED for event in stream.events)
    if died:
        yield f"{died} {'suite' if died == 1 else 'suites'} did not come to its end"
    weakened = sum(row.is_weakened for row in label(stream.events).events)
    last = stream.events[-1].tests if stream.events else ()
    skipped = sum(test.status is Status.SKIPPED for test in last)
    if weakened or skipped:
        yield f"tests weakened: {weakened}, skipped: {skipped}"


def of_acceptance(metrics: Mapping[str, Measurement]) -> Iterator[str]:
    """Yield a sign of code made for its own tests: these pass, and hidden scenarios do not."""
    names = ("tests_passing", "tests_total", "verification_passed", "verification_total")
    is_green, tests, passed, hidden = (metrics[name].value for name in names)
    if is_green and tests and passed is not None and passed != hidden:
        yield f"own tests pass, hidden scenarios do not: {passed} of {hidden} passed"


def at_most(told: tuple[str, ...], number: int = RECORDED) -> tuple[str, ...]:
    """Cut a list that an agent could make as long as it likes; the last line counts the rest."""
    shown = tuple(_shown(one, WORDS) for one in told[:number])
    return (*shown, f"{len(told) - number} more") if len(told) > number else shown


def _listed(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield one warning per name, and a count of those beyond LISTED."""
    known = tuple(names)
    yield from (f"{what}: {_shown(name)}" for name in known[:LISTED])
    if len(known) > LISTED:
        yield f"{what}: {len(known) - LISTED} more"


def _shown(name: str, longest: int = SHOWN) -> str:
    """Write a name as one printable line; what no terminal or file should get is escaped."""
    text = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in name)
    return text if len(text) <= longest else f"{text[:longest]}..."

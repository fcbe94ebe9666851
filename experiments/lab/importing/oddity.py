"""What is odd about an original's file: who else wrote it, what it lacks, what contradicts."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from lab.domain.outcome import ExitReason
from lab.importing.columns import BY_PLACE
from lab.importing.original import HEAD, Original

ERROR = "error-"
OVERWRITTEN = "overwritten-by-the-agent"


@dataclass(frozen=True, slots=True)
class Oddity:
    """`kind` groups runs in the report; `text` is for people and stays with the run.

    What a terminal would obey in a foreign name is escaped.
    """

    kind: str
    text: str


def oddities(original: Original, carried: Collection[str]) -> tuple[Oddity, ...]:
    """Return everything odd about a file; `carried` are the places whose values we take over."""
    strangers = _strangers(original, carried)
    found = [oddity for check in CHECKS if (oddity := check(original))]
    return (*_foreign(strangers), *found)


def utc(text: str | None) -> str | None:
    """Return a time in UTC, ISO 8601; None where there is none or it is no time."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat()


def printable(name: str) -> str:
    """Escape what does not print in a foreign name."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in name)


def _listed(names: list[str]) -> str:
    return ", ".join(map(printable, names))


def _strangers(original: Original, carried: Collection[str]) -> tuple[str, ...]:
    known = HEAD.union(carried)
    return tuple(place for place in original.places if place not in known)


def _foreign(strangers: tuple[str, ...]) -> Iterator[Oddity]:
    """A name at the top level that the pipeline never wrote there came from the agent."""
    top = [place for place in strangers if "." not in place]
    deeper = [place for place in strangers if "." in place]
    if top:
        text = f"metrics.json was overwritten in the run's folder: it also says {_listed(top)}"
        yield Oddity(OVERWRITTEN, text)
    if deeper:
        yield Oddity("unknown-column", f"not carried over: {_listed(deeper)}")


def _skeleton(original: Original) -> Oddity | None:
    if original.has_values:
        return None
    return Oddity("skeleton", "a file of the interactive recorder that no analysis ever filled")


def _no_end(original: Original) -> Oddity | None:
    if original.text("ended_at") and original.number("duration_seconds") is not None:
        return None
    text = "it has an exit reason but no end and no duration: completed by hand"
    return Oddity("patched-by-hand", text)


def _no_start(original: Original) -> Oddity | None:
    if utc(original.text("started_at")):
        return None
    return Oddity("no-start", "it does not say when it started")


def _other_zone(original: Original) -> Oddity | None:
    start = original.text("started_at")
    if not start or not utc(start) or start.endswith(("+00:00", "Z")):
        return None
    return Oddity("other-time-zone", f"it started {start}, which is {utc(start)}")


def _exit_reason(original: Original) -> Oddity | None:
    reason = original.text("run_status.exit_reason") or ""
    if reason in tuple(ExitReason) or reason.removeprefix(ERROR).isdigit():
        return None
    return Oddity("unknown-exit-reason", f"it ended {reason!r}, which counts as no replicate here")


def _not_numbers(original: Original) -> Oddity | None:
    wrong = [
        place
        for place, value in original.values.items()
        if isinstance(value, str) and place in BY_PLACE
    ]
    if not wrong:
        return None
    return Oddity("text-for-a-number", f"text where a number belongs: {', '.join(wrong)}")


CHECKS: tuple[Callable[[Original], Oddity | None], ...] = (
    _skeleton,
    _no_end,
    _no_start,
    _other_zone,
    _exit_reason,
    _not_numbers,
)

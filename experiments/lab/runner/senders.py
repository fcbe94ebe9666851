"""Who sent a run's events, by what the kernel told of each sender: process, command, container."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
ENDS = ("finished", "withdrawn", "heartbeat")


def forgeries(rows: Sequence[Row], preflight_lines: int) -> tuple[str, ...]:
    """Return signs that a suite was made up or hidden; the first lines are the preflight's own."""
    own = rows[preflight_lines:]
    found = [
        f"line {number}: posed as the preflight"
        for number, row in enumerate(own, start=preflight_lines + 1)
        if row.get("kind") == "baseline" or row.get("preflight") is True
    ]
    found += _by_others(own)
    found += _never_loaded(own)
    groups = sorted({str(group) for row in own if (group := _peer(row).get("cgroup"))})
    if len(groups) > 1:
        found.append(f"events came from more than one container: {', '.join(groups)}")
    return tuple(found)


def oddities(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return what is unusual about the senders but has honest reasons as well."""
    spooled = sum(row.get("is_spooled") is True for row in rows)
    found = []
    if spooled:
        events = "event" if spooled == 1 else "events"
        found.append(f"{spooled} {events} came by the spool: the sender is not known")
    foreign = dict.fromkeys(_name(row) for row in rows if _is_foreign(row))
    found += [f"a suite was reported by {name}, no known test runner" for name in foreign]
    return tuple(found)


def _by_others(rows: Sequence[Row]) -> Iterator[str]:
    """Name suites that were ended by a process that had not started them."""
    started = {row.get("session"): _pid(row) for row in rows if row.get("kind") == "started"}
    for row in rows:
        if row.get("kind") not in ENDS:
            continue
        first, last = started.get(row.get("session")), _pid(row)
        if first and last and first != last:
            yield f"a suite was ended by another process: {_name(row)}"


def _never_loaded(rows: Sequence[Row]) -> Iterator[str]:
    """Name senders of suites that are no test runner and in which the reporter never was.

    Where lines came by the spool the sender's own `loaded` may be among them: nothing is said then.
    """
    if any(row.get("is_spooled") is True for row in rows):
        return
    loaded = {_pid(row) for row in rows if row.get("kind") == "loaded"}
    for row in rows:
        if _is_foreign(row) and _pid(row) not in loaded:
            yield f"a suite came from {_name(row)}, where no reporter was at work"


def _is_foreign(row: Row) -> bool:
    """Tell whether a suite's start came from a command that does not name its runner."""
    command, runner = _peer(row).get("command"), row.get("runner")
    is_start = row.get("kind") == "started" and bool(command)
    return is_start and isinstance(runner, str) and runner not in str(command)


def _peer(row: Row) -> Row:
    peer = row.get("peer")
    return peer if isinstance(peer, Mapping) else {}


def _pid(row: Row) -> int | None:
    """Return the sender's process id; None where the kernel could not tell it."""
    pid = _peer(row).get("pid")
    return pid if isinstance(pid, int) and pid > 0 else None


def _name(row: Row) -> str:
    return f"`{_peer(row).get('command')}` (process {_pid(row)})"

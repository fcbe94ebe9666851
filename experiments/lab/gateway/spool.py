"""Lines that reached no sink: kept by the reporter in a spool file, merged by time afterwards."""

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.gateway.evidence import START, canonical, chained

LINE_BYTES = 4 * 2**20
SPOOL_BYTES = 64 * 2**20
LATEST = 4_102_444_800  # 2100-01-01: later is no time of ours


def spool_faults(spool: Path) -> tuple[str, ...]:
    """Say that a spool holds more than is read of it; empty = all of it is."""
    size = spool.stat().st_size if spool.exists() else 0
    return (f"spool cut at {SPOOL_BYTES} of {size} bytes",) if size > SPOOL_BYTES else ()


def merge_spool(events: Path, spool: Path) -> int:
    """Merge a spool into an event file, by the time each line was sent; return how many.

    A line that the sink has as well (its acknowledgement came too late) counts once. The file is
    numbered and chained anew; merged lines carry `is_spooled` and no peer.
    """
    spooled = tuple(_bodies(spool))
    if not spooled:
        return 0
    received = tuple(json.loads(line) for line in events.read_bytes().splitlines())
    known = {canonical(line) for line in received}
    added = tuple(body for body in spooled if canonical(body) not in known)
    ordered = sorted((*received, *(_wrapped(body) for body in added)), key=_time)
    _write(events, ordered)
    return len(added)


def _bodies(spool: Path) -> Iterable[dict[str, Any]]:
    """Yield each distinct line of a spool; what is not an object becomes a garbage body.

    An agent can write there what it likes: beyond SPOOL_BYTES nothing is read.
    """
    try:
        with spool.open("rb") as file:
            lines = file.read(SPOOL_BYTES).splitlines()
    except FileNotFoundError:
        return
    for line in dict.fromkeys(lines):
        if line.strip():
            yield _body(line)


def _body(line: bytes) -> dict[str, Any]:
    garbage = {
        "schema_version": 1,
        "kind": "garbage",
        "reason": "spooled, not JSON",
        "excerpt": line[:200].decode("utf-8", "replace"),
    }
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        return garbage
    is_whole = isinstance(body, dict) and isinstance(body.get("kind"), str)
    return body if is_whole and len(line) <= LINE_BYTES else garbage


def _wrapped(body: dict[str, Any]) -> dict[str, Any]:
    received_at = _sent(body.get("at")).isoformat(timespec="milliseconds")
    return {**body, "received_at": received_at, "peer": None, "is_spooled": True}


def _sent(at: object) -> datetime:
    if isinstance(at, int | float) and 0 < at < LATEST:
        return datetime.fromtimestamp(at, UTC)
    return datetime.now(UTC)


def _time(line: dict[str, Any]) -> str:
    return str(line["received_at"])


def _write(events: Path, lines: Iterable[dict[str, Any]]) -> None:
    previous = START
    temporary = events.with_name(f".{events.name}.merging")
    with temporary.open("wb") as file:
        for sequence, line in enumerate(lines, start=1):
            previous = chained(previous, line)
            numbered = {**line, "sequence": sequence, "chained": previous}
            file.write(json.dumps(numbered, separators=(",", ":")).encode() + b"\n")
    os.replace(temporary, events)

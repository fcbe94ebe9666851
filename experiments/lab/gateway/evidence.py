"""How an event line is wrapped: order, time, sender, and a hash chain over all bodies."""

import hashlib
import json
from collections.abc import Iterable, Mapping

START = "0" * 64
ADDED = ("sequence", "received_at", "peer", "chained", "is_spooled")


def canonical(body: Mapping[str, object]) -> bytes:
    """Return the one text form of a body that the chain is computed over."""
    own = {key: value for key, value in body.items() if key not in ADDED}
    return json.dumps(
        own, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str
    ).encode()


def chained(previous: str, body: Mapping[str, object]) -> str:
    """Return sha256(previous hash + canonical body) as hex; START comes before the first line."""
    return hashlib.sha256(previous.encode() + canonical(body)).hexdigest()


def first_break(lines: Iterable[Mapping[str, object]]) -> int | None:
    """Return the position (from 1) of the first line that does not follow; None = all intact."""
    previous = START
    for position, line in enumerate(lines, start=1):
        previous = chained(previous, line)
        if line.get("chained") != previous or line.get("sequence") != position:
            return position
    return None

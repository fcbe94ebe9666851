"""The time of day as records and journals hold it."""

from datetime import UTC, datetime


def now() -> str:
    """Return the time as a UTC ISO string with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

"""Who started something: a process that can be told apart from a later one of the same number."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.process import procfs


@dataclass(frozen=True, slots=True)
class Owner:
    """A process by boot, number and start in clock ticks since boot; text is "boot:pid:ticks"."""

    boot: str
    pid: int
    started: int

    def __str__(self) -> str:
        return f"{self.boot}:{self.pid}:{self.started}"

    def is_alive(self) -> bool:
        """Tell whether this very process still runs (on this machine, since this boot)."""
        return self.boot == boot_id() and procfs.start_ticks(self.pid) == self.started


@cache
def boot_id() -> str:
    """Return the machine's id of this boot, without dashes."""
    text = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    return text.strip().replace("-", "")


def current() -> Owner:
    """Return this process as an owner."""
    pid = os.getpid()
    return Owner(boot_id(), pid, procfs.start_ticks(pid) or 0)


def parse(text: str) -> Owner | None:
    """Read what str() wrote; None for anything else."""
    boot, _, rest = text.partition(":")
    pid, _, started = rest.partition(":")
    if not boot or not pid.isdigit() or not started.isdigit():
        return None
    return Owner(boot, int(pid), int(started))


def is_alive(text: str) -> bool:
    """Tell whether the owner written as text still runs; an unreadable one does not."""
    owner = parse(text)
    return owner is not None and owner.is_alive()

"""What every container of the lab gets: user, environment, memory file systems, labels."""

import os

from lab.errors import LabError
from lab.runner.executor import Pairs

WORK = "/work"
HOME = "/home/agent"
TMPFS_BYTES = 256 << 20
UID_VARIABLE = "LAB_UID"


def image_name(stack: str, *, is_analysis: bool = False) -> str:
    """Return the name that docker/build.sh gives to a stack's image."""
    return f"lab-{stack}-analysis" if is_analysis else f"lab-{stack}"


def run_user() -> tuple[int, int]:
    """Return uid and gid that containers run as: the caller's; for root LAB_UID (default 1000)."""
    uid = os.geteuid()
    if uid:
        return uid, os.getegid()
    chosen = os.environ.get(UID_VARIABLE, "1000")
    if not chosen.isdigit() or chosen == "0":
        raise LabError(f"{UID_VARIABLE}={chosen}: must be the number of a user who is not root")
    return int(chosen), int(chosen)


def environment() -> dict[str, str]:
    """Return the variables of every container; nothing of the host's own."""
    return {
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TINI_KILL_PROCESS_GROUP": "1",
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": WORK,
        "GIT_CONFIG_KEY_1": "user.name",
        "GIT_CONFIG_VALUE_1": "agent",
        "GIT_CONFIG_KEY_2": "user.email",
        "GIT_CONFIG_VALUE_2": "agent@localhost",
    }


def memory_folders() -> Pairs:
    """Return the file systems in memory: /tmp may execute, the home may not."""
    uid, gid = run_user()
    shared = "rw,nosuid,nodev"
    return (
        ("/tmp", f"{shared},exec,size={TMPFS_BYTES},mode=1777"),
        (HOME, f"{shared},noexec,size={TMPFS_BYTES >> 2},uid={uid},gid={gid},mode=700"),
    )

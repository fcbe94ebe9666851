"""One attempt in a real container: what it may, what it may not, and how it ends."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.attempts import attempt
from lab.domain.attempt import Ending
from lab.gateway.client import Gateway
from lab.runner.docker_executor import DockerExecutor
from lab.runner.docker_rules import run_user

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def executor() -> Iterator[DockerExecutor]:
    found = DockerExecutor()
    yield found
    found.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path (a unix socket's may have 107 bytes), open for another uid."""
    with tempfile.TemporaryDirectory(prefix="lab-t-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def containers() -> list[str]:
    command = ["docker", "ps", "-aq", "--filter", "label=lab.run=run-1"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_an_attempt_writes_its_workspace_and_exits(executor: DockerExecutor, folder: Path) -> None:
    result = executor.run(attempt(folder, "echo hello; echo made >file; mkdir -p d; exit 3\n"))
    assert (result.ending, result.exit_code) == (Ending.EXITED, 3)
    assert (folder / "run.log").read_bytes() == b"hello\n"
    assert (folder / "workspace" / "file").read_text(encoding="utf-8") == "made\n"
    assert (folder / "workspace" / "file").stat().st_uid == os.geteuid()
    assert containers() == []


def test_the_limits_that_held_are_stated(executor: DockerExecutor, folder: Path) -> None:
    effective = dict(executor.run(attempt(folder, "true\n")).effective)
    assert effective == {
        "cpus": "1",
        "memory_bytes": str(128 << 20),
        "memory_swap_bytes": str(128 << 20),
        "pids": "64",
        "network": "none",
        "root": "read-only",
        "capabilities dropped": "ALL",
        "security": "no-new-privileges",
        "oom seen": "false",
    }


def test_an_attempt_is_another_user_without_powers(executor: DockerExecutor, folder: Path) -> None:
    script = "id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; whoami\n"
    executor.run(attempt(folder, script))
    uid, capabilities, privileges, name = (folder / "run.log").read_text().splitlines()
    assert int(uid) == run_user()[0] != 0
    assert capabilities.split()[1] == "0000000000000000"
    assert privileges.split()[1] == "1"
    assert name == "agent"


def test_an_attempt_has_no_network_but_loopback(executor: DockerExecutor, folder: Path) -> None:
    executor.run(attempt(folder, "ls /sys/class/net; cat /proc/net/route | wc -l\n"))
    assert (folder / "run.log").read_text() == "lo\n1\n"


def test_an_attempt_sees_only_its_own_mounts(executor: DockerExecutor, folder: Path) -> None:
    executor.run(
        attempt(folder, "awk '$5 !~ /^.(proc|sys|dev)/ {print $5}' /proc/self/mountinfo\n")
    )
    seen = set((folder / "run.log").read_text().split())
    engine = {
        "/",
        "/sbin/docker-init",
        "/usr/sbin/docker-init",
        "/etc/hosts",
        "/etc/hostname",
        "/etc/resolv.conf",
    }
    own = {"/work", "/state", "/run/lab", "/run/lab-invocation", "/etc/passwd"}
    assert seen - engine == own | {"/tmp", "/home/agent"}


@pytest.mark.parametrize(
    "path", ["/x", "/usr/x", "/run/lab/x", "/etc/passwd", "/run/lab-invocation"]
)
def test_an_attempt_cannot_write_elsewhere(
    executor: DockerExecutor, folder: Path, path: str
) -> None:
    assert executor.run(attempt(folder, f"echo x >{path}\n")).exit_code != 0


def test_nothing_of_the_host_environment_leaks_in(
    executor: DockerExecutor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_CANARY", "secret-canary")
    executor.run(attempt(folder, "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'\n"))
    assert b"canary" not in (folder / "run.log").read_bytes().lower()


def test_a_late_attempt_is_asked_to_end(executor: DockerExecutor, folder: Path) -> None:
    script = "trap 'echo bye; exit 0' TERM; echo go; while :; do sleep 0.1; done\n"
    result = executor.run(attempt(folder, script, timeout_seconds=1, grace_seconds=5))
    assert result.ending is Ending.TIMEOUT
    assert (folder / "run.log").read_text().splitlines()[:2] == ["go", "bye"]


def test_one_that_ignores_the_request_is_killed(executor: DockerExecutor, folder: Path) -> None:
    script = "trap '' TERM; echo go; while :; do sleep 0.1; done\n"
    result = executor.run(attempt(folder, script, timeout_seconds=1, grace_seconds=0.5))
    assert (result.ending, result.exit_code) == (Ending.TIMEOUT_KILLED, 137)
    assert containers() == []


def test_a_silent_start_is_a_hang(executor: DockerExecutor, folder: Path) -> None:
    result = executor.run(attempt(folder, "sleep 30\n", startup_seconds=0.5, grace_seconds=0.2))
    assert result.ending is Ending.STARTUP_HANG


def test_silence_after_output_is_a_stall(executor: DockerExecutor, folder: Path) -> None:
    script = "echo go; sleep 30\n"
    result = executor.run(attempt(folder, script, stall_seconds=0.5, grace_seconds=0.2))
    assert result.ending is Ending.STALLED


def test_closing_the_output_does_not_escape_the_clock(
    executor: DockerExecutor, folder: Path
) -> None:
    script = "exec >&- 2>&-; while :; do sleep 0.1; done\n"
    result = executor.run(attempt(folder, script, timeout_seconds=1, grace_seconds=0.3))
    assert result.ending in (Ending.TIMEOUT, Ending.TIMEOUT_KILLED)
    assert containers() == []


def test_a_daemon_ends_with_its_container(executor: DockerExecutor, folder: Path) -> None:
    result = executor.run(attempt(folder, "setsid sleep 300 >/dev/null 2>&1 & echo started\n"))
    assert (result.ending, result.exit_code) == (Ending.EXITED, 0)
    assert containers() == []


def test_a_flood_of_output_is_cut_and_counted(executor: DockerExecutor, folder: Path) -> None:
    script = "head -c 20000000 /dev/zero\n"
    result = executor.run(attempt(folder, script, stdout_bytes=100_000))
    assert result.stdout_bytes == 20_000_000
    assert result.is_output_truncated
    assert (folder / "run.log").stat().st_size == 100_000


def test_a_fork_bomb_stops_at_the_limit(executor: DockerExecutor, folder: Path) -> None:
    script = "for i in $(seq 200); do sleep 5 & done; echo after\n"
    result = executor.run(attempt(folder, script, pids=32, timeout_seconds=10))
    assert b"fork" in (folder / "run.log").read_bytes().lower()
    assert result.exit_code != 0


def test_a_memory_hog_is_named(executor: DockerExecutor, folder: Path) -> None:
    script = "exec python3 -c 'x = bytearray(500 << 20)'\n"
    result = executor.run(attempt(folder, script, memory_bytes=64 << 20))
    assert result.ending is Ending.OOM_KILLED


def test_a_huge_file_is_refused(executor: DockerExecutor, folder: Path) -> None:
    script = "head -c 5000000 /dev/zero >big; echo $?\n"
    executor.run(attempt(folder, script, disk_bytes=1 << 20))
    assert (folder / "workspace" / "big").stat().st_size <= 1 << 20


def test_events_reach_the_sink_and_name_their_container(
    executor: DockerExecutor, folder: Path
) -> None:
    script = (
        "mkdir tests; echo 'def test_a(): pass' >tests/test_a.py\n"
        "env -i /usr/local/bin/pytest -q; python -m pytest -q -p no:cacheprovider\n"
    )
    spec = attempt(folder, script, stack="python-pytest", memory_bytes=256 << 20)
    events = folder / "events.jsonl"
    with Gateway() as gateway:
        gateway.open("run-1", spec.sockets, events)
        result = executor.run(spec)
        received = gateway.close("run-1")
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert result.exit_code == 0, (folder / "run.log").read_text()
    assert received.faults == ()
    kinds = [line.get("body", line)["kind"] for line in lines]
    assert [kind for kind in kinds if kind != "heartbeat"] == ["loaded", "started", "finished"] * 2


def test_what_a_dead_owner_left_is_reaped(executor: DockerExecutor) -> None:
    left = subprocess.run(
        ["docker", "run", "-d", "--network", "none", "--label", "lab.owner=gone:1:1"]
        + ["--label", "lab.run=run-1", "lab-none", "sleep", "300"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert executor.reap() == (f"container {left[:12]} (run-1)",)
    assert containers() == []


def test_draining_ends_what_runs(executor: DockerExecutor, folder: Path) -> None:
    own = DockerExecutor()
    own.drain()
    result = own.run(attempt(folder, "echo go; sleep 60\n", grace_seconds=0.2))
    own.close()
    assert result.ending is Ending.DRAINED

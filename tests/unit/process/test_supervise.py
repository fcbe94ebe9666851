"""A supervised script: how it ends, what it leaves behind, what of its output is kept."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from lab.process import fence, isolation, kernel, mark, owner, procfs
from lab.process.isolation import Separation
from lab.process.mark import Mark
from lab.process.spawn import Job, spawn
from lab.process.supervise import Cause, Finish, Watch, supervise

PATIENT = Watch(timeout_seconds=20, grace_seconds=0.3, output_bytes=1000)


def permitted() -> list[Separation]:
    """Return the separations that this machine gives; the group always works."""
    checks = {
        Separation.NAMESPACE: isolation._can_enter_namespace,
        Separation.USER_NAMESPACE: isolation._can_use_unshare,
    }
    return [kind for kind, check in checks.items() if check()] + [Separation.GROUP]


@pytest.fixture(params=permitted(), ids=lambda kind: kind.name.lower())
def separation(request: pytest.FixtureRequest) -> Separation:
    if request.param is Separation.GROUP:
        kernel.adopt_orphans()
    return request.param


def run(
    folder: Path, script: str, separation: Separation, watch: Watch = PATIENT
) -> tuple[Finish, bytes]:
    file = folder / "invocation.sh"
    file.write_text(script)
    label = Mark("batch", f"run-{os.urandom(4).hex()}", str(owner.current()))
    job = Job(file, folder, (("PATH", "/usr/bin:/bin"),), label)
    finish = supervise(spawn(job, separation), watch, folder / "run.log")
    assert [pid for pid, found in mark.marked() if found == label] == [], "something still runs"
    return finish, (folder / "run.log").read_bytes()


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
        ("if fi", 2),
        ("exec no-such-program", 127),
        ("false; true", 0),
    ],
)
def test_the_exit_code_is_that_of_the_script(
    tmp_path: Path, separation: Separation, script: str, code: int
) -> None:
    finish, _ = run(tmp_path, script, separation)
    assert (finish.cause, finish.exit_code) == (Cause.EXITED, code)


def test_both_streams_reach_the_log_as_bytes(tmp_path: Path, separation: Separation) -> None:
    _, log = run(tmp_path, "printf '\\377a\\n'; printf 'b' >&2", separation)
    assert log == b"\xffa\nb"


def test_output_beyond_the_cap_is_counted_and_dropped(
    tmp_path: Path, separation: Separation
) -> None:
    finish, log = run(tmp_path, "head -c 5000000 /dev/zero", separation)
    assert (len(log), finish.output_bytes, finish.is_truncated) == (1000, 5_000_000, True)


def test_stdin_is_empty(tmp_path: Path, separation: Separation) -> None:
    finish, log = run(tmp_path, "cat; echo end", separation)
    assert (finish.exit_code, log) == (0, b"end\n")


def test_nothing_of_our_environment_leaks_in(
    tmp_path: Path, separation: Separation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    _, log = run(tmp_path, "env", separation)
    names = {line.split(b"=")[0] for line in log.splitlines()}
    assert names <= {b"PATH", b"PWD", b"OLDPWD", b"LAB_MARK", b"_", b"SHLVL"}


ENDINGS = [
    ("sleep 30", {"timeout_seconds": 0.2}, Cause.TIMEOUT, False),
    ("trap '' TERM; while :; do sleep 0.1; done", {"timeout_seconds": 0.2}, Cause.TIMEOUT, True),
    ("sleep 30", {"startup_seconds": 0.2}, Cause.STARTUP_HANG, False),
    ("echo a; sleep 30", {"stall_seconds": 0.2, "startup_seconds": 9}, Cause.STALLED, False),
    (
        "for i in 1 2 3 4 5 6 7 8 9; do sleep 30 & done; wait",
        {"processes": 5},
        Cause.PROCESSES,
        True,
    ),
]


@pytest.mark.parametrize(("script", "limits", "cause", "was_killed"), ENDINGS)
def test_a_script_over_its_limits_is_ended(
    tmp_path: Path,
    separation: Separation,
    script: str,
    limits: dict[str, float],
    cause: Cause,
    was_killed: bool,
) -> None:
    finish, _ = run(tmp_path, script, separation, replace(PATIENT, **limits))
    assert (finish.cause, finish.was_killed) == (cause, was_killed)
    assert finish.active_seconds < 10


def test_memory_over_the_limit_ends_the_tree(tmp_path: Path, separation: Separation) -> None:
    hog = "head -c 150000000 /dev/zero | tail -c 140000000 | sleep 30"
    finish, _ = run(tmp_path, hog, separation, replace(PATIENT, memory_bytes=50_000_000))
    assert finish.cause is Cause.MEMORY
    assert finish.detail is not None and "allowed 50000000" in finish.detail


@pytest.mark.parametrize("start", ["sleep 97 &", "setsid sleep 97 &", "(sleep 97 &) &"])
def test_a_process_left_behind_is_named_and_ended(
    tmp_path: Path, separation: Separation, start: str
) -> None:
    before = time.monotonic()
    finish, log = run(tmp_path, f"{start}\nsleep 0.2; echo done", separation)
    assert finish.left_behind == ("sleep 97",)
    assert (finish.exit_code, log) == (0, b"done\n")
    assert time.monotonic() - before < 10, "a descendant that holds stdout must not hang us"


def test_a_drain_ends_what_runs(tmp_path: Path, separation: Separation) -> None:
    drain = os.eventfd(1)
    finish, _ = run(tmp_path, "sleep 30", separation, replace(PATIENT, drain=drain))
    os.close(drain)
    assert finish.cause is Cause.DRAINED


def test_a_write_beyond_the_file_limit_fails(tmp_path: Path) -> None:
    from lab.process.spawn import Bounds

    file = tmp_path / "invocation.sh"
    file.write_text("head -c 3000000 /dev/zero > big; echo $?")
    label = Mark("batch", "run", str(owner.current()))
    job = Job(file, tmp_path, (("PATH", "/usr/bin:/bin"),), label, Bounds(file_bytes=1 << 20))
    child = spawn(job, isolation.best_separation())
    supervise(child, PATIENT, tmp_path / "run.log")
    assert (tmp_path / "big").stat().st_size == 1 << 20


def test_an_owner_is_told_from_a_later_process_of_the_same_number() -> None:
    own = owner.current()
    assert own.is_alive() and owner.is_alive(str(own))
    assert not replace(own, started=own.started + 1).is_alive()
    assert not replace(own, boot="0" * 32).is_alive()
    assert not owner.is_alive("garbage") and not owner.is_alive("")


def test_start_ticks_of_a_command_with_brackets_in_its_name(tmp_path: Path) -> None:
    assert procfs.start_ticks(os.getpid()) is not None
    assert procfs.start_ticks(2**22 + 1) is None


def test_a_fence_bounds_every_child_even_for_root(tmp_path: Path) -> None:
    with fence.at_most(60) as holds:
        if not holds:
            pytest.skip("this machine lets us make no cgroup")
        count = "i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done"
        finish, log = run(tmp_path, count, isolation.best_separation())
    assert finish.exit_code != 0 and b"fork" in log
    assert 0 < len(finish.left_behind) < 60

"""The event sink with real sockets."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from builders.sender import post, post_body
from lab.errors import LabError, ToolFailed
from lab.gateway.client import PACKAGE_FOLDER, Gateway
from lab.gateway.evidence import first_break
from lab.gateway.sink import CONNECTIONS


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as started:
        yield started


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: a unix socket's path has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        yield Path(name)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_arrives_with_its_sequence_time_sender_and_chain(
    gateway: Gateway, folder: Path
) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("one", folder / "k", events)
    answers = [post_body(path, {"kind": "loaded", "pid": number}) for number in (7, 8)]
    received = gateway.close("one")
    first, second = lines_of(events)
    assert answers == [b"k", b"k"]
    assert (received.lines, received.faults) == (2, ())
    assert (first["sequence"], first["pid"], second["sequence"]) == (1, 7, 2)
    assert first["peer"]["pid"] == os.getpid()
    assert "python" in first["peer"]["command"]
    assert first["peer"]["cgroup"].startswith("/")
    assert first["received_at"].endswith("+00:00")
    assert first_break([first, second]) is None
    assert not path.exists()


def test_an_edited_or_removed_line_breaks_the_chain(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("chain", folder / "k", events)
    for number in range(3):
        post_body(path, {"kind": "heartbeat", "tests_done": number})
    gateway.close("chain")
    lines = lines_of(events)
    edited = [lines[0], {**lines[1], "tests_done": 9}, lines[2]]
    assert first_break(lines) is None
    assert first_break(edited) == 2
    assert first_break([lines[0], lines[2]]) == 2


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        (b"\xff\xfe\x00not json\n", "garbage", "not JSON"),
        (b"[1, 2]\n", "garbage", "no object with a kind"),
        (b'{"kind": 3}\n', "garbage", "no object with a kind"),
        (b'{"kind": "started", "sess', "garbage", "not JSON"),
        (b"[" * 200_000 + b"\n", "garbage", "not JSON"),
    ],
    ids=["bytes", "list", "kind", "torn", "deep"],
)
def test_garbage_is_recorded_as_garbage(
    gateway: Gateway, folder: Path, data: bytes, kind: str, reason: str
) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("garbage", folder / "k", events)
    assert post(path, data) == b"k"
    gateway.close("garbage")
    (line,) = lines_of(events)
    assert (line["kind"], line["reason"]) == (kind, reason)
    assert line["peer"]["pid"] == os.getpid()


def test_an_oversize_line_is_recorded_and_the_next_one_arrives(
    gateway: Gateway, folder: Path
) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("big", folder / "k", events)
    huge = b'{"kind":"started","x":"' + b"x" * (9 * 2**20) + b'"}\n'
    with contextlib.suppress(OSError):  # the sink may close before all of it is sent
        post(path, huge)
    assert post_body(path, {"kind": "heartbeat"}) == b"k"
    gateway.close("big")
    assert sorted(line["kind"] for line in lines_of(events)) == ["heartbeat", "oversize"]


def test_senders_that_vanish_harm_nobody(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("vanish", folder / "k", events)
    for data in (b"", b'{"kind":"loaded"}\n', b'{"kind"'):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(path))
            connection.sendall(data)
    assert post_body(path, {"kind": "heartbeat"}) == b"k"
    received = gateway.close("vanish")
    kinds = [line["kind"] for line in lines_of(events)]
    assert sorted(kinds) == ["garbage", "heartbeat", "loaded"]
    assert received.faults == ()


def test_many_senders_at_once_lose_nothing(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("many", folder / "k", events)
    with ThreadPoolExecutor(32) as pool:
        bodies = [{"kind": "heartbeat", "tests_done": number} for number in range(400)]
        answers = list(pool.map(lambda body: post_body(path, body), bodies))
    received = gateway.close("many")
    lines = lines_of(events)
    assert answers == [b"k"] * 400
    assert received.lines == 400
    assert sorted(line["tests_done"] for line in lines) == list(range(400))
    assert first_break(lines) is None


def test_too_many_silent_senders_are_refused_and_cut_off(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("silent", folder / "k", events)
    with contextlib.ExitStack() as stack:
        for _ in range(CONNECTIONS):
            held = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            held.connect(str(path))
        assert post_body(path, {"kind": "loaded"}) == b"f"
        before = time.monotonic()
        received = gateway.close("silent")
        seconds = time.monotonic() - before
    assert received.lines == 0
    assert received.faults == ("1 connections refused: too many at once or too much",)
    assert seconds < 4
    assert events.read_text() == ""


def test_runs_do_not_see_each_other(gateway: Gateway, folder: Path) -> None:
    paths = [gateway.open(name, folder / name, folder / f"{name}.jsonl") for name in ("a", "b")]
    for path, kind in zip(paths, ("first", "second"), strict=True):
        post_body(path, {"kind": kind})
    for name in ("a", "b"):
        gateway.close(name)
    kinds = [lines_of(folder / f"{name}.jsonl")[0]["kind"] for name in ("a", "b")]
    assert kinds == ["first", "second"]


def test_a_closed_run_refuses_senders(gateway: Gateway, folder: Path) -> None:
    path = gateway.open("closed", folder / "k", folder / "events.jsonl")
    gateway.close("closed")
    with pytest.raises(OSError):
        post_body(path, {"kind": "loaded"})


def test_an_event_file_is_continued_not_replaced(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    for number in range(2):
        path = gateway.open("again", folder / "k", events)
        post_body(path, {"kind": "heartbeat", "tests_done": number})
        gateway.close("again")
    lines = lines_of(events)
    assert [line["sequence"] for line in lines] == [1, 2]
    assert first_break(lines) is None


def test_a_full_disk_is_named_and_nothing_is_torn(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("full", folder / "k", events)
    events.unlink()
    events.symlink_to("/dev/full")
    assert post_body(path, {"kind": "loaded"}) == b"f"
    events.unlink()
    assert post_body(path, {"kind": "heartbeat"}) == b"k"
    received = gateway.close("full")
    assert [line["kind"] for line in lines_of(events)] == ["loaded", "heartbeat"]
    assert len(received.faults) == 1
    assert received.faults[0].startswith("disk full")


def test_lines_that_never_could_be_written_are_counted(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("lost", folder / "k", events)
    events.unlink()
    events.symlink_to("/dev/full")
    post_body(path, {"kind": "loaded"})
    assert gateway.close("lost").faults[-1] == "1 lines could not be written"


def test_a_spool_is_merged_by_time_and_a_line_in_both_counts_once(
    gateway: Gateway, folder: Path
) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("spool", folder / "k", events)
    now = time.time()
    both = {"kind": "started", "session": "b", "at": now}
    earlier = {"kind": "started", "session": "a", "at": now - 60}
    post_body(path, both)
    spool = folder / "k" / "spool.jsonl"
    spool.write_text("".join(json.dumps(body) + "\n" for body in (earlier, both)) + "broken\n")
    received = gateway.close("spool")
    lines = lines_of(events)
    assert received.lines == 3
    assert [(line["kind"], line.get("session")) for line in lines] == [
        ("started", "a"),
        ("started", "b"),
        ("garbage", None),
    ]
    assert [line.get("is_spooled", False) for line in lines] == [True, False, True]
    assert first_break(lines) is None


def test_a_socket_is_open_to_another_uid_and_its_folder_is_not_writable(
    gateway: Gateway, folder: Path
) -> None:
    path = gateway.open("modes", folder / "k", folder / "events.jsonl")
    modes = (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777)
    gateway.close("modes")
    assert modes == (0o666, 0o755)


def test_a_socket_path_that_is_too_long_is_a_clear_error(gateway: Gateway, folder: Path) -> None:
    with pytest.raises(LabError, match="107 bytes"):
        gateway.open("long", folder / ("x" * 100), folder / "events.jsonl")


def test_a_folder_that_cannot_hold_a_socket_fails_and_the_process_goes_on(
    gateway: Gateway, folder: Path
) -> None:
    (folder / "k" / "s").mkdir(parents=True)
    with pytest.raises(ToolFailed, match="bad"):
        gateway.open("bad", folder / "k", folder / "events.jsonl")
    path = gateway.open("good", folder / "g", folder / "events.jsonl")
    assert post_body(path, {"kind": "loaded"}) == b"k"
    gateway.close("good")


def test_the_process_ends_with_its_starter(folder: Path) -> None:
    code = (
        "import sys, time; from lab.gateway.client import Gateway\n"
        "gateway = Gateway(); gateway.start(); print(gateway.pid, flush=True); time.sleep(60)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE_FOLDER)},
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_gateway_that_dies_costs_no_line_and_the_next_run_has_a_new_one(folder: Path) -> None:
    with Gateway() as gateway:
        events = folder / "events.jsonl"
        path = gateway.open("first", folder / "k", events)
        assert post_body(path, {"kind": "loaded"}) == b"k"
        assert gateway.pid is not None
        os.kill(gateway.pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while is_alive(gateway.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        with pytest.raises(ConnectionRefusedError):
            post_body(path, {"kind": "heartbeat"})
        (folder / "k" / "spool.jsonl").write_text('{"kind": "heartbeat"}\n')
        second = gateway.open("second", folder / "j", folder / "second.jsonl")
        assert post_body(second, {"kind": "loaded"}) == b"k"
        first = gateway.close("first")
        assert gateway.close("second").faults == ()
    assert [line["kind"] for line in lines_of(events)] == ["loaded", "heartbeat"]
    assert first.lines == 2
    assert first.faults[0].startswith("the event sink died during the run")


def test_a_gateway_that_was_not_started_is_an_error(folder: Path) -> None:
    with pytest.raises(ToolFailed, match="not started"):
        Gateway().open("none", folder / "k", folder / "events.jsonl")


def test_a_spool_of_any_size_is_read_up_to_a_bound_and_told(gateway: Gateway, folder: Path) -> None:
    events = folder / "events.jsonl"
    path = gateway.open("one", folder / "k", events)
    os.truncate(path.with_name("spool.jsonl"), 1 << 40)
    received = gateway.close("one")
    (line,) = lines_of(events)
    assert line["kind"] == "garbage"
    assert received.faults == (f"spool cut at {64 * 2**20} of {1 << 40} bytes",)

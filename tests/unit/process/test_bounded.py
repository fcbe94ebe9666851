import os
import sys
import time
from pathlib import Path

import pytest
from lab.errors import ToolFailed
from lab.process.bounded import Bounds, Finished, run_bounded


def run(script: str, folder: Path, bounds: Bounds | None = None, stdin: bytes = b"") -> Finished:
    return run_bounded(
        [sys.executable, "-c", script],
        cwd=folder,
        environment={"PATH": "/usr/bin:/bin", "ONLY": "this"},
        bounds=bounds or Bounds(20),
        stdin=stdin,
    )


def test_both_streams_and_the_exit_code_are_returned(tmp_path: Path) -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    finished = run(script, tmp_path)
    assert (finished.exit_code, finished.stdout, finished.stderr) == (3, b"out\n", b"err\n")
    assert not finished.is_timeout
    assert not finished.is_overflow


def test_the_standard_input_arrives(tmp_path: Path) -> None:
    script = "import sys; print(len(sys.stdin.read()))"
    assert run(script, tmp_path, stdin=b"x" * 300_000).stdout == b"300000\n"


def test_nothing_of_the_own_environment_leaks(tmp_path: Path) -> None:
    script = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))"
    assert run(script, tmp_path).stdout == b"['ONLY', 'PATH']\n"


def test_a_child_left_behind_is_killed_with_its_parent(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid)\n"
    )
    started = time.monotonic()
    finished = run(script, tmp_path)
    assert time.monotonic() - started < 10
    assert has_ended(int(finished.stdout))


def has_ended(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_an_endless_command_is_ended_and_says_so(tmp_path: Path) -> None:
    script = "import time\nprint('before', flush=True)\nwhile True: time.sleep(1)"
    finished = run(script, tmp_path, Bounds(1.0))
    assert finished.is_timeout
    assert finished.exit_code == -9
    assert finished.stdout == b"before\n"


def test_the_grace_lets_a_command_tidy_up(tmp_path: Path) -> None:
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    finished = run(script, tmp_path, Bounds(1.5, grace_seconds=5))
    assert (finished.is_timeout, finished.exit_code) == (True, 7)


def test_a_flood_is_cut_and_ended(tmp_path: Path) -> None:
    script = "import sys\nwhile True: sys.stdout.write('x' * 1000)"
    finished = run(script, tmp_path, Bounds(20, output_bytes=5000))
    assert finished.is_overflow
    assert len(finished.stdout) == 5000


def test_a_flood_on_standard_error_is_dropped_but_not_fatal(tmp_path: Path) -> None:
    script = "import sys\nsys.stderr.write('x' * 100_000)\nprint('done')"
    finished = run(script, tmp_path, Bounds(20, output_bytes=5000))
    assert (finished.exit_code, finished.stdout, len(finished.stderr)) == (0, b"done\n", 5000)


def test_a_command_that_closes_its_streams_is_still_awaited(tmp_path: Path) -> None:
    script = "import os, time\nos.close(1); os.close(2)\ntime.sleep(0.3)\nos._exit(4)"
    assert run(script, tmp_path).exit_code == 4


def test_a_command_that_is_not_there_is_a_failed_tool(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="no-such-tool"):
        run_bounded(["/no-such-tool"], cwd=tmp_path, environment=dict(os.environ), bounds=Bounds(5))

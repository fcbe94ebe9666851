"""Scripts: what a shell makes of them, whatever the content."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab.tapes.manner import DeleteFile, RunSuite, WriteFile
from lab.tapes.script import printf_format, to_sh

SHELLS = [name for name in ("sh", "dash", "bash", "busybox") if shutil.which(name)]


def play(script: str, folder: Path, shell: str = "sh") -> subprocess.CompletedProcess[bytes]:
    (folder.parent / "invocation.sh").write_text(script, encoding="utf-8")
    command = [shell, "sh"] if shell == "busybox" else [shell]
    return subprocess.run(
        [*command, str(folder.parent / "invocation.sh")],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


NASTY = {
    "quotes": b'it\'s "quoted" `x` $HOME $(id)\n',
    "percent and backslash": b"100% \\n \\\\ %s \\052\n",
    "no final newline": b"end",
    "leading dash": b"-n is no option",
    "heredoc words": b"EOF\nEND\n'EOF'\n",
    "empty": b"",
    "nul and high bytes": bytes(range(256)) + b"1",
    "carriage returns": b"a\r\nb\r",
    "unicode": "é 🦀 ‮\n".encode(),
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("content", NASTY.values(), ids=NASTY)
def test_content_arrives_byte_for_byte(workspace: Path, content: bytes, shell: str) -> None:
    result = play(to_sh([WriteFile("a/b.txt", content)], "true"), workspace, shell)
    assert (result.returncode, (workspace / "a/b.txt").read_bytes()) == (0, content)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=200))
def test_any_bytes_survive_the_shell(content: bytes) -> None:
    shown = subprocess.run(
        ["sh", "-c", f"printf {printf_format(content)}"], capture_output=True, check=True
    )
    assert shown.stdout == content


@pytest.mark.parametrize("name", ["-n", "a b.py", "it's.py", "$x.py", "new\nline", "ü/é.py"])
def test_any_path_is_written_and_deleted(workspace: Path, name: str) -> None:
    play(to_sh([WriteFile(name, b"x")], "true"), workspace)
    assert (workspace / name).read_bytes() == b"x"
    play(to_sh([DeleteFile(name)], "true"), workspace)
    assert not (workspace / name).exists()


def test_a_red_suite_does_not_end_the_script(workspace: Path) -> None:
    actions = [RunSuite(), WriteFile("after", b""), RunSuite()]
    result = play(to_sh(actions, "echo ran; false"), workspace)
    assert (result.returncode, result.stdout, (workspace / "after").exists()) == (
        0,
        b"ran\nran\n",
        True,
    )


@pytest.mark.parametrize(("command", "code"), [("no-such-runner", 127), ("./folder", 126)])
def test_a_suite_that_cannot_start_ends_the_script(
    workspace: Path, command: str, code: int
) -> None:
    (workspace / "folder").mkdir()
    actions = [RunSuite(), WriteFile("after", b"")]
    result = play(to_sh(actions, command), workspace)
    assert (result.returncode, (workspace / "after").exists()) == (code, False)


def test_a_script_that_cannot_write_fails(workspace: Path) -> None:
    (workspace / "taken").mkdir()
    assert play(to_sh([WriteFile("taken", b"x")], "true"), workspace).returncode != 0


def test_the_suite_sees_the_tapes_variables(workspace: Path) -> None:
    script = to_sh([RunSuite()], 'echo "$A"', [("A", "it's 1")])
    assert play(script, workspace).stdout == b"it's 1\n"


def test_the_suite_gets_no_input(workspace: Path) -> None:
    (workspace.parent / "invocation.sh").write_text(to_sh([RunSuite()], "cat"), encoding="utf-8")
    shown = subprocess.run(
        ["sh", "../invocation.sh"], cwd=workspace, input=b"typed", capture_output=True, check=True
    )
    assert shown.stdout == b""


def test_a_script_without_actions_exits_at_once(workspace: Path) -> None:
    result = play(to_sh([], "echo never"), workspace)
    assert (result.returncode, result.stdout, os.listdir(workspace)) == (0, b"", [])

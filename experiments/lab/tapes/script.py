"""Actions as a POSIX-sh script that any container can play, without the tape or this package."""

import shlex
from collections.abc import Iterable
from pathlib import PurePosixPath

from lab.tapes.manner import Action, DeleteFile, RunSuite, WriteFile

PRINTABLE = frozenset(range(0x20, 0x7F)) | {0x0A}
ESCAPED = {ord("\\"): "\\\\", ord("%"): "%%", ord("'"): "'\\''"}

# 126 and 127: the command was not there. That is a broken set-up, not a red test.
HEADER = """\
#!/bin/sh
set -eu
suite() {{
  status=0
  {test_command} </dev/null || status=$?
  if [ "$status" -eq 126 ] || [ "$status" -eq 127 ]; then exit "$status"; fi
}}
"""


def to_sh(
    actions: Iterable[Action],
    test_command: str,
    environment: Iterable[tuple[str, str]] = (),
) -> str:
    """Write actions as a script for the workspace's folder; it exits 0 whatever the tests say.

    Content may be any bytes: what is not printable ASCII becomes an octal escape of printf.
    """
    exports = [f"export {name}={shlex.quote(value)}\n" for name, value in environment]
    lines = [_line(action) for action in actions]
    return HEADER.format(test_command=test_command) + "".join([*exports, *lines]) + "exit 0\n"


def _line(action: Action) -> str:
    match action:
        case WriteFile(path, content):
            return write_file(path, content)
        case DeleteFile(path):
            return f"rm -f {_quoted(path)}\n"
        case RunSuite():
            return "suite\n"


def write_file(path: str, content: bytes) -> str:
    """Return the lines that write a file, below the working folder or at an absolute path."""
    folder = PurePosixPath(path).parent.as_posix()
    make = "" if folder == "." else f"mkdir -p {_quoted(folder)}\n"
    return f"{make}printf {printf_format(content)} > {_quoted(path)}\n"


def printf_format(content: bytes) -> str:
    """Quote bytes as a printf format that prints exactly them; no shell takes it for an option."""
    body = "".join(_character(byte) for byte in content)
    return "'" + (f"\\055{body[1:]}" if body.startswith("-") else body) + "'"


def _character(byte: int) -> str:
    if byte in ESCAPED:
        return ESCAPED[byte]
    return chr(byte) if byte in PRINTABLE else f"\\{byte:03o}"


def _quoted(path: str) -> str:
    """Quote a path; one that starts with a dash must not be read as an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)

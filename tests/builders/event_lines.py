"""Raw lines of tdd-events.jsonl for tests, as the sink writes them."""

import json
from collections.abc import Mapping
from pathlib import Path

from lab.domain.event import PathClass

Line = dict[str, object]


def class_of(path: str) -> PathClass:
    """Class paths as a small stack would."""
    if path.startswith("tests/"):
        return PathClass.TEST
    if path.endswith(".py"):
        return PathClass.IMPLEMENTATION
    return PathClass.CONFIGURATION if path.endswith(".toml") else PathClass.OTHER


class Lines:
    """Collects lines and numbers them; files are told as path to content."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, kind: str, **body: object) -> "Lines":
        number = len(self.lines) + 1
        envelope = {"sequence": number, "received_at": f"2026-11-30T10:00:{number:02}Z"}
        self.lines.append({"schema_version": 1, "kind": kind, **body, **envelope})
        return self

    def loaded(self, *, preflight: bool = False, route: str = "interpreter") -> "Lines":
        return self.add("loaded", pid=1, route=route, preflight=preflight)

    def baseline(self, **files: str) -> "Lines":
        return self.add("baseline", files=paths(files))

    def started(self, session: str, runner: str = "pytest", **files: str) -> "Lines":
        told = {"session": session, "runner": runner, "version": "9.2.0", "arguments": []}
        return self.add("started", **told, route="interpreter", files=paths(files))

    def finished(self, session: str, *tests: tuple[str, str], **more: object) -> "Lines":
        listed = [[name.split("::"), status] for name, status in tests]
        body = {"result": "named", "tests": listed, "partial": False, "exit_code": 0, **more}
        return self.add("finished", session=session, **body)

    def write(self, path: Path) -> Path:
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return path


def paths(files: Mapping[str, str]) -> dict[str, str]:
    """Name the three files that tests change: test, code and setup."""
    names = {"test": "tests/test_a.py", "code": "src/a.py", "setup": "pyproject.toml"}
    return {names.get(name, name): content for name, content in files.items()}

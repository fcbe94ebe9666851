"""Runs a test command in a small workspace and returns what the reporter told the sink."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.gateway.client import Gateway, reporter_variables

REPOSITORY = Path(__file__).resolve().parents[2]
REPORTER = REPOSITORY / "experiments" / "stacks" / "python-pytest" / "reporter"


@dataclass(frozen=True, slots=True)
class SuiteRun:
    exit_code: int
    output: str
    lines: tuple[dict[str, Any], ...]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["kind"] == kind]

    def told(self) -> str:
        """One line per suite that counts: result, statuses by leaf, (partial), !tampered."""
        finished = {line["session"]: line for line in self.of_kind("finished")}
        withdrawn = {line["session"] for line in self.of_kind("withdrawn")}
        starts = [line["session"] for line in self.of_kind("started")]
        suites = [name for name in starts if name not in withdrawn]
        return " | ".join(_told(finished.get(name)) for name in suites) or "-"


def _told(finished: Mapping[str, Any] | None) -> str:
    if finished is None:
        return "died (no finish)"
    statuses = [f"{parts[-1]}={status}" for parts, status in finished["tests"]]
    reasons = [f"({','.join(finished['partial_reasons'])})"] if finished["partial"] else []
    tampered = [f"!{what}" for what in finished["tampered"]]
    return " ".join([finished["result"], *sorted(statuses), *reasons, *tampered])


def lay(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a new workspace and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    return folder


def by_path_route(python: str = sys.executable) -> dict[str, str]:
    """Variables for an interpreter that is not ours: the reporter on PYTHONPATH."""
    return {"PATH": f"{Path(python).parent}:/usr/bin:/bin", "PYTHONPATH": str(REPORTER)}


def run_suite(
    gateway: Gateway,
    folder: Path,
    files: Mapping[str, str],
    command: str,
    variables: Mapping[str, str],
) -> SuiteRun:
    """Run a shell command in folder/w with a sink of its own at folder/k; 60 s at most."""
    workspace = lay(folder / "w", files)
    events = folder / "events.jsonl"
    socket = gateway.open(str(folder), folder / "k", events)
    place = reporter_variables(str(socket), str(socket.parent / "spool.jsonl"), str(workspace))
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=workspace,
        env={"HOME": str(folder), "LANG": "C.UTF-8", **place, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    gateway.close(str(folder))
    lines = tuple(json.loads(line) for line in events.read_text().splitlines())
    return SuiteRun(ended.returncode, ended.stdout + ended.stderr, lines)

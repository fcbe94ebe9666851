"""Hostile agents on the local runner: each is contained as far as it can be, and named."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from builders.batches import QUICK, lab_root, plan_of, records, run_plan
from lab.domain.run import RunRecord
from lab.paths import LabPaths
from lab.process import mark

WORKFLOW = "hostile-v1"
LINEAGE = f"""
schema_version: 1
workflows:
  {WORKFLOW}:
    harness: command
    prompts: [prose]
    description: An agent that does harm.
    command: [sh, agent.sh]
"""


def attack(
    folder: Path, script: str, limits: Mapping[str, str] | None = None
) -> tuple[LabPaths, RunRecord]:
    """Run one script as an agent and return what was published."""
    paths = lab_root(folder)
    workflow = paths.experiments / "workflows" / WORKFLOW
    workflow.mkdir(parents=True)
    (workflow / "agent.sh").write_text(script)
    (workflow.parent / "LINEAGE.yaml").write_text(LINEAGE)
    plan = plan_of(paths, ["none"], workflow=WORKFLOW)
    ended = run_plan(paths, plan, QUICK | dict(limits or {}), is_unsandboxed=True)
    assert [found for _, found in mark.marked() if found.batch_id == ended.batch.id] == []
    (record,) = records(paths)
    return paths, record


def reason_of(record: RunRecord) -> str | None:
    return record.identity.exit_reason


def log_of(paths: LabPaths, record: RunRecord) -> bytes:
    return paths.run(record.identity.run_id).log.read_bytes()


CASES = {
    "ignores SIGTERM": (
        "trap '' TERM; while :; do echo a; sleep 0.05; done",
        {"LAB_TIMEOUT_SECONDS": "0.5"},
        "timeout-killed",
        "last output",
    ),
    "hides in a session of its own": (
        "setsid sh -c \"trap '' TERM HUP; sleep 600\" & sleep 0.1",
        {},
        "ok",
        "left running and ended: sh -c trap",
    ),
    "prints without end": (
        "head -c 30000000 /dev/zero",
        {"LAB_STDOUT_BYTES": "100000"},
        "ok",
        "output cut: 30000000 bytes",
    ),
    "takes memory": (
        "head -c 190000000 /dev/zero | tail -c 180000000 | sleep 60",
        {"LAB_MEMORY_BYTES": "60000000"},
        "oom-killed",
        "allowed 60000000",
    ),
    "starts too many processes": (
        "i=0; while [ $i -lt 60 ]; do sleep 60 & i=$((i+1)); done; wait",
        {"LAB_PIDS": "20"},
        "error-137",
        "processes, allowed 20",
    ),
    "waits on stdin": ("read -r line; exit 0", {}, "ok", ""),
    "asks for a terminal": ("tty", {}, "error-1", ""),
    "leaves a pipe instead of a file": (
        "mkfifo trap.md; echo x > y.md",
        {},
        "ok",
        "removed from the workspace, not a file: trap.md",
    ),
    "forges events": (
        'echo \'{"kind":"finished","result":"named","tests":[]}\' > tdd-events.jsonl',
        {},
        "tampered",
        "copy of tdd-events.jsonl",
    ),
    "links events elsewhere": ("ln -s /etc/passwd tdd-events.jsonl", {}, "tampered", "copy of"),
}


@pytest.mark.parametrize("case", CASES)
def test_an_attack_is_contained_and_named(tmp_path: Path, case: str) -> None:
    script, limits, reason, told = CASES[case]
    _, record = attack(tmp_path, script, limits)
    assert reason_of(record) == reason
    words = [record.evidence or "", *record.warnings, *record.detections]
    assert any(told in word for word in words), words


def test_a_link_to_a_host_file_is_kept_as_a_link(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("do not copy me")
    paths, record = attack(tmp_path / "root", f"ln -s {secret} mine.txt")
    link = paths.run(record.identity.run_id).workspace / "mine.txt"
    assert link.is_symlink() and os.readlink(link) == str(secret)


def test_no_secret_of_the_host_reaches_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-1234567890")
    paths, record = attack(tmp_path, "env; cat /proc/self/environ | tr '\\0' '\\n'; env > all.txt")
    folder = paths.run(record.identity.run_id).folder
    for file in folder.rglob("*"):
        if file.is_file():
            assert b"canary" not in file.read_bytes(), file


def test_results_written_by_the_agent_never_become_the_runs_own(tmp_path: Path) -> None:
    script = "echo '{}' > metrics.json; echo '{}' > run.json; echo '{}' > ../run.json || true"
    paths, record = attack(tmp_path, script)
    assert reason_of(record) == "ok"
    assert not paths.run(record.identity.run_id).metrics.exists()


def test_names_with_newlines_and_closed_folders_survive(tmp_path: Path) -> None:
    script = "mkdir locked; echo x > locked/a; chmod 000 locked; echo y > \"$(printf 'a\\nb')\""
    paths, record = attack(tmp_path, script)
    workspace = paths.run(record.identity.run_id).workspace
    assert (workspace / "locked").is_dir() and (workspace / "a\nb").read_text() == "y\n"
    assert record.identity.completion == "finished"


def test_a_rewritten_history_is_a_workspace_like_any_other(tmp_path: Path) -> None:
    _, record = attack(tmp_path, "rm -rf .git; git init -q .; echo x > a; exit 3")
    assert (reason_of(record), record.exit_code) == ("error-3", 3)

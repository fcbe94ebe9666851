"""Who sent the events: forged ones are told, unusual ones mentioned, honest ones left alone."""

from typing import Any

import pytest
from lab.runner.senders import forgeries, oddities


def row(kind: str, pid: int = 7, command: str = "python -m pytest", **body: Any) -> dict[str, Any]:
    cgroup = body.pop("cgroup", "/docker/a")
    return {"kind": kind, "peer": {"pid": pid, "command": command, "cgroup": cgroup}, **body}


def suite(pid: int = 7, command: str = "python -m pytest") -> list[dict[str, Any]]:
    named = {"session": f"s{pid}", "runner": "pytest"}
    return [
        row("loaded", pid, command, preflight=False),
        row("started", pid, command, **named),
        row("heartbeat", pid, command, session=f"s{pid}"),
        row("finished", pid, command, session=f"s{pid}"),
    ]


PREFLIGHT = [
    row("loaded", 1, cgroup="/docker/preflight", preflight=True),
    row("baseline", 1, cgroup="/docker/preflight"),
]


def test_honest_suites_of_several_processes_are_left_alone() -> None:
    rows = [*PREFLIGHT, *suite(7), *suite(9, "/usr/bin/python3 /usr/local/bin/pytest -q")]
    assert forgeries(rows, len(PREFLIGHT)) == () and oddities(rows) == ()


def test_a_program_of_the_agents_own_that_runs_pytest_is_mentioned_only() -> None:
    rows = suite(7, "python run_tests.py")
    assert forgeries(rows, 0) == ()
    assert oddities(rows) == (
        "a suite was reported by `python run_tests.py` (process 7), no known test runner",
    )


@pytest.mark.parametrize("pid", [0, None])
def test_a_sender_that_the_kernel_cannot_name_is_not_judged(pid: Any) -> None:
    rows = [row("started", pid, "forge", session="s", runner="x"), row("finished", 9, session="s")]
    assert not any("another process" in told for told in forgeries(rows, 0))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (suite()[:3] + [row("finished", 8, session="s7")], "ended by another process"),
        (suite(7, "python forge.py")[1:], "came from `python forge.py`"),
        ([*suite(), row("baseline")], "line 5: posed as the preflight"),
        ([row("loaded", preflight=True)], "line 1: posed as the preflight"),
        ([*suite(), row("loaded", cgroup="/docker/b")], "more than one container"),
    ],
)
def test_a_forgery_is_told(rows: list[dict[str, Any]], told: str) -> None:
    assert told in forgeries(rows, 0)[0]


def test_lines_of_the_spool_have_no_sender_and_are_counted() -> None:
    spooled = {"kind": "loaded", "peer": None, "is_spooled": True}
    rows = [spooled, *suite(7, "python forge.py")[1:]]
    assert forgeries(rows, 0) == ()
    assert oddities(rows)[0] == "1 event came by the spool: the sender is not known"


def test_foreign_shapes_harm_nothing() -> None:
    rows = [{"kind": 7, "peer": "x"}, {"session": [], "kind": "started"}, {}]
    assert forgeries(rows[::2], 0) == ()

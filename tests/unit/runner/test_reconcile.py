"""Which working folders a dead coordinator left: told by process and start, never by number."""

from pathlib import Path

from lab.process import owner
from lab.runner.reconcile import dead_slots


def test_a_later_process_of_the_same_number_does_not_keep_a_folder(tmp_path: Path) -> None:
    own = owner.current()
    names = {
        f"{own.pid}-{own.started}-abc-0": True,
        f"{own.pid}-{own.started}-abc-preflight-python-pytest": True,
        f"{own.pid}-{own.started + 1}-abc-0": False,
        "4194305-7-abc-1": False,
        "2026-01-01_00-00-00_a-run": False,
        "x": False,
    }
    for name in names:
        (tmp_path / name).mkdir()
    dead = {folder.name for folder in dead_slots(tmp_path)}
    assert dead == {name for name, is_used in names.items() if not is_used}


def test_without_a_working_folder_there_is_nothing(tmp_path: Path) -> None:
    assert dead_slots(tmp_path / "absent") == ()

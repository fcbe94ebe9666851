"""Whether there is room: several slots ask at once; none is told what is not yet known."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from lab.paths import REPOSITORY, LabPaths
from lab.runner.admission import Admission
from lab.store.defaults import read_defaults

DEFAULTS = read_defaults(LabPaths(REPOSITORY), {})


def test_short_of_disk_is_refused_by_name(tmp_path: Path) -> None:
    starved = Admission(tmp_path, replace(DEFAULTS, free_disk_bytes=1 << 60))
    assert "LAB_FREE_DISK_BYTES" in (starved.refusal() or "")


def test_short_of_memory_is_refused_by_name(tmp_path: Path) -> None:
    wants = replace(DEFAULTS, free_disk_bytes=1, free_memory_bytes=1 << 60)
    assert "LAB_FREE_MEMORY_BYTES" in (Admission(tmp_path, wants).refusal() or "")


def test_with_room_there_is_no_refusal(tmp_path: Path) -> None:
    wants = replace(DEFAULTS, free_disk_bytes=1, free_memory_bytes=1)
    assert Admission(tmp_path, wants).refusal() is None


def test_a_slot_that_asks_during_the_first_look_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admission = Admission(tmp_path, replace(DEFAULTS, free_disk_bytes=1 << 60))
    look = os.statvfs
    answers: list[str | None] = []
    other = threading.Thread(target=lambda: answers.append(admission.refusal()))

    def slow_look(folder: Path) -> os.statvfs_result:
        if not other.ident:
            other.start()
            other.join(0.2)
        return look(folder)

    monkeypatch.setattr(os, "statvfs", slow_look)
    first = admission.refusal()
    other.join(5)
    assert first is not None and answers == [first]

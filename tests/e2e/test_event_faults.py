"""What goes wrong with events or settings during a batch is named and costs as little as can be."""

import os
import signal
from pathlib import Path

import pytest
from builders.batches import QUICK, Listener, lab_root, plan_of, records, run_plan
from lab.domain.run import RunRecord
from lab.gateway.client import Gateway, Received
from lab.paths import LabPaths
from lab.runner.session import End
from lab.store.run_files import read_metrics

pytestmark = pytest.mark.toolchain
PATIENT = QUICK | {"LAB_TIMEOUT_SECONDS": "60", "LAB_STALL_SECONDS": "60"}


def is_preflight(run_id: str) -> bool:
    return "preflight" in run_id


class Dying(Gateway):
    """Its process is killed as soon as a run's socket is open."""

    def open(self, run_id: str, socket_folder: Path, events: Path) -> Path:
        path = super().open(run_id, socket_folder, events)
        if not is_preflight(run_id):
            assert self.pid is not None
            os.kill(self.pid, signal.SIGKILL)
        return path


class Full(Gateway):
    """Says of each run that the disk refused a line."""

    def close(self, run_id: str) -> Received:
        received = super().close(run_id)
        faults = () if is_preflight(run_id) else ("disk full: events: No space left on device",)
        return Received(received.lines, faults)


class FullAtOnce(Full):
    """Says so of the preflight already."""

    def close(self, run_id: str) -> Received:
        return Received(super().close(run_id).lines, ("disk full: events: No space left",))


def run_one(
    folder: Path, gateway: type[Gateway], monkeypatch: pytest.MonkeyPatch
) -> tuple[LabPaths, RunRecord]:
    monkeypatch.setattr("lab.runner.batch.Gateway", gateway)
    paths = lab_root(folder)
    run_plan(paths, plan_of(paths, ["calibration-no-op"], stack="python-pytest"), PATIENT)
    (record,) = records(paths)
    return paths, record


def test_a_dead_sink_is_named_and_the_spool_keeps_the_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, record = run_one(tmp_path, Dying, monkeypatch)
    assert record.identity.exit_reason == "ok"
    (told,) = record.detections
    assert told.startswith("events: the event sink died during the run")
    assert any("came by the spool" in warning for warning in record.warnings)
    assert read_metrics(paths.run(record.identity.run_id))["chain_suite_runs"].value == 1


def test_events_that_the_disk_refused_make_the_run_no_replicate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, record = run_one(tmp_path, Full, monkeypatch)
    assert (record.identity.exit_reason, record.identity.attempts) == ("disk-full", 2)
    assert record.evidence == "disk full: events: No space left on device"
    assert record.detections == (f"events: {record.evidence}",)


def test_a_preflight_whose_events_are_refused_stops_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, record = run_one(tmp_path, FullAtOnce, monkeypatch)
    assert (record.identity.exit_reason, record.identity.attempts) == ("setup-error", 0)
    assert "its events did not arrive as they should: disk full" in (record.evidence or "")


class Editor(Listener):
    """Breaks the registry of metrics as soon as the batch has begun."""

    def __init__(self, registry: Path) -> None:
        super().__init__()
        self.registry = registry

    def said(self, line: str) -> None:
        self.registry.write_text("half an edit: [\n")


def test_an_edit_of_the_registry_during_a_batch_changes_nothing(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    own = paths.experiments / "metrics-registry.yaml"
    own.write_bytes(paths.registry.read_bytes())
    plan = plan_of(paths, ["calibration-no-op"], stack="python-pytest")
    ended = run_plan(paths, plan, PATIENT, Editor(own))
    assert ended.end is End.COMPLETE and own.read_text().startswith("half")
    (record,) = records(paths)
    assert record.identity.exit_reason == "ok"
    assert read_metrics(paths.run(record.identity.run_id))["chain_suite_runs"].value == 1

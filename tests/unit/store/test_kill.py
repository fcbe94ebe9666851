"""SIGKILL at random moments of a process that appends, publishes and replaces metrics."""

import os
import random
import subprocess
import sys
import time

import pytest
from builders.pools import identity, metrics
from lab.paths import LabPaths
from lab.store.journal import read_lines
from lab.store.pool import Pool
from lab.store.publish import publish
from lab.store.run_files import read_record

pytestmark = pytest.mark.slow
WRITER = """
import itertools, sys
from pathlib import Path
from builders.pools import identity, metrics, record
from lab.paths import LabPaths
from lab.store.journal import append_line
from lab.store.lock import pool_lock
from lab.store.pool import Pool
from lab.store.publish import publish
from lab.store.run_files import write_metrics, write_record
paths, start = LabPaths(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
for number in itertools.count(start):
    run_id = f"run-{number}"
    staged = paths.staged(run_id)
    staged.folder.mkdir(parents=True)
    write_record(staged, record(identity(run_id)))
    append_line(paths.root / "journal.jsonl", {"staged": run_id})
    publish(paths, run_id)
    append_line(paths.root / "journal.jsonl", {"published": run_id})
    with pool_lock(paths, exclusive=True):
        write_metrics(paths.run(run_id), metrics(number))
    Pool(paths).refresh()
"""
KILLS = 12


def _write_until_killed(paths, start, seconds):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(paths.root), str(start)]
    writer = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    time.sleep(seconds)
    writer.kill()
    writer.communicate()


def test_a_killed_writer_loses_no_published_run_and_tears_none(tmp_path):
    paths = LabPaths(tmp_path)
    chance = random.Random(7)
    for kill in range(KILLS):
        _write_until_killed(paths, kill * 10_000, chance.uniform(0.01, 0.4))
        pool = Pool(paths)
        found = {run.run_id for run in pool.identities()}
        assert pool.faults() == ()
        lines = read_lines(tmp_path / "journal.jsonl")
        assert {line["published"] for line in lines if "published" in line} <= found
        assert all(run_id == read_record(paths.run(run_id)).identity.run_id for run_id in found)
        for run_id, measured in pool.metrics(found).items():
            assert dict(measured) in ({}, metrics(int(run_id.partition("-")[2])))
        known = {str(line["staged"]) for line in lines if "staged" in line}
        for run_id in known - found:
            publish(paths, run_id)
            assert read_record(paths.run(run_id)).identity == identity(run_id)
    assert len(Pool(paths).identities()) > KILLS

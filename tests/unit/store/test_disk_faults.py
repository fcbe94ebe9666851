"""A full and a read-only disk, for real: a small tmpfs in a mount namespace of its own."""

import os
import subprocess
import sys

import pytest

PRELUDE = """
import errno, os, subprocess, sys
from pathlib import Path
from builders.pools import add_run, identity, metrics
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.atomic import CannotWrite
from lab.store.journal import append_line, read_journal, read_lines
from lab.store.lock import live_batch, live_batches, pool_lock
from lab.store.pool import Pool
from lab.store.publish import publish
from lab.store.run_files import read_metrics, write_metrics

paths = LabPaths(Path(sys.argv[1]))

def refused(call):
    try:
        call()
    except CannotWrite as error:
        assert "\\n" not in str(error)
        return errno.errorcode[error.errno]
    raise AssertionError("was not refused")

def names(folder):
    return sorted(os.listdir(folder))

def fill_up():
    filler = os.open(paths.root / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        while True:
            os.write(filler, b"x" * 4096)
    except OSError:
        os.close(filler)
"""
FULL = """
add_run(paths, identity("r1"), metrics(1))
run = paths.run("r1")
journal = paths.root / "journal.jsonl"
append_line(journal, {"n": 0})
Pool(paths).refresh()
with pool_lock(paths, exclusive=True):
    pass
fill_up()
before = names(run.folder)
with pool_lock(paths, exclusive=True):
    pass
assert refused(lambda: write_metrics(run, metrics(2))) == "ENOSPC"
assert names(run.folder) == before
assert dict(read_metrics(run)) == metrics(1)
assert refused(lambda: append_line(journal, {"long": "x" * 100_000})) == "ENOSPC"
assert read_lines(journal) == ({"n": 0},)
paths.index.unlink()
fill_up()
assert [one.run_id for one in Pool(paths).identities()] == ["r1"]
(paths.root / "filler").unlink()
append_line(journal, {"n": 1})
assert read_journal(journal).lines == ({"n": 0}, {"n": 1})
write_metrics(run, metrics(2))
assert dict(read_metrics(run)) == metrics(2)
"""
READ_ONLY = """
add_run(paths, identity("r1"), metrics(1))
add_run(LabPaths(paths.root / "other"), identity("r2"), metrics(1))
paths.staging.mkdir()
os.rename(paths.root / "other/experiments/runs/r2", paths.staging / "r2")
with live_batch(paths, "b1"):
    pass
subprocess.run(["mount", "-o", "remount,ro", paths.root], check=True)
assert [one.run_id for one in Pool(paths).identities()] == ["r1"]
assert dict(Pool(paths).metrics(["r1"])["r1"]) == metrics(1)
assert refused(lambda: write_metrics(paths.run("r1"), metrics(2))) == "EROFS"
assert refused(lambda: append_line(paths.root / "j", {})) == "EROFS"
assert refused(lambda: publish(paths, "r2")) == "EROFS"
assert refused(lambda: pool_lock(paths, exclusive=True).__enter__()) == "EROFS"
with pool_lock(paths, exclusive=False):
    pass
assert live_batches(paths) == ()
"""


def _namespace(folder, script):
    """Run a script with `folder` as a tmpfs of 256 kB; None where the kernel forbids it."""
    mount = f'mount -t tmpfs -o size=256k none "{folder}" && exec "$@"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command += [sys.executable, "-c", PRELUDE + script, str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", [FULL, READ_ONLY], ids=["full", "read-only"])
def test_nothing_is_lost_on_a_disk_that_refuses(tmp_path, script):
    done = _namespace(tmp_path, script)
    if done.returncode and "unshare" in done.stderr:
        pytest.skip(f"no mount namespace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr

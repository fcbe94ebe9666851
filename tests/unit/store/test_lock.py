import os
import subprocess
import sys

import pytest
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.lock import live_batch, live_batches, pool_lock


@pytest.fixture
def paths(tmp_path):
    return LabPaths(tmp_path)


def refused(words):
    return pytest.raises(LabError, match=words)


def lock_at_once(paths, exclusive):
    return pool_lock(paths, exclusive=exclusive, patience_seconds=0)


def test_an_exclusive_lock_keeps_everybody_else_out(paths):
    with pool_lock(paths, exclusive=True):
        for exclusive in (True, False):
            with refused(f"process {os.getpid()}"), lock_at_once(paths, exclusive):
                pass


def test_shared_locks_live_together_but_keep_an_exclusive_one_out(paths):
    first, second, third = (lock_at_once(paths, exclusive) for exclusive in (False, False, True))
    with first, second, refused("another command"), third:
        pass


def test_a_lock_is_free_again_after_a_failure_inside(paths):
    with pytest.raises(RuntimeError), pool_lock(paths, exclusive=True):
        raise RuntimeError
    with lock_at_once(paths, True):
        pass


def test_a_batch_is_live_while_any_coordinator_holds_it(paths):
    assert live_batches(paths) == ()
    with live_batch(paths, "b2"), live_batch(paths, "b1"):
        with live_batch(paths, "b1"):
            assert live_batches(paths) == ("b1", "b2")
        assert live_batches(paths) == ("b1", "b2")
    assert live_batches(paths) == ()


def test_no_batch_starts_while_the_pool_is_locked(paths):
    locked, late = pool_lock(paths, exclusive=True), live_batch(paths, "b1", patience_seconds=0)
    with locked, refused("another command"), late:
        pass


HOLD = """
import sys
from pathlib import Path
from lab.paths import LabPaths
from lab.store.lock import live_batch, pool_lock
paths = LabPaths(Path(sys.argv[1]))
with live_batch(paths, "b1"), pool_lock(paths, exclusive=True):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_holder_leaves_nothing_behind(paths):
    package = os.pathsep.join(sys.path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(paths.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert live_batches(paths) == ("b1",)
    with refused("process"), lock_at_once(paths, True):
        pass
    holder.kill()
    holder.wait()
    assert live_batches(paths) == ()
    with lock_at_once(paths, True):
        pass

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

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


@pytest.fixture
def others(paths):
    """Try to lock the pool at once in another thread; True when it was granted."""

    def is_granted(exclusive):
        def attempt():
            with pool_lock(paths, exclusive=exclusive, patience_seconds=0):
                return True

        try:
            return pool.submit(attempt).result()
        except LabError as error:
            assert "another command is using the pool" in str(error)
            return False

    with ThreadPoolExecutor(1) as pool:
        yield is_granted


def test_an_exclusive_lock_keeps_everybody_else_out(paths, others):
    with pool_lock(paths, exclusive=True):
        assert (others(True), others(False)) == (False, False)
    assert (others(True), others(False)) == (True, True)


def test_shared_locks_live_together_but_keep_an_exclusive_one_out(paths, others):
    with pool_lock(paths, exclusive=False):
        assert (others(False), others(True)) == (True, False)


def test_who_waits_is_told_for_whom(paths):
    def attempt():
        with pool_lock(paths, exclusive=False, patience_seconds=0):
            pass

    with pool_lock(paths, exclusive=True), ThreadPoolExecutor(1) as pool:
        failure = pool.submit(attempt).exception()
    assert isinstance(failure, LabError)
    assert f"process {os.getpid()}" in str(failure)


def test_a_lock_within_a_lock_of_the_same_thread_is_granted(paths, others):
    with pool_lock(paths, exclusive=True):
        with pool_lock(paths, exclusive=False), pool_lock(paths, exclusive=True):
            pass
        assert not others(False)
    assert others(True)


def test_an_exclusive_lock_within_a_shared_one_is_our_mistake(paths, others):
    shared, mistake = pool_lock(paths, exclusive=False), pytest.raises(ValueError, match="itself")
    with shared, mistake, lock_at_once(paths, True):
        pass
    assert others(True)


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
    def start():
        with live_batch(paths, "b1", patience_seconds=0):
            pass

    with pool_lock(paths, exclusive=True), ThreadPoolExecutor(1) as pool:
        with refused("another command"):
            pool.submit(start).result()
        assert live_batches(paths) == ()


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

"""Defaults: one file, overridden by the environment."""

from pathlib import Path

import pytest
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths
from lab.store.defaults import read_defaults, variables_of

PATHS = LabPaths(REPOSITORY)


def test_the_defaults_are_those_of_the_method() -> None:
    defaults = read_defaults(PATHS, {})
    limits = defaults.limits
    assert limits.timeout_seconds == 5400
    assert limits.startup_seconds == 300
    assert limits.stall_seconds == 1200
    assert limits.grace_seconds == 10
    assert (limits.cpus, limits.pids) == (2, 512)
    assert limits.memory_bytes == 4 * 1024**3
    assert limits.stdout_bytes == 64 * 1024**2
    assert (defaults.ratelimit_retries, defaults.breaker) == (5, 5)
    assert (defaults.shards_docker, defaults.shards_local) == (5, 5)
    assert defaults.uid == 1000


@pytest.mark.parametrize("name", ["LAB_TIMEOUT_SECONDS", "CLAUDE_TIMEOUT_SECONDS"])
def test_the_wall_clock_follows_either_variable(name: str) -> None:
    assert read_defaults(PATHS, {name: "60"}).limits.timeout_seconds == 60


def test_our_own_variable_is_the_stronger_one() -> None:
    environ = {"CLAUDE_TIMEOUT_SECONDS": "60", "LAB_TIMEOUT_SECONDS": "90"}
    assert read_defaults(PATHS, environ).limits.timeout_seconds == 90


def test_the_seeds_retry_variable_works() -> None:
    assert read_defaults(PATHS, {"BATCH_RATELIMIT_RETRIES": "0"}).ratelimit_retries == 0


def test_every_key_has_a_variable() -> None:
    assert variables_of("uid") == ("LAB_UID",)
    assert read_defaults(PATHS, {"LAB_UID": "0", "LAB_CPUS": "0.5"}).limits.cpus == 0.5


def test_faults_of_all_variables_come_at_once() -> None:
    environ = {"CLAUDE_TIMEOUT_SECONDS": "soon", "LAB_PIDS": "-1", "LAB_CPUS": ""}
    with pytest.raises(LabError) as caught:
        read_defaults(PATHS, environ)
    assert caught.value.faults == (
        "$CLAUDE_TIMEOUT_SECONDS: timeout_seconds: found 'soon', needed a number",
        "$LAB_CPUS: cpus: found '', needed a number",
        "$LAB_PIDS: pids: -1 is below 0",
    )


def test_a_missing_or_unknown_key_in_the_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    text = (REPOSITORY / "experiments" / "defaults.yaml").read_text()
    broken = text.replace("pids: 512", "pid: 512")
    (tmp_path / "experiments" / "defaults.yaml").write_text(broken)
    with pytest.raises(LabError) as caught:
        read_defaults(LabPaths(tmp_path), {})
    assert any("unknown key pid: did you mean pids?" in fault for fault in caught.value.faults)
    assert any("the key pids is missing" in fault for fault in caught.value.faults)

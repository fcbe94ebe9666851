"""defaults.yaml with what the environment overrides."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.domain.attempt import Limits
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.coerce import coerce
from lab.store.yaml_text import Entry, Scalar, load, read_text
from lab.store.yaml_text import Mapping as MappingNode

OLD_NAMES = {
    "timeout_seconds": ("CLAUDE_TIMEOUT_SECONDS",),
    "ratelimit_retries": ("BATCH_RATELIMIT_RETRIES",),
}
LIMITS = (
    "timeout_seconds",
    "startup_seconds",
    "stall_seconds",
    "grace_seconds",
    "cpus",
    "memory_bytes",
    "pids",
    "stdout_bytes",
    "disk_bytes",
)


@dataclass(frozen=True, slots=True)
class Defaults:
    """Limits of an attempt, and what the runner does unless told otherwise.

    `ratelimit_retries` are the further attempts after rate limits and transient API errors,
    waiting from `backoff_seconds` up to `backoff_max_seconds`. `breaker` runs in a row of one
    harness and model that are no replicates stop its remaining runs. Below `free_disk_bytes` or
    `free_memory_bytes` no run starts. `uid` owns the workspace when the lab runs as root.
    """

    limits: Limits
    ratelimit_retries: int
    backoff_seconds: float
    backoff_max_seconds: float
    breaker: int
    shards_docker: int
    shards_local: int
    uid: int
    free_disk_bytes: int
    free_memory_bytes: int


def read_defaults(paths: LabPaths, environ: Mapping[str, str]) -> Defaults:
    """Return the defaults; LAB_<KEY> in the environment wins, then the seed's own names.

    Raises LabError with all faults of the file and of the variables.
    """
    where = paths.defaults.name
    node = load(read_text(paths.defaults, where), where)
    result = coerce(node, "defaults", where)
    if result.messages:
        raise LabError(result.messages)
    value = result.value | _overrides(environ, tuple(result.value))
    del value["schema_version"]
    limits = {key: value.pop(key) for key in LIMITS}
    return Defaults(limits=Limits(**limits), **value)


def variables_of(key: str) -> tuple[str, ...]:
    """Name the environment variables that override a key, the strongest first."""
    return (f"LAB_{key.upper()}", *OLD_NAMES.get(key, ()))


def _overrides(environ: Mapping[str, str], keys: tuple[str, ...]) -> dict[str, Any]:
    """Coerce the variables by the same schema as the file."""
    found = {}
    faults: list[str] = []
    for key in keys:
        name = next((name for name in variables_of(key) if name in environ), None)
        if name is None or key == "schema_version":
            continue
        node = MappingNode(1, (Entry(key, 1, Scalar(1, environ[name])),))
        result = coerce(node, "defaults", f"${name}")
        faults.extend(
            f"${name}: {fault}" for _, fault in result.faults if fault.startswith(f"{key}:")
        )
        found[key] = result.value.get(key)
    if faults:
        raise LabError(faults)
    return found

"""A run as the pool knows it."""

from dataclasses import dataclass

HASHES = (
    "prompt_sha",
    "prompt_rendered_sha",
    "workflow_sha",
    "template_sha",
    "suite_sha",
    "image_digest",
)
SELECTOR_HASHES = ("prompt_sha", "workflow_sha", "template_sha", "suite_sha", "image_digest")


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What selects and counts a run, without its metrics; the index holds just this.

    `kata` is "<kata_base>-<prompt>", or `kata_base` alone when there is no prompt style.
    `hashes` pairs each recorded provenance hash with its value, in the order of HASHES.
    None = not recorded.
    """

    run_id: str
    kata: str
    kata_base: str
    prompt: str | None
    workflow: str
    model: str
    stack: str | None
    harness: str | None
    harness_version: str | None
    exit_reason: str | None
    completion: str | None
    attempts: int | None
    started_at: str | None
    plan: str | None
    hashes: tuple[tuple[str, str], ...] = ()

    def hash_of(self, name: str) -> str | None:
        return next((value for key, value in self.hashes if key == name), None)


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds, each by a monotonic clock; None = did not happen or is not known.

    `active_seconds` is the counted attempt's time without queue, preflight, back-off and
    analysis; `wall_seconds` the run from its claim to the end of its last attempt.
    """

    wall_seconds: float | None = None
    active_seconds: float | None = None
    queue_seconds: float | None = None
    preflight_seconds: float | None = None
    backoff_seconds: float | None = None
    analysis_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """All of run.json: identity, provenance and outcome; never changes after publication.

    The name-value tuples are free-form provenance: `isolation` and `limits_*` as requested and as
    they really held, `host` (cores, load, memory), `lab` (version, commit, is_dirty).
    `evidence` is the line that decided the exit reason; `detections` names what detectors found.
    """

    identity: RunIdentity
    ended_at: str | None
    exit_code: int | None
    evidence: str | None
    timings: Timings
    batch_id: str | None
    entry: int | None
    block: int | None
    seed: int | None
    executor: str | None
    isolation: tuple[tuple[str, str], ...] = ()
    limits_requested: tuple[tuple[str, str], ...] = ()
    limits_effective: tuple[tuple[str, str], ...] = ()
    host: tuple[tuple[str, str], ...] = ()
    lab: tuple[tuple[str, str], ...] = ()
    reporter_route: str | None = None
    reporter_strength: str | None = None
    detections: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

"""Where everything lies: one object that draws the lab root, one that draws a run."""

import os
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE_VARIABLE = "LAB_CACHE"


def cache_root() -> Path:
    """Return the folder of everything that may be deleted at any time (tools, indexes, logs)."""
    configured = os.environ.get(CACHE_VARIABLE)
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "agentic-coding-lab"


@dataclass(frozen=True, slots=True)
class LabPaths:
    """A lab root (data) over the repository (catalogue).

    root/experiments/{runs,batch-plans} and root/research hold data; a catalogue entry that the
    root lacks (katas, workflows, stacks, tapes, *.yaml) comes from the repository.
    """

    root: Path
    repository: Path = REPOSITORY
    experiments: Path = field(init=False, repr=False, compare=False)
    runs: Path = field(init=False, repr=False, compare=False)
    staging: Path = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Join once what every run asks for many times."""
        object.__setattr__(self, "experiments", self.root / "experiments")
        object.__setattr__(self, "runs", self.experiments / "runs")
        object.__setattr__(self, "staging", self.runs / ".staging")

    @property
    def batches(self) -> Path:
        """Journals, claims, control files and logs of batches, one folder per batch id."""
        return self.runs / ".batches"

    @property
    def index(self) -> Path:
        return self.runs / ".index.json"

    @property
    def lock(self) -> Path:
        return self.runs / ".lock"

    @property
    def plans(self) -> Path:
        return self.experiments / "batch-plans"

    @property
    def research(self) -> Path:
        return self.root / "research"

    def catalogue(self, name: str) -> Path:
        """Return a catalogue file or folder: the root's own, else the repository's."""
        own = self.experiments / name
        return own if own.exists() else self.repository / "experiments" / name

    @property
    def katas(self) -> Path:
        return self.catalogue("katas")

    @property
    def workflows(self) -> Path:
        return self.catalogue("workflows")

    @property
    def lineage(self) -> Path:
        return self.workflows / "LINEAGE.yaml"

    @property
    def stacks(self) -> Path:
        return self.catalogue("stacks")

    @property
    def tapes(self) -> Path:
        return self.catalogue("tapes")

    @property
    def models(self) -> Path:
        return self.catalogue("models.yaml")

    @property
    def registry(self) -> Path:
        return self.catalogue("metrics-registry.yaml")

    @property
    def defaults(self) -> Path:
        return self.catalogue("defaults.yaml")

    def run(self, run_id: str) -> "RunPaths":
        return RunPaths(self.runs / run_id)

    def staged(self, run_id: str) -> "RunPaths":
        return RunPaths(self.staging / run_id)


@dataclass(frozen=True, slots=True)
class RunPaths:
    """One run's folder.

    <run>/run.json           identity, provenance, outcome; never changes after publication
    <run>/metrics.json       metrics only; the one file replaced after publication
    <run>/attempts.jsonl     one line per attempt
    <run>/tdd-events.jsonl   the test runner's events, as the sink or the spool received them
    <run>/llm-calls.jsonl    the gateway's rows
    <run>/verification.json  acceptance scenarios, one result each
    <run>/analysis-report.md, tdd-report.md   for people
    <run>/prompt.md          the task as the agent got it
    <run>/run.log            the agent's stdout and stderr, capped
    <run>/workspace/         the final state of the counted attempt
    <run>/attempts/<n>/      what earlier attempts left, compressed
    """

    folder: Path

    @property
    def record(self) -> Path:
        return self.folder / "run.json"

    @property
    def metrics(self) -> Path:
        return self.folder / "metrics.json"

    @property
    def attempts(self) -> Path:
        return self.folder / "attempts.jsonl"

    @property
    def events(self) -> Path:
        return self.folder / "tdd-events.jsonl"

    @property
    def calls(self) -> Path:
        return self.folder / "llm-calls.jsonl"

    @property
    def verification(self) -> Path:
        return self.folder / "verification.json"

    @property
    def analysis_report(self) -> Path:
        return self.folder / "analysis-report.md"

    @property
    def tdd_report(self) -> Path:
        return self.folder / "tdd-report.md"

    @property
    def prompt(self) -> Path:
        return self.folder / "prompt.md"

    @property
    def log(self) -> Path:
        return self.folder / "run.log"

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def kept_attempts(self) -> Path:
        return self.folder / "attempts"

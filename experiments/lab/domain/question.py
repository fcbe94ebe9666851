"""A research question, as its frontmatter declares it."""

from dataclasses import dataclass

from lab.domain.run import SELECTOR_HASHES

AXES = ("kata_base", "prompt", "workflow", "model", "stack", "harness_version", *SELECTOR_HASHES)
ALTERNATIVE_AXES = ("workflow", "model")
UNRECORDED = "unrecorded"


@dataclass(frozen=True, slots=True)
class Setting:
    """The value or, for workflow and model, the alternatives of one axis; the first labels it."""

    axis: str
    values: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.values[0]


@dataclass(frozen=True, slots=True)
class Factor:
    """What varies: one level per entry; a paired factor (workflow_x_prompt) sets several axes."""

    name: str
    levels: tuple[tuple[Setting, ...], ...]

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(self.name.split("_x_")) if "_x_" in self.name else (self.name,)


@dataclass(frozen=True, slots=True)
class Power:
    """What the planner should be able to detect: carried to summary.json, acted on later."""

    outcome: str
    min_effect: float
    alpha: float
    power: float


@dataclass(frozen=True, slots=True)
class ResearchQuestion:
    """One question: factors x controls select runs, outcomes are read from them.

    `folder` is relative to the lab root, with forward slashes. `status` is only ever set in
    questions that were imported from the original lab.
    """

    id: str
    question: str
    factors: tuple[Factor, ...]
    controls: tuple[Setting, ...]
    outcomes: tuple[str, ...]
    min_replicates: int
    folder: str
    closed: str | None = None
    status: str | None = None
    timeout_policy: str = "exclude"
    power: Power | None = None
    primary: str | None = None

    @property
    def declares_harness_version(self) -> bool:
        return self.declares("harness_version")

    def declares(self, axis: str) -> bool:
        """Tell whether a factor or a control names this axis."""
        return any(axis in factor.axes for factor in self.factors) or any(
            setting.axis == axis for setting in self.controls
        )

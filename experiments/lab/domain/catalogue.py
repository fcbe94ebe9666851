"""What can be named in a question: katas, workflows and model variants."""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Kata:
    """experiments/katas/<base>.yaml with its prompts; the first stack is the default one.

    `prompts` lists the styles for which <base>-<style>/prompt.md exists, `tapes` the stacks for
    which a solution tape does.
    """

    base: str
    stacks: tuple[str, ...]
    prompts: tuple[str, ...]
    has_suite: bool
    carries_quality: bool
    license: str
    notes: str = ""
    is_archived: bool = False
    tapes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workflow:
    """One row of LINEAGE.yaml with its folder, relative to the workflows folder."""

    id: str
    folder: str
    harness: str
    prompts: tuple[str, ...]
    description: str
    parent: str | None = None
    has_test_list: bool = False
    named_metrics: tuple[str, ...] = ()
    is_archived: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """One row of models.yaml: a model variant and the harnesses that can run it."""

    id: str
    family: str
    harnesses: tuple[str, ...]
    thinking: str = "native"
    manner: str | None = None
    context_window: int | None = None
    price_key: str | None = None
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class PromptRule:
    """Which prompt styles suit workflows whose id fits one of these patterns, and why."""

    workflows: tuple[str, ...]
    prompts: tuple[str, ...]
    reason: str

    def binds(self, workflow_id: str) -> bool:
        return any(fnmatchcase(workflow_id, pattern) for pattern in self.workflows)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rows. An imported lab root has none of its own katas and models: `fallback_stack` is
    the stack of every kata there, and names are not checked.
    """

    katas: tuple[Kata, ...]
    workflows: tuple[Workflow, ...]
    models: tuple[Model, ...]
    prompt_rules: tuple[PromptRule, ...] = ()
    fallback_stack: str | None = None
    is_imported: bool = False

    def kata(self, base: str) -> Kata | None:
        return next((kata for kata in self.katas if kata.base == base), None)

    def workflow(self, workflow_id: str) -> Workflow | None:
        return next((row for row in self.workflows if row.id == workflow_id), None)

    def model(self, model_id: str) -> Model | None:
        return next((row for row in self.models if row.id == model_id), None)

    def prompt_rule(self, workflow_id: str) -> PromptRule | None:
        """Return the first rule that binds a workflow."""
        return next((rule for rule in self.prompt_rules if rule.binds(workflow_id)), None)

    def default_stack(self, kata_base: str) -> str | None:
        kata = self.kata(kata_base)
        return kata.stacks[0] if kata and kata.stacks else self.fallback_stack

    def split_kata(self, kata: str) -> tuple[str, str | None]:
        """Split "<base>-<prompt>" by the known katas; a base alone has no prompt style."""
        for row in self.katas:
            for prompt in row.prompts:
                if kata == f"{row.base}-{prompt}":
                    return row.base, prompt
        return kata, None

"""What a planned run is made from: every name resolved, every input read, hashes taken once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.domain.catalogue import Catalogue, Model, Workflow
from lab.domain.plan import PlannedRun
from lab.errors import LabError
from lab.harnesses import HARNESSES
from lab.harnesses.protocol import Harness, Request
from lab.paths import LabPaths
from lab.runner.executor import Executor, Pairs, View
from lab.runner.file_tree import FileTree, read_tree
from lab.stacks import STACKS
from lab.stacks.protocol import Stack, Tools
from lab.store.hashes import prompt_sha, suite_sha, template_sha, text_sha, workflow_sha
from lab.store.schema import nearest
from lab.store.suites import read_suite

PROMPT = "prompt.md"
DRY = View("/work", "/state", "/socket", "/spool")
Key = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """One combination of kata, workflow, model and stack; many runs of a plan share it."""

    kata: str
    kata_base: str
    prompt_style: str | None
    prompt_text: str
    workflow: Workflow
    model: Model
    stack: Stack
    harness: Harness
    workflow_folder: Path
    tape_folder: Path | None
    suite_folder: Path | None
    template: FileTree
    tools: Tools
    hashes: Pairs

    def hash_of(self, name: str) -> str | None:
        return next((value for key, value in self.hashes if key == name), None)

    @property
    def lane(self) -> tuple[str, str, str]:
        """What a set-up error stops: harness, model and stack."""
        return self.harness.ID, self.model.id, self.stack.ID

    def request(self, run_id: str, view: View) -> Request:
        """Return one attempt as the harness sees it."""
        return Request(
            run_id=run_id,
            kata=self.kata,
            kata_base=self.kata_base,
            prompt_text=self.prompt_text,
            model=self.model,
            workflow=self.workflow,
            workflow_folder=self.workflow_folder,
            tape_folder=self.tape_folder,
            stack=self.stack.ID,
            test_command=self.stack.TEST_COMMAND,
            entry_point=self.stack.ENTRY_POINT,
            workdir=view.workdir,
            statedir=view.statedir,
        )


def render_prompt(template: str, stack: Stack) -> str:
    """Fill a kata's prompt for a stack: {entry_point} and {test_command}, nothing else."""
    filled = template.replace("{entry_point}", stack.ENTRY_POINT)
    return filled.replace("{test_command}", stack.TEST_COMMAND)


def key_of(run: PlannedRun) -> Key:
    """Return what decides on a planned run's recipe."""
    return run.kata, run.workflow, run.model, run.stack


class Recipes:
    """Makes recipes, each once; collects every fault of every entry."""

    def __init__(self, paths: LabPaths, catalogue: Catalogue, executor: Executor) -> None:
        self._paths, self._catalogue, self._executor = paths, catalogue, executor
        self._templates: dict[str, FileTree] = {}
        self._hashes: dict[tuple[str, str], str | None] = {}
        self._recipes: dict[Key, Recipe] = {}

    def of(self, run: PlannedRun) -> Recipe:
        """Return a planned run's recipe; LabError with all of its faults, without its place."""
        key = key_of(run)
        if key not in self._recipes:
            self._recipes[key] = self._make(run)
        return self._recipes[key]

    def _make(self, run: PlannedRun) -> Recipe:
        workflow, model, stack = self._names(run)
        base, style = self._catalogue.split_kata(run.kata)
        template = (self._paths.katas / run.kata / PROMPT).read_text(encoding="utf-8")
        prompt = render_prompt(template, stack)
        recipe = Recipe(
            kata=run.kata,
            kata_base=base,
            prompt_style=style,
            prompt_text=prompt,
            workflow=workflow,
            model=model,
            stack=stack,
            harness=HARNESSES[workflow.harness],
            workflow_folder=self._paths.workflows / workflow.folder,
            tape_folder=_existing(self._paths.tapes / base / stack.ID),
            suite_folder=_existing(self._paths.katas / f"{base}-verification"),
            template=self._template(stack.ID),
            tools=self._executor.tools(stack.ID),
            hashes=self._all_hashes(run.kata, base, workflow, stack.ID, prompt),
        )
        self._try(recipe)
        return recipe

    def _names(self, run: PlannedRun) -> tuple[Workflow, Model, Stack]:
        catalogue = self._catalogue
        faults = list(self._kata_faults(run.kata))
        workflow, model = catalogue.workflow(run.workflow), catalogue.model(run.model)
        base, _ = catalogue.split_kata(run.kata)
        stack_id = run.stack or catalogue.default_stack(base)
        if workflow is None:
            known = [row.id for row in catalogue.workflows]
            faults.append(f"unknown workflow {run.workflow}{nearest(run.workflow, known)}")
        elif workflow.harness not in HARNESSES:
            faults.append(f"workflow {workflow.id}: no harness {workflow.harness} in this lab")
        if model is None:
            known = [row.id for row in catalogue.models]
            faults.append(f"unknown model {run.model}{nearest(run.model, known)}")
        elif workflow is not None and workflow.harness not in model.harnesses:
            allowed = ", ".join(model.harnesses)
            faults.append(f"{workflow.harness} cannot run {model.id}: it runs on {allowed}")
        if stack_id not in STACKS and not (stack_id is None and faults):
            faults.append(f"unknown stack {stack_id}{nearest(stack_id or '', STACKS)}")
        if faults or workflow is None or model is None or stack_id is None:
            raise LabError(faults)
        return workflow, model, STACKS[stack_id]

    def _kata_faults(self, kata: str) -> tuple[str, ...]:
        base, style = self._catalogue.split_kata(kata)
        if style is not None or (self._paths.katas / kata / PROMPT).is_file():
            return ()
        row = self._catalogue.kata(base)
        if row is not None:
            styles = ", ".join(f"{base}-{prompt}" for prompt in row.prompts)
            return (f"kata {kata} names no prompt style: {styles}",)
        known = [f"{row.base}-{prompt}" for row in self._catalogue.katas for prompt in row.prompts]
        return (f"unknown kata {kata}{nearest(kata, known)}",)

    def _try(self, recipe: Recipe) -> None:
        """Ask everything that can refuse, before the first run of the plan starts."""
        harness = recipe.harness
        needs_sandbox = harness.CAPABILITIES.executes_model_output
        refusal = self._executor.refusal(needs_sandbox)
        if refusal:
            raise LabError(f"harness {harness.ID} {refusal}")
        if recipe.stack.IS_ANALYSED and recipe.suite_folder is not None:
            read_suite(recipe.suite_folder, recipe.stack.ID)
        request = recipe.request("dry", DRY)
        harness.prepare(request)
        harness.invocation(request)

    def _template(self, stack_id: str) -> FileTree:
        if stack_id not in self._templates:
            self._templates[stack_id] = read_tree(self._paths.stacks / stack_id / "template")
        return self._templates[stack_id]

    def _all_hashes(
        self, kata: str, base: str, workflow: Workflow, stack_id: str, prompt: str
    ) -> Pairs:
        paths = self._paths
        found = {
            "prompt_sha": self._once("prompt", kata, lambda: prompt_sha(paths, kata)),
            "workflow_sha": self._once(
                "workflow", workflow.folder, lambda: workflow_sha(paths, workflow.folder)
            ),
            "template_sha": self._once("template", stack_id, lambda: template_sha(paths, stack_id)),
            "suite_sha": self._once("suite", base, lambda: suite_sha(paths, base)),
            "image_digest": self._executor.image(stack_id),
        }
        found["prompt_rendered_sha"] = text_sha(prompt)
        return tuple((name, value) for name, value in found.items() if value is not None)

    def _once(self, kind: str, name: str, take: Callable[[], str | None]) -> str | None:
        if (kind, name) not in self._hashes:
            self._hashes[kind, name] = take()
        return self._hashes[kind, name]


def _existing(folder: Path) -> Path | None:
    """Return a folder that is there; a link that leads nowhere is there too, and a fault."""
    return folder if folder.is_dir() or folder.is_symlink() else None

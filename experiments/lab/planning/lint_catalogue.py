"""Lint of the catalogue: the manifest against the workflows' own texts, and names in its rows."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lab.domain.catalogue import Catalogue, Workflow
from lab.domain.metric import Registry
from lab.domain.workflow_text import has_test_list, named_metrics, thresholds
from lab.paths import LabPaths
from lab.planning.remark import Remark, Severity
from lab.store.schema import nearest
from lab.store.workflow_files import is_external, read_workflow_files

MANIFEST = "experiments/workflows/LINEAGE.yaml"
MODELS = "experiments/models.yaml"
EXTERNAL = "external/"
SHOWN = 80


@dataclass(frozen=True, slots=True)
class Known:
    """The ids of the harnesses and stacks that this lab has modules for, and what some need.

    need_command, need_tape: harnesses that declare so; tapeless: manners that play without a tape.
    """

    harnesses: Collection[str]
    stacks: Collection[str]
    need_command: Collection[str] = ()
    need_tape: Collection[str] = ()
    tapeless: Collection[str] = ()


def lint_catalogue(
    paths: LabPaths, catalogue: Catalogue, registry: Registry, known: Known
) -> Iterator[Remark]:
    for workflow in catalogue.workflows:
        yield from _row(catalogue, workflow, registry, known)
        yield from _text(paths, workflow, registry)
    yield from _unlisted_folders(paths, catalogue)
    for model in catalogue.models:
        for name in model.harnesses:
            if name not in known.harnesses:
                message = f"{model.id}: unknown harness {name}{nearest(name, known.harnesses)}"
                yield _error(MODELS, "unknown-harness", message)
    for kata in catalogue.katas:
        file = f"experiments/katas/{kata.base}.yaml"
        for name in kata.stacks:
            if name not in known.stacks:
                message = f"unknown stack {name}{nearest(name, known.stacks)}"
                yield _error(file, "unknown-stack", message)
        if not kata.prompts:
            message = f"no prompt: write experiments/katas/{kata.base}-prose/prompt.md"
            yield _warning(file, "no-prompt", message)


def _error(file: str, rule: str, message: str, line: int = 0) -> Remark:
    return Remark(Severity.ERROR, file, line, rule, message)


def _warning(file: str, rule: str, message: str, line: int = 0) -> Remark:
    return Remark(Severity.WARNING, file, line, rule, message)


def _row(
    catalogue: Catalogue, workflow: Workflow, registry: Registry, known: Known
) -> Iterator[Remark]:
    name = workflow.id
    if workflow.harness not in known.harnesses:
        found = nearest(workflow.harness, known.harnesses)
        message = f"{name}: unknown harness {workflow.harness}{found}"
        yield _error(MANIFEST, "unknown-harness", message)
    yield from _command(workflow, known)
    for metric in workflow.named_metrics:
        if registry.get(metric) is None:
            message = f"{name}: unknown metric {metric}{nearest(metric, registry.ids)}"
            yield _error(MANIFEST, "unknown-metric", message)
    if workflow.parent and catalogue.workflow(workflow.parent) is None:
        known_ids = (row.id for row in catalogue.workflows)
        message = f"{name}: unknown parent {workflow.parent}{nearest(workflow.parent, known_ids)}"
        yield _warning(MANIFEST, "unknown-parent", message)
    rule = catalogue.prompt_rule(name)
    beyond = [style for style in workflow.prompts if rule and style not in rule.prompts]
    if rule and beyond:
        message = f"{name}: permits {', '.join(beyond)} against the prompt rule: {rule.reason}"
        yield _warning(MANIFEST, "prompt-rule", message)


def _command(workflow: Workflow, known: Known) -> Iterator[Remark]:
    is_needed = workflow.harness in known.need_command
    if is_needed and not workflow.command:
        message = (
            f"{workflow.id}: the harness {workflow.harness} runs the row's command, and there is "
            'none: add command: [sh, agent.sh, "{prompt_file}"]'
        )
        yield _error(MANIFEST, "no-command", message)
    elif workflow.command and not is_needed and workflow.harness in known.harnesses:
        able = ", ".join(known.need_command)
        message = f"{workflow.id}: {workflow.harness} runs no command of a row; {able} does"
        yield _warning(MANIFEST, "unused-command", message)


def _text(paths: LabPaths, workflow: Workflow, registry: Registry) -> Iterator[Remark]:
    """The text decides; where the manifest says otherwise, the manifest is wrong."""
    files = read_workflow_files(paths, workflow.folder)
    if files is None:
        message = f"{workflow.id}: there is no folder experiments/workflows/{workflow.folder}"
        yield _error(MANIFEST, "missing-folder", message)
        return
    if has_test_list(files) != workflow.has_test_list:
        asks = "asks" if has_test_list(files) else "does not ask"
        message = f"{workflow.id}: its text {asks} for a test list: correct has_test_list"
        yield _warning(MANIFEST, "test-list", message)
    named = named_metrics(files, registry)
    if set(named) != set(workflow.named_metrics):
        listed = ", ".join(named) or "none"
        message = f"{workflow.id}: its text names the metrics {listed}: correct named_metrics"
        yield _warning(MANIFEST, "named-metrics", message)
    if is_external(paths, workflow.folder):
        return
    if workflow.folder.startswith(EXTERNAL):
        message = f"{workflow.id}: external work keeps its licence: LICENSE.upstream is missing"
        yield _warning(MANIFEST, "licence", message)
    for found in thresholds(files, registry):
        file = f"experiments/workflows/{workflow.folder}/{found.path}"
        message = f"sets a number for what is measured: {found.text[:SHOWN]}"
        yield _warning(file, "numeric-threshold", message, found.line)


def _unlisted_folders(paths: LabPaths, catalogue: Catalogue) -> Iterator[Remark]:
    """Folders without a row cannot be named in a question; names of folders are unique."""
    listed = {workflow.folder for workflow in catalogue.workflows}
    families = {"/".join(folder.split("/")[:depth]) for folder in listed for depth in range(9)}
    for path in sorted(paths.workflows.glob("[!_.]*/")):
        if path.is_dir() and path.name not in families:
            message = f"the folder {path.name} has no row: no question can name it"
            yield _warning(MANIFEST, "unlisted-folder", message)
    names: dict[str, str] = {}
    for folder in sorted(listed):
        other = names.setdefault(folder.rsplit("/", 1)[-1], folder)
        if other != folder:
            message = f"the folders {other} and {folder} have the same name: names are unique"
            yield _warning(MANIFEST, "folder-name", message)

"""Lint of a question's names against the catalogue: every one, in every alternative."""

import re
from collections.abc import Callable, Iterator

from lab.domain.catalogue import Catalogue, Kata, Model, Workflow
from lab.domain.cell import Cell
from lab.domain.run import SELECTOR_HASHES
from lab.planning.lint_catalogue import Known
from lab.planning.remark import Remark
from lab.planning.subject import Subject
from lab.store.schema import nearest

SHA = re.compile(r"[0-9a-f]{64}")
DIGEST = re.compile(r"(.+@)?sha256:[0-9a-f]{64}")


def lint_names(subject: Subject, catalogue: Catalogue, modules: Known) -> Iterator[Remark]:
    known = {
        "kata_base": tuple(kata.base for kata in catalogue.katas),
        "workflow": tuple(row.id for row in catalogue.workflows),
        "model": tuple(row.id for row in catalogue.models),
        "stack": tuple(modules.stacks),
    }
    for place, setting in subject.settings():
        what = setting.axis.split("_")[0]
        for name in setting.values:
            if setting.axis in known and name not in known[setting.axis]:
                message = f"unknown {what} {name}{nearest(name, known[setting.axis])}"
                yield subject.error(place, f"unknown-{what}", message)
            elif _is_archived(catalogue, setting.axis, name):
                message = f"the {what} {name} is archived: no run can be added to its cells"
                yield subject.warning(place, f"archived-{what}", message)
        if setting.axis == "model" and len(setting.values) > 1:
            yield from _mixed_families(subject, catalogue, place, setting.values)
        yield from _selectors(subject, place, setting.axis, setting.label)
    yield from dict.fromkeys(_cell_remarks(subject, catalogue))
    yield from dict.fromkeys(_tape_remarks(subject, catalogue, modules))


def _is_archived(catalogue: Catalogue, axis: str, name: str) -> bool:
    rows: dict[str, Callable[[str], Kata | Workflow | Model | None]] = {
        "kata_base": catalogue.kata,
        "workflow": catalogue.workflow,
        "model": catalogue.model,
    }
    row = rows[axis](name) if axis in rows else None
    return row is not None and row.is_archived


def _mixed_families(
    subject: Subject, catalogue: Catalogue, place: str, names: tuple[str, ...]
) -> Iterator[Remark]:
    families = {row.family for name in names if (row := catalogue.model(name))}
    if len(families) > 1:
        message = (
            f"one cell mixes the model families {', '.join(sorted(families))}: alternatives are "
            "routes to the same model; compare models with a factor"
        )
        yield subject.warning(place, "mixed-models", message)


def _selectors(subject: Subject, place: str, axis: str, value: str) -> Iterator[Remark]:
    if axis == "harness_version" and len(value.split()) != 1:
        message = f"harness_version {value!r}: write the bare version, such as 2.1.267"
        yield subject.error(place, "version-form", message)
    if axis in SELECTOR_HASHES:
        form = DIGEST if axis == "image_digest" else SHA
        if not form.fullmatch(value):
            message = f"{axis} {value!r} is no SHA-256 in full: it can match no run of this lab"
            yield subject.warning(place, "hash-form", message)


def _cell_remarks(subject: Subject, catalogue: Catalogue) -> Iterator[Remark]:
    """Check what cells combine, each combination once."""
    katas = {(cell.kata_base, cell.prompt, cell.stack): cell for cell in subject.cells}
    prompts = {(cell.workflows, cell.prompt): cell for cell in subject.cells}
    pairings = {(cell.workflows, cell.models): cell for cell in subject.cells}
    for cell in katas.values():
        yield from _kata_remarks(subject, catalogue, cell)
    for cell in prompts.values():
        yield from _prompt_remarks(subject, catalogue, cell)
    for cell in pairings.values():
        yield from _pairing_remarks(subject, catalogue, cell)


def _kata_remarks(subject: Subject, catalogue: Catalogue, cell: Cell) -> Iterator[Remark]:
    kata = catalogue.kata(cell.kata_base)
    if kata is None:
        return
    if cell.prompt is None:
        place = subject.place_of("kata_base", cell.kata_base)
        styles = ", ".join(kata.prompts)
        message = f"no prompt for {cell.kata_base}: name one of {styles} in factors or controls"
        yield subject.error(place, "unknown-prompt", message)
    elif cell.prompt not in kata.prompts:
        place = subject.place_of("prompt", cell.prompt)
        known = nearest(cell.prompt, kata.prompts)
        message = f"the kata {kata.base} has no prompt {cell.prompt}{known}"
        yield subject.error(place, "unknown-prompt", message)
    if subject.question.declares("stack") and cell.stack and cell.stack not in kata.stacks:
        place = subject.place_of("stack", cell.stack)
        message = f"the kata {kata.base} is not made for {cell.stack}: {', '.join(kata.stacks)}"
        yield subject.warning(place, "stack-of-kata", message)


def _prompt_remarks(subject: Subject, catalogue: Catalogue, cell: Cell) -> Iterator[Remark]:
    for name in cell.workflows:
        row = catalogue.workflow(name)
        if row is None or cell.prompt is None or cell.prompt in row.prompts:
            continue
        rule = catalogue.prompt_rule(name)
        why = f" ({rule.reason})" if rule and cell.prompt not in rule.prompts else ""
        message = f"the workflow {name} permits the prompts {', '.join(row.prompts)}, " + (
            f"not {cell.prompt}{why}"
        )
        place = _pair_place(subject, name, cell.prompt)
        yield subject.warning(place, "prompt-of-workflow", message)


def _pair_place(subject: Subject, workflow: str, prompt: str) -> str:
    """Return the entry of a paired factor that holds both, else the workflow's place."""
    for factor in subject.question.factors:
        for index, level in enumerate(factor.levels):
            values = {setting.axis: setting.values for setting in level}
            if workflow in values.get("workflow", ()) and prompt in values.get("prompt", ()):
                return f"factors/{factor.name}/{index}"
    return subject.place_of("workflow", workflow)


def _pairing_remarks(subject: Subject, catalogue: Catalogue, cell: Cell) -> Iterator[Remark]:
    """Some workflow of the cell must be able to run some model of it."""
    workflows = [row for name in cell.workflows if (row := catalogue.workflow(name))]
    models = [model for name in cell.models if (model := catalogue.model(name))]
    if len(workflows) < len(cell.workflows) or len(models) < len(cell.models):
        return
    if not any(row.harness in model.harnesses for row in workflows for model in models):
        harnesses = " or ".join(sorted({row.harness for row in workflows}))
        able = ", ".join(sorted({name for model in models for name in model.harnesses}))
        message = f"{harnesses} cannot run {' or '.join(cell.models)}: it runs on {able}"
        yield subject.error(subject.place_of("model", cell.model), "harness-of-model", message)


def _tape_remarks(subject: Subject, catalogue: Catalogue, modules: Known) -> Iterator[Remark]:
    """A cell that only a harness with a tape can run needs the kata's tape for its stack."""
    for cell in subject.cells:
        kata = catalogue.kata(cell.kata_base)
        workflows = [row for name in cell.workflows if (row := catalogue.workflow(name))]
        if kata is None or not workflows or cell.stack in (None, *kata.tapes):
            continue
        needing = sorted({row.harness for row in workflows if row.harness in modules.need_tape})
        models = [model for name in cell.models if (model := catalogue.model(name))]
        if len(needing) == len({row.harness for row in workflows}) and any(
            model.manner not in modules.tapeless for model in models
        ):
            message = (
                f"{' and '.join(needing)} plays a tape, and {kata.base} has none for {cell.stack}: "
                f"add experiments/tapes/{kata.base}/{cell.stack}/"
            )
            yield subject.error(subject.place_of("kata_base", cell.kata_base), "no-tape", message)

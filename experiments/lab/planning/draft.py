"""The text of a new question: what the author did not say is chosen from the catalogue."""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lab.domain.catalogue import Catalogue, Kata, Workflow
from lab.domain.metric import Registry
from lab.errors import LabError
from lab.store.schema import nearest

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
WORDS_THAT_ARE_NULL = frozenset({"null", "Null", "NULL"})
# Outcomes that compare everywhere: none needs a test list, a marker or a price.
OUTCOMES = (
    "tests_passing",
    "verification_pct",
    "code_mass",
    "smell_total",
    "red_batch_max",
    "chain_ends_green",
    "duration_seconds",
)
QUALITY = "code-quality"
ACCEPTANCE = "verification_pct"
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the author of a new question said; empty = choose. Several values make a factor."""

    slug: str
    katas: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    workflows: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    question: str | None = None
    min_replicates: int = 3

    @property
    def id(self) -> str:
        return f"RQ-{self.slug}"


@dataclass(frozen=True, slots=True)
class Design:
    katas: tuple[Kata, ...]
    pairs: tuple[tuple[Workflow, str], ...]
    models: tuple[str, ...]

    @property
    def workflows(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(workflow.id for workflow, _ in self.pairs))

    @property
    def prompts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(prompt for _, prompt in self.pairs))


def draft(wish: Wish, catalogue: Catalogue, registry: Registry) -> str:
    """Return the README of a new question; LabError where a name is unknown or nothing can run."""
    design = _design(wish, catalogue)
    outcomes = _outcomes(design, registry)
    factors, controls = _frontmatter_parts(design)
    question = wish.question or _sentence(design)
    return "\n".join(
        [
            "---",
            f"id: {wish.id}",
            f"question: {json.dumps(question, ensure_ascii=False)}",
            "factors:                  # what varies",
            *factors,
            "controls:                 # what is held constant",
            *controls,
            f"outcomes: [{', '.join(outcomes)}]",
            f"min_replicates: {wish.min_replicates}         # ok runs per cell",
            "---",
            "",
            f"# {question}",
            "",
            "## Hypotheses",
            "",
            "- H1: write down what you expect before the first run, and what would refute it.",
            "",
            "## Design",
            "",
            "Why these factors, what the controls rule out, and what the outcomes cannot show.",
            "",
        ]
    )


def _design(wish: Wish, catalogue: Catalogue) -> Design:
    katas = _katas(wish, catalogue)
    active = {row.id: row for row in catalogue.models if not row.is_archived}
    for name in wish.models:
        _named("model", name, active)
    workflows = _workflows(wish, catalogue)
    pairs = tuple(_pairs(wish, katas, workflows))
    models = wish.models or _runnable(catalogue, workflows)[:1]
    if not models:
        harnesses = " and ".join(sorted({row.harness for row in workflows}))
        raise LabError(f"no model runs on {harnesses}: name --model, or other workflows")
    design = Design(katas, pairs, models)
    return design if _varies(design) else _vary(wish, catalogue, design)


def _varies(design: Design) -> bool:
    return any(len(part) > 1 for part in (design.katas, design.pairs, design.models))


def _vary(wish: Wish, catalogue: Catalogue, design: Design) -> Design:
    """Let something vary that the author left open: the model, else the prompt."""
    workflows = tuple(workflow for workflow, _ in design.pairs)
    models = _runnable(catalogue, workflows)
    if not wish.models and len(models) > 1:
        return Design(design.katas, design.pairs, models[:2])
    styles = _styles(design.katas, workflows[0])
    if not wish.prompts and len(styles) > 1:
        return Design(design.katas, tuple((workflows[0], style) for style in styles), design.models)
    raise LabError("nothing varies: give --model, --workflow, --prompt or --kata more than once")


def _katas(wish: Wish, catalogue: Catalogue) -> tuple[Kata, ...]:
    if not wish.katas:
        able = [kata for kata in catalogue.katas if kata.prompts and not kata.is_archived]
        able.sort(key=lambda kata: not (kata.carries_quality and kata.has_suite))
        if not able:
            raise LabError("experiments/katas: there is no kata with a prompt: write one first")
        return (able[0],)
    known = {kata.base: kata for kata in catalogue.katas}
    return tuple(_named("kata", name, known) for name in wish.katas)


def _workflows(wish: Wish, catalogue: Catalogue) -> tuple[Workflow, ...]:
    active = {row.id: row for row in catalogue.workflows if not row.is_archived}
    if wish.workflows:
        return tuple(_named("workflow", name, active) for name in wish.workflows)
    for row in active.values():
        able = _runnable(catalogue, (row,))
        if row.prompts and able and set(wish.models) <= set(able):
            return (row,)
    raise LabError(f"no workflow can run {' and '.join(wish.models) or 'any model'}")


def _named(what: str, name: str, rows: dict[str, Row]) -> Row:
    if name not in rows:
        raise LabError(f"unknown {what} {name}{nearest(name, rows)}")
    return rows[name]


def _runnable(catalogue: Catalogue, workflows: Sequence[Workflow]) -> tuple[str, ...]:
    """Return the models that every one of these workflows can run."""
    harnesses = {row.harness for row in workflows}
    return tuple(
        row.id
        for row in catalogue.models
        if not row.is_archived and harnesses <= set(row.harnesses)
    )


def _styles(katas: Sequence[Kata], workflow: Workflow) -> tuple[str, ...]:
    """Return the prompt styles that the workflow permits and all katas have."""
    return tuple(
        style for style in workflow.prompts if all(style in kata.prompts for kata in katas)
    )


def _pairs(
    wish: Wish, katas: Sequence[Kata], workflows: Sequence[Workflow]
) -> Iterator[tuple[Workflow, str]]:
    for workflow in workflows:
        styles = _styles(katas, workflow)
        chosen = [style for style in wish.prompts if style in styles] or styles[:1]
        if not wish.prompts and not chosen:
            names = ", ".join(kata.base for kata in katas)
            raise LabError(f"{names}: no prompt that the workflow {workflow.id} permits")
        unknown = [style for style in wish.prompts if not _exists(style, katas)]
        if unknown:
            known = itertools.chain.from_iterable(kata.prompts for kata in katas)
            raise LabError(f"unknown prompt {unknown[0]}{nearest(unknown[0], known)}")
        yield from ((workflow, style) for style in wish.prompts or chosen)


def _exists(style: str, katas: Sequence[Kata]) -> bool:
    return all(style in kata.prompts for kata in katas)


def _outcomes(design: Design, registry: Registry) -> tuple[str, ...]:
    stacks = {kata.stacks[0] for kata in design.katas}
    rows = [row for name in OUTCOMES if (row := registry.get(name)) and stacks <= set(row.stacks)]
    if not all(kata.carries_quality for kata in design.katas):
        rows = [row for row in rows if row.group != QUALITY]
    if not all(kata.has_suite for kata in design.katas):
        rows = [row for row in rows if row.id != ACCEPTANCE]
    return tuple(row.id for row in rows)


def _frontmatter_parts(design: Design) -> tuple[list[str], list[str]]:
    """Return the lines of factors and controls: several values vary, one is held constant."""
    lists = {
        "kata_base": tuple(kata.base for kata in design.katas),
        "workflow": design.workflows,
        "prompt": design.prompts,
        "model": design.models,
    }
    factors: list[str] = []
    if len(design.workflows) > 1:
        factors.append("  workflow_x_prompt:")
        factors += [
            f"    - {{workflow: {_text(workflow.id)}, prompt: {_text(style)}}}"
            for workflow, style in design.pairs
        ]
        del lists["workflow"], lists["prompt"]
    controls = []
    for axis, names in lists.items():
        if len(names) > 1:
            factors.append(f"  {axis}: [{', '.join(map(_text, names))}]")
        else:
            controls.append(f"  {axis}: {_text(names[0])}")
    return factors, controls


def _sentence(design: Design) -> str:
    parts = {
        "kata": design.katas,
        "workflow": design.workflows,
        "prompt": design.prompts,
        "model": design.models,
    }
    varying = [name for name, names in parts.items() if len(names) > 1]
    where = f" on {design.katas[0].base}" if len(design.katas) == 1 else ""
    return f"Does the choice of {' and '.join(varying)} affect correctness and code quality{where}?"


def _text(name: str) -> str:
    is_plain = PLAIN.fullmatch(name) and name not in WORDS_THAT_ARE_NULL
    return name if is_plain else json.dumps(name, ensure_ascii=False)

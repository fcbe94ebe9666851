"""The planner against a brute-force oracle that shares none of its code, on generated questions."""

import itertools
import json
import random
from collections import Counter
from typing import Any

from builders.declared import SMALL, question_of
from builders.fresh_runs import SHA, VERSION, results_of, rules
from builders.pools import identity
from lab.domain.coverage import group_runs
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.planning.plan import plan_questions

QUESTIONS = 200
WORKFLOWS = {"w1": "h1", "w2": "h1", "w3": "h2"}
MODELS = {"m1": ("h1",), "m2": ("h1",), "m3": ("h1", "h2")}
PROMPTS = ("prose", "user-story")
VERSIONS = (VERSION, "2.1.1", "unrecorded")
OUTCOMES = ("ok", "ok", "ok", "timeout", "error-1", None)
Cell = dict[str, list[str]]


class Generated:
    """One random frontmatter: its text and, made apart from it, its cells."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.min_replicates = chance.randrange(1, 5)
        self.factors: dict[str, list[Any]] = {}
        self.controls: dict[str, Any] = {"kata_base": "life"}
        self._declare()

    def _declare(self) -> None:
        form = self.chance.choice(["workflow_x_prompt", "model_x_workflow", "plain", "plain"])
        left = ["workflow", "prompt", "model"]
        if form != "plain":
            axes = form.split("_x_")
            count = self.chance.randrange(1, 4)
            self.factors[form] = [{axis: self._value(axis) for axis in axes} for _ in range(count)]
            left = [axis for axis in left if axis not in axes]
        self.chance.shuffle(left)
        for axis in left:
            if self.chance.random() < 0.5:
                count = self.chance.randrange(1, 3)
                self.factors[axis] = [self._value(axis) for _ in range(count)]
            else:
                self.controls[axis] = self._value(axis)
        if self.chance.random() < 0.3:
            self.controls["harness_version"] = self.chance.choice(VERSIONS)
        if self.chance.random() < 0.2:
            self.controls["prompt_sha"] = self.chance.choice([SHA, "b" * 64])

    def _value(self, axis: str) -> Any:
        if axis == "prompt":
            return self.chance.choice(PROMPTS)
        names = list(WORKFLOWS if axis == "workflow" else MODELS)
        if self.chance.random() < 0.6:
            return self.chance.choice(names)
        chosen = self.chance.sample(names, self.chance.randrange(1, 4))
        return self.chance.choice([chosen, {"any": chosen}])

    def question(self) -> ResearchQuestion:
        body = (
            f"factors: {json.dumps(self.factors)}\ncontrols: {json.dumps(self.controls)}\n"
            f"min_replicates: {self.min_replicates}\n"
        )
        return question_of(body)

    def cells(self) -> list[Cell]:
        parts = [
            [level if "_x_" in name else {name: level} for level in levels]
            for name, levels in self.factors.items()
        ]
        merged = []
        for choice in itertools.product(*parts):
            cell = dict(self.controls)
            for part in choice:
                cell |= part
            merged.append({axis: _listed(value) for axis, value in cell.items()})
        return merged


def _listed(value: Any) -> list[str]:
    if isinstance(value, dict):
        return list(value["any"])
    return value if isinstance(value, list) else [value]


def _fits(cell: Cell, run: RunIdentity) -> bool:
    version = cell.get("harness_version", [None])[0]
    sha = cell.get("prompt_sha", [None])[0]
    recorded = (run.harness_version or "unrecorded").split(" ")[0]
    return (
        run.kata == f"life-{cell['prompt'][0]}"
        and run.workflow in cell["workflow"]
        and run.model in cell["model"]
        and run.stack == "python-pytest"
        and version in (None, recorded)
        and sha in (None, dict(run.hashes).get("prompt_sha"))
    )


def _overlap(cells: list[Cell]) -> bool:
    """Lint refuses such questions; the planner never sees them."""
    return any(
        first["prompt"] == second["prompt"]
        and set(first["workflow"]) & set(second["workflow"])
        and set(first["model"]) & set(second["model"])
        for first, second in itertools.combinations(cells, 2)
    )


def _expected(generated: Generated, pool: list[RunIdentity]) -> Counter[tuple[str, str, str]]:
    wanted: Counter[tuple[str, str, str]] = Counter()
    for cell in generated.cells():
        usable = sum(_fits(cell, run) and run.exit_reason == "ok" for run in pool)
        fillable = cell.get("harness_version", [VERSION])[0] == VERSION
        fillable = fillable and cell.get("prompt_sha", [SHA])[0] == SHA
        for workflow, model in itertools.product(cell["workflow"], cell["model"]):
            if fillable and WORKFLOWS[workflow] in MODELS[model]:
                missing = max(0, generated.min_replicates - usable)
                wanted[f"life-{cell['prompt'][0]}", workflow, model] += missing
                break
    return +wanted


def _pool(chance: random.Random) -> list[RunIdentity]:
    return [
        identity(
            f"r{number:03d}",
            kata=f"life-{(prompt := chance.choice(PROMPTS))}",
            kata_base="life",
            prompt=prompt,
            workflow=chance.choice(list(WORKFLOWS)),
            model=chance.choice(list(MODELS)),
            stack=chance.choice(["python-pytest", "python-pytest", "rust-cargo"]),
            harness_version=chance.choice([f"{VERSION} (Claude Code)", "2.1.1", None]),
            exit_reason=chance.choice(OUTCOMES),
            hashes=chance.choice([(("prompt_sha", SHA),), ()]),
        )
        for number in range(chance.randrange(0, 60))
    ]


def _generate(chance: random.Random) -> Generated:
    while True:
        generated = Generated(chance)
        if not _overlap(generated.cells()):
            return generated


def test_the_planner_agrees_with_brute_force() -> None:
    chance = random.Random(20260502)
    planned_runs = 0
    for number in range(QUESTIONS):
        generated, pool = _generate(chance), _pool(chance)
        plan = plan_questions([generated.question()], group_runs(pool), rules(SMALL)).plan
        found = Counter((run.kata, run.workflow, run.model) for run in plan.runs)
        assert found == _expected(generated, pool), f"question {number}: {generated.__dict__}"
        planned_runs += len(plan.runs)
    assert planned_runs > QUESTIONS


def test_planning_after_the_results_finds_nothing_missing() -> None:
    chance = random.Random(20260503)
    for _ in range(QUESTIONS):
        generated, pool = _generate(chance), _pool(chance)
        question = generated.question()
        first = plan_questions([question], group_runs(pool), rules(SMALL)).plan
        after = group_runs([*pool, *results_of(first.runs)])
        assert plan_questions([question], after, rules(SMALL)).plan.runs == ()


def test_several_questions_planned_together_are_all_full_afterwards() -> None:
    chance = random.Random(20260504)
    for _ in range(QUESTIONS // 4):
        generated, pool = [_generate(chance) for _ in range(4)], _pool(chance)
        questions = [each.question() for each in generated]
        together = plan_questions(questions, group_runs(pool), rules(SMALL)).plan
        alone = [plan_questions([each], group_runs(pool), rules(SMALL)).plan for each in questions]
        after = group_runs([*pool, *results_of(together.runs)])
        assert plan_questions(questions, after, rules(SMALL)).plan.runs == ()
        assert len(together.runs) <= sum(len(plan.runs) for plan in alone)
        assert len(together.runs) >= max(len(plan.runs) for plan in alone)

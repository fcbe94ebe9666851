"""The planner: exactly the runs that are missing, in randomised complete blocks."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.domain.cell import Cell
from lab.domain.coverage import CellCoverage, RunGroups, cover
from lab.domain.plan import Plan, PlannedRun
from lab.domain.question import ResearchQuestion
from lab.planning.expansion import cells_of
from lab.planning.fill import Choice, Chooser, Rules

Need = tuple[CellCoverage, int, Choice | None]
Place = tuple[int, int]
Fill = tuple[int, int]
NO_FILL: Fill = (0, 0)
NAMED = 3
Triple = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class CellPlan:
    """A cell, what it has and what is planned for it.

    `number` counts from 1 in the order of the question. Of the `missing` replicates `planned` are
    runs of this cell's own, and `shared` are runs planned for other questions that it takes too.
    """

    number: int
    coverage: CellCoverage
    missing: int
    planned: int = 0
    shared: int = 0
    choice: Choice | None = None

    @property
    def cell(self) -> Cell:
        return self.coverage.cell

    @property
    def is_full(self) -> bool:
        return self.missing == 0

    @property
    def unfillable(self) -> str | None:
        return self.choice.unfillable if self.choice else None


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    question: ResearchQuestion
    cells: tuple[CellPlan, ...]


@dataclass(frozen=True, slots=True)
class Planning:
    """The plan and, question by question, how it came about."""

    plan: Plan
    questions: tuple[QuestionPlan, ...]


def plan_questions(
    questions: Sequence[ResearchQuestion],
    groups: RunGroups,
    rules: Rules,
    seed: int | None = None,
) -> Planning:
    """Plan what is missing for these questions; a run that several of them take is planned once.

    A closed question asks for nothing. The same questions, pool and seed give the same plan.
    """
    chosen_seed = seed_of(questions) if seed is None else seed
    chooser = Chooser(rules)
    needs = [_needs(question, groups, rules, chooser) for question in questions]
    counts: dict[Triple, int] = {}
    fills: dict[Place, Fill] = {}
    for place, need in _by_freedom(needs):
        fills[place] = _fill(need, counts)
    runs = _in_blocks(counts, chosen_seed)
    plan = Plan(_name(questions), _description(questions), runs, chosen_seed)
    parts = (
        QuestionPlan(question, _cell_plans(row, needs[row], fills))
        for row, question in enumerate(questions)
    )
    return Planning(plan, tuple(parts))


def seed_of(questions: Sequence[ResearchQuestion]) -> int:
    """Derive a seed from what the questions declare, so that planning again gives the same."""
    declared = [(each.id, each.factors, each.controls, each.min_replicates) for each in questions]
    return int.from_bytes(hashlib.sha256(repr(declared).encode()).digest()[:4], "big")


def _needs(
    question: ResearchQuestion, groups: RunGroups, rules: Rules, chooser: Chooser
) -> list[Need]:
    target = 0 if question.closed else question.min_replicates
    needs = []
    for coverage in cover(cells_of(question, rules.catalogue), groups):
        missing = coverage.missing(target)
        needs.append((coverage, missing, chooser.choose(coverage.cell) if missing else None))
    return needs


def _by_freedom(needs: Sequence[Sequence[Need]]) -> list[tuple[Place, Need]]:
    """List the cells that need runs, those with the fewest alternatives first.

    A run planned for a cell that takes only one thing may serve one that takes several.
    """
    by_count: dict[int, list[tuple[Place, Need]]] = {}
    for row, part in enumerate(needs):
        for column, need in enumerate(part):
            coverage, _, choice = need
            if choice and choice.run:
                freedom = len(coverage.cell.workflows) * len(coverage.cell.models)
                by_count.setdefault(freedom, []).append(((row, column), need))
    return [entry for freedom in sorted(by_count) for entry in by_count[freedom]]


def _fill(need: Need, counts: dict[Triple, int]) -> Fill:
    """Return how many runs a cell gets of its own and from others; count its own."""
    coverage, missing, choice = need
    assert choice and choice.run
    taken = sum([counts.get(triple, 0) for triple in _triples(coverage.cell)])
    shared = min(missing, taken)
    planned = missing - shared
    if planned:
        run = choice.run
        triple = (run.kata, run.workflow, run.model, run.stack)
        counts[triple] = counts.get(triple, 0) + planned
    return planned, shared


def _cell_plans(
    row: int, needs: Sequence[Need], fills: Mapping[Place, Fill]
) -> tuple[CellPlan, ...]:
    return tuple(
        CellPlan(column + 1, coverage, missing, *fills.get((row, column), NO_FILL), choice)
        for column, (coverage, missing, choice) in enumerate(needs)
    )


def _triples(cell: Cell) -> list[Triple]:
    kata = cell.kata
    return [
        (kata, workflow, model, cell.stack) for workflow in cell.workflows for model in cell.models
    ]


def _in_blocks(counts: dict[Triple, int], seed: int) -> tuple[PlannedRun, ...]:
    """Order runs in blocks that each hold every cell still missing one, shuffled within."""
    shuffler = random.Random(seed)
    runs: list[PlannedRun] = []
    triples = sorted(counts, key=lambda triple: tuple(part or "" for part in triple))
    for block in range(1, max(counts.values(), default=0) + 1):
        members = [triple for triple in triples if counts[triple] >= block]
        shuffler.shuffle(members)
        runs += [PlannedRun(*triple, block=block) for triple in members]
    return tuple(runs)


def _name(questions: Sequence[ResearchQuestion]) -> str:
    if len(questions) == 1:
        return f"{questions[0].id} fill"
    return f"{len(questions)} questions fill"


def _description(questions: Sequence[ResearchQuestion]) -> str:
    named = [f"{each.id} ({each.min_replicates} per cell)" for each in questions[:NAMED]]
    if len(questions) > NAMED:
        named.append(f"{len(questions) - NAMED} more")
    return f"Missing replicates of {', '.join(named)}; made by lab plan"

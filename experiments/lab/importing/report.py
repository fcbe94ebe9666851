"""One report on an imported lab root: what came over, the original's tables, our missing runs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.domain.cell import expand
from lab.domain.coverage import CellCoverage, cover, group_runs
from lab.domain.question import ResearchQuestion
from lab.errors import LabError
from lab.importing.august import tabulate
from lab.importing.carry import Beside, carry
from lab.importing.columns import COLUMNS
from lab.importing.compare import Comparison, compare
from lab.importing.original import Original
from lab.importing.originals import read_originals
from lab.importing.printed import read_printed
from lab.importing.root import EXPECTED
from lab.importing.unmeasured import RULES
from lab.paths import LabPaths
from lab.store.catalogue import read_catalogue
from lab.store.imported import read_imported
from lab.store.pool import Pool
from lab.store.questions import read_questions
from lab.store.registry import read_registry

AUGUST = {column.id: column.name for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """One question: its tables under the rules of August, then ours.

    `comparison` is None where no table came with it, or one that is not of August (`fault`).
    `short` pairs a cell's key with the replicates that it lacks.
    """

    id: str
    cells: int
    matched: int
    usable: int
    comparison: Comparison | None
    short: tuple[tuple[str, int], ...]
    fault: str | None = None

    @property
    def missing(self) -> int:
        return sum(count for _, count in self.short)


@dataclass(frozen=True, slots=True)
class Nulled:
    """A rule by which values became null: how many values on how many runs."""

    rule: str
    told: str
    reason: str
    runs: int
    values: int


@dataclass(frozen=True, slots=True)
class OddRuns:
    """Runs whose file is odd in one way; `runs` pairs a run id with what is odd about it."""

    kind: str
    runs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. `generations` counts runs by the pipeline that wrote them."""

    source: str
    runs: int
    generations: tuple[tuple[str, int], ...]
    unreadable: tuple[tuple[str, str], ...]
    odd: tuple[OddRuns, ...]
    nulled: tuple[Nulled, ...]
    questions: tuple[QuestionReport, ...]

    @property
    def compared(self) -> tuple[Comparison, ...]:
        return tuple(one.comparison for one in self.questions if one.comparison)

    @property
    def is_reproduced(self) -> bool:
        """Tell whether there were numbers to compare, and all of them are equal."""
        differences = any(one.differences for one in self.compared)
        return sum(one.numbers for one in self.compared) > 0 and not differences

    @property
    def missing(self) -> int:
        return sum(question.missing for question in self.questions)


def report(paths: LabPaths) -> Report:
    """Look at an imported lab root; LabError where it is none, or a question is unreadable."""
    marker = read_imported(paths)
    if marker is None:
        raise LabError(f"{paths.root}: not made by lab import: lab import PATH --into {paths.root}")
    originals, unreadable = read_originals(paths)
    pool = Pool(paths)
    identities = pool.identities()
    groups = group_runs(identities)
    _agree(pool.run_ids(), originals, paths)
    hashes = {run.run_id: run.hashes for run in identities if run.hashes}
    odd, nulled = _carried(paths, originals, Beside(dict(marker.harnesses), hashes))
    default_stack = read_catalogue(paths).default_stack
    questions = tuple(
        _question(paths, one, cover(expand(one, default_stack), groups), originals)
        for one in read_questions(paths)
    )
    generations = Counter(one.generation for one in originals.values())
    return Report(
        marker.source,
        len(pool.run_ids()),
        tuple(sorted(generations.items())),
        unreadable,
        odd,
        nulled,
        questions,
    )


def _agree(run_ids: Sequence[str], originals: Mapping[str, Original], paths: LabPaths) -> None:
    """Every run of the pool has its original, or the tables would silently lack it."""
    strangers = sorted(set(run_ids).symmetric_difference(originals))
    if strangers:
        raise LabError(
            f"{paths.run(run_id).folder}: run.json and the original do not both stand there: "
            "lab import again"
            for run_id in strangers
        )


def _carried(
    paths: LabPaths, originals: Mapping[str, Original], beside: Beside
) -> tuple[tuple[OddRuns, ...], tuple[Nulled, ...]]:
    registry = read_registry(paths)
    odd: dict[str, list[tuple[str, str]]] = defaultdict(list)
    runs: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for run_id, original in originals.items():
        carried = carry(original, beside, registry)
        for oddity in carried.oddities:
            odd[oddity.kind].append((run_id, oddity.text))
        by_rule = Counter(rule.name for rule in carried.nulled.values())
        values += by_rule
        runs.update(by_rule.keys())
    nulled = tuple(
        Nulled(rule.name, rule.told, rule.reason, runs[rule.name], values[rule.name])
        for rule in RULES
        if runs[rule.name]
    )
    return tuple(OddRuns(kind, tuple(found)) for kind, found in sorted(odd.items())), nulled


def _question(
    paths: LabPaths,
    question: ResearchQuestion,
    coverage: Sequence[CellCoverage],
    originals: Mapping[str, Original],
) -> QuestionReport:
    path = paths.root / question.folder / EXPECTED
    comparison, fault = None, None
    if path.exists():
        try:
            comparison = _compare(path, question, coverage, originals)
        except LabError as error:
            fault = str(error)
    short = [(part.cell.key, part.missing(question.min_replicates)) for part in coverage]
    return QuestionReport(
        question.id,
        len(coverage),
        sum(len(part.runs) for part in coverage),
        sum(part.usable for part in coverage),
        comparison,
        tuple((key, count) for key, count in short if count and not question.closed),
        fault,
    )


def _compare(
    path: Path,
    question: ResearchQuestion,
    coverage: Sequence[CellCoverage],
    originals: Mapping[str, Original],
) -> Comparison:
    printed = read_printed(path)
    names = [AUGUST.get(name, name) for name in question.outcomes]
    return compare(printed, tabulate(coverage, originals, names, question.min_replicates))

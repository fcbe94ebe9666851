"""Questions compared with the pool and with their findings; reads the index, no run's files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from lab.domain.catalogue import Catalogue
from lab.domain.cell import expand
from lab.domain.coverage import CellCoverage, RunGroups, cover, group_runs
from lab.domain.metric import Registry
from lab.domain.outcome import is_replicate
from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.status.findings_age import last_changes
from lab.status.question_status import QuestionStatus
from lab.store.findings import NAME, read_findings
from lab.store.pool import AlikeRuns, Pool

SUMMARY = "summary.json"


@dataclass(frozen=True, slots=True)
class Sources:
    """What all questions share, read once."""

    paths: LabPaths
    pool: Pool
    catalogue: Catalogue
    registry: Registry


@dataclass(frozen=True, slots=True)
class _Filled:
    """A cell's runs, by groups of runs that are alike: one match decides for a whole group."""

    groups: tuple[AlikeRuns, ...]

    @property
    def matched(self) -> int:
        return sum(len(group.runs) for group in self.groups)

    @property
    def usable(self) -> int:
        ok = (group for group in self.groups if is_replicate(group.first.exit_reason))
        return sum(len(group.runs) for group in ok)


def read_status(
    sources: Sources, questions: Iterable[ResearchQuestion]
) -> tuple[QuestionStatus, ...]:
    """Return the status of each question, in their order; LabError where cells cannot be made."""
    questions = tuple(questions)
    groups = {group.first.run_id: group for group in sources.pool.alike()}
    runs = group_runs(group.first for group in groups.values())
    root = sources.paths.root
    files = [root / question.folder / NAME for question in questions]
    changes = last_changes(root, files)
    return tuple(
        _status(sources, question, _fill(sources, question, groups, runs), changes.get(file))
        for question, file in zip(questions, files, strict=True)
    )


def _fill(
    sources: Sources,
    question: ResearchQuestion,
    groups: Mapping[str, AlikeRuns],
    runs: RunGroups,
) -> tuple[_Filled, ...]:
    def filled(coverage: CellCoverage) -> _Filled:
        return _Filled(tuple(groups[first.run_id] for first in coverage.runs))

    cells = expand(question, sources.catalogue.default_stack)
    return tuple(filled(coverage) for coverage in cover(cells, runs))


def _status(
    sources: Sources,
    question: ResearchQuestion,
    cells: tuple[_Filled, ...],
    changed_seconds: float | None,
) -> QuestionStatus:
    folder = sources.paths.root / question.folder
    findings = read_findings(folder)
    missing = [max(0, question.min_replicates - cell.usable) for cell in cells]
    runs = [run for cell in cells for group in cell.groups for run in group.runs]
    starts = [_seconds(started_at) for _, started_at in runs]
    return QuestionStatus(
        id=question.id,
        folder=question.folder,
        question=question.question,
        cells=len(cells),
        full=missing.count(0),
        short=sum(missing),
        matched=len(runs),
        usable=sum(cell.usable for cell in cells),
        findings=len(findings.findings),
        newer=_count_newer(starts, changed_seconds),
        undated=starts.count(None),
        stale=_stale(sources, question, [run_id for run_id, _ in runs]),
        is_summarised=(folder / SUMMARY).is_file(),
        closed=question.closed,
        warnings=findings.warnings,
    )


def _count_newer(starts: Iterable[float | None], changed_seconds: float | None) -> int | None:
    if changed_seconds is None:
        return None
    return sum(start is not None and start > changed_seconds for start in starts)


def _seconds(started_at: str | None) -> float | None:
    """Return seconds since the epoch; a time without a zone is UTC, an unreadable one unknown."""
    try:
        start = datetime.fromisoformat(started_at or "")
    except ValueError:
        return None
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()


def _stale(sources: Sources, question: ResearchQuestion, run_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the runs with an outcome that another version of its code measured, sorted."""
    wanted = _versions(sources.registry, question)
    stale = [
        members
        for codes, members in sources.pool.by_code(run_ids)
        if any(_is_old(code, names, wanted) for code, names in codes.items())
    ]
    return tuple(sorted(run_id for members in stale for run_id in members))


def _versions(registry: Registry, question: ResearchQuestion) -> dict[str, str]:
    """Return the current version of each measured outcome, a pooled rate's parts included."""
    rows = [registry.get(outcome) for outcome in question.outcomes]
    names = {name for row in rows if row for name in (row.id, row.numerator, row.denominator)}
    return {row.id: row.version for row in registry.columns if row.id in names}


def _is_old(code: str, names: Iterable[str], wanted: Mapping[str, str]) -> bool:
    """Compare versions; one that is no number is another lab's, which nothing can measure again."""
    version = code.rpartition("@")[2]
    return version.isdecimal() and any(wanted.get(name, version) != version for name in names)

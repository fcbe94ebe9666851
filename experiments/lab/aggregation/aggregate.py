"""From a question to its three files: runs.csv, summary.json, summary.md; written when changed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.aggregation import document, markdown, runs_csv
from lab.aggregation.compliance import compared_workflows, compliance_warnings, read_facts
from lab.aggregation.content import content_warnings, version_warnings
from lab.aggregation.endings import ending_warnings, unknown_outcome_warnings
from lab.aggregation.gather import Chosen, Gathered, Sources, choose, gather, unknown_outcomes
from lab.aggregation.remembered import Remembered, file_hash, fingerprint, recall, remember
from lab.aggregation.summary import (
    MeasuringCodes,
    Summary,
    SummaryWarning,
    measuring_codes,
    summarise,
)
from lab.domain.question import ResearchQuestion
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.atomic import write_bytes
from lab.store.index import paused_collection
from lab.store.lock import pool_lock

RUNS = "runs.csv"
JSON = "summary.json"
MARKDOWN = "summary.md"
FILES = (RUNS, JSON, MARKDOWN)
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What became of one question. `changed` names files that were, or would be, rewritten.

    `is_recalled`: nothing had changed since the last time, so nothing was computed.
    """

    question: ResearchQuestion
    changed: tuple[str, ...]
    cells: int
    matched: int
    ok: int
    warnings: int
    is_recalled: bool


def aggregate(
    paths: LabPaths,
    question: ResearchQuestion,
    *,
    sources: Sources | None = None,
    allow_archived: bool = False,
    is_check: bool = False,
    clock: Clock = lambda: datetime.now(UTC),
) -> Aggregated:
    """Derive a question's files beside its README, and say which of them changed.

    With `is_check` nothing is written. LabError for a question that names an archived workflow
    (unless allowed) or an unknown outcome. Share one `sources` among questions: the pool is then
    looked at once; hold the pool's shared lock from then on, so that no run is deleted meanwhile.
    """
    folder = paths.root / question.folder
    with pool_lock(paths, exclusive=False):
        sources = sources or Sources(paths)
        chosen = choose(sources, question)
        if not allow_archived:
            _refuse_archived(sources, question, chosen)
        seen = fingerprint(sources, question, chosen)
        known = recall(paths, question)
        if known and known.fingerprint == seen and _are_intact(folder, known):
            return _recalled(question, chosen, known)
        summary, texts = derive(sources, question, chosen, clock())
    changed = tuple(name for name in FILES if _differs(folder / name, name, texts[name]))
    warnings = len(summary.warnings)
    if not is_check:
        for name in changed:
            write_bytes(folder / name, texts[name])
        hashes = tuple((name, file_hash(folder / name) or "") for name in FILES)
        remember(paths, question, Remembered(seen, hashes, summary.ok, warnings))
    counts = (len(summary.cells), summary.matched, summary.ok, warnings)
    return Aggregated(question, changed, *counts, is_recalled=False)


def derive(
    sources: Sources, question: ResearchQuestion, chosen: Chosen, now: datetime
) -> tuple[Summary, dict[str, bytes]]:
    """Compute a question's summary and the content of its three files, without writing any."""
    with paused_collection():
        gathered = gather(sources, question, chosen)
        codes = [measuring_codes(gathered, row) for row in gathered.outcomes]
        summary = summarise(gathered, codes, _warnings(sources, gathered, codes))
        generated = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        texts = {
            RUNS: runs_csv.render(gathered.cells, sources.registry),
            JSON: document.render(summary),
            MARKDOWN: markdown.render(summary, generated),
        }
    # A lone surrogate is no UTF-8; its escape is valid JSON and readable text.
    return summary, {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}


def _warnings(
    sources: Sources, gathered: Gathered, codes: Sequence[MeasuringCodes]
) -> Iterator[SummaryWarning]:
    registry = sources.registry
    facts = tuple(read_facts(sources, name) for name in compared_workflows(gathered))
    yield from ending_warnings(gathered)
    yield from content_warnings(gathered)
    yield from version_warnings(gathered, codes)
    yield from compliance_warnings(gathered, facts, registry)
    yield from unknown_outcome_warnings(unknown_outcomes(gathered.question, registry))


def _refuse_archived(sources: Sources, question: ResearchQuestion, chosen: Chosen) -> None:
    names = dict.fromkeys(name for part in chosen.cells for name in part.cell.workflows)
    rows = (sources.catalogue.workflow(name) for name in names)
    archived = [row.id for row in rows if row and row.is_archived]
    if archived:
        raise LabError(
            f"{question.folder}/README.md: names the archived workflow {name}: "
            "add --allow-archived, or name another one"
            for name in archived
        )


def _are_intact(folder: Path, known: Remembered) -> bool:
    return all(file_hash(folder / name) == sha for name, sha in known.files)


def _recalled(question: ResearchQuestion, chosen: Chosen, known: Remembered) -> Aggregated:
    matched = len(chosen.run_ids)
    return Aggregated(
        question, (), len(chosen.cells), matched, known.ok, known.warnings, is_recalled=True
    )


def _differs(path: Path, name: str, text: bytes) -> bool:
    """Compare with what is there; the line that says when it was generated does not count."""
    try:
        present = path.read_bytes()
    except FileNotFoundError:
        return True
    return _compared(name, present) != _compared(name, text)


def _compared(name: str, content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    if name != MARKDOWN:
        return lines
    return [line for line in lines if not line.startswith(markdown.GENERATED.encode())]

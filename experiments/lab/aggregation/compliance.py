"""Do the compared workflows allow the comparison? What their own words say about the outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.aggregation.gather import Gathered, Sources
from lab.aggregation.summary import SummaryWarning
from lab.domain.metric import MetricRow, Registry
from lab.domain.workflow_text import has_test_list, named_metrics
from lab.store.workflow_files import read_workflow_files


@dataclass(frozen=True, slots=True)
class WorkflowFacts:
    """A compared workflow; `writes_test_list` and `named` are None where its files are not here."""

    id: str
    is_archived: bool
    writes_test_list: bool | None
    named: frozenset[str] | None


def compared_workflows(gathered: Gathered) -> tuple[str, ...]:
    """Return all workflows that any cell names, alternatives included, in order of appearance."""
    names = (name for part in gathered.cells for name in part.cell.workflows)
    return tuple(dict.fromkeys(names))


def read_facts(sources: Sources, workflow_id: str) -> WorkflowFacts:
    """Read what a workflow's own files say: the text is the authority, not the manifest."""
    row = sources.catalogue.workflow(workflow_id)
    files = read_workflow_files(sources.paths, row.folder) if row else None
    return WorkflowFacts(
        workflow_id,
        row.is_archived if row else False,
        None if files is None else has_test_list(files),
        None if files is None else frozenset(named_metrics(files, sources.registry)),
    )


def compliance_warnings(
    gathered: Gathered, facts: tuple[WorkflowFacts, ...], registry: Registry
) -> Iterator[SummaryWarning]:
    """Warn of archived workflows, the test-list boundary, and metrics that workflows name."""
    for workflow in facts:
        if workflow.is_archived:
            text = f"the workflow {workflow.id} is archived: no fresh run can join its cells"
            yield SummaryWarning("archived-workflow", text)
    yield from _test_list_boundary(gathered, facts, registry)
    for row in gathered.outcomes:
        yield from _named_outcome(row, facts)


def _test_list_boundary(
    gathered: Gathered, facts: tuple[WorkflowFacts, ...], registry: Registry
) -> Iterator[SummaryWarning]:
    sensitive = [row.id for row in gathered.outcomes if _is_sensitive(row, registry)]
    if not sensitive or len(facts) < 2:
        return
    names = ", ".join(sensitive)
    unknown = [workflow.id for workflow in facts if workflow.writes_test_list is None]
    if unknown:
        text = (
            f"{names} compare only among workflows that agree in writing a test list first; "
            f"unknown for {', '.join(unknown)}: their files are not here"
        )
        yield SummaryWarning("test-list-unknown", text)
    first = [workflow.id for workflow in facts if workflow.writes_test_list is True]
    without = [workflow.id for workflow in facts if workflow.writes_test_list is False]
    if first and without:
        text = (
            f"{names} do not compare across the test-list boundary: {', '.join(first)} write a "
            f"test list first, {', '.join(without)} do not"
        )
        yield SummaryWarning("test-list-boundary", text)


def _is_sensitive(row: MetricRow, registry: Registry) -> bool:
    parts = (registry.get(part) for part in (row.numerator, row.denominator) if part)
    return row.test_list_sensitive or any(part.test_list_sensitive for part in parts if part)


def _named_outcome(row: MetricRow, facts: tuple[WorkflowFacts, ...]) -> Iterator[SummaryWarning]:
    ids = {row.id, row.numerator, row.denominator}
    naming = [workflow.id for workflow in facts if workflow.named and ids & workflow.named]
    if not naming:
        return
    silent = [workflow.id for workflow in facts if workflow.id not in naming]
    text = f"{row.id} is named by {', '.join(naming)}: there it measures compliance"
    if silent:
        verb = "does" if len(silent) == 1 else "do"
        text += f"; not comparable with {', '.join(silent)}, which {verb} not name it"
    code = "named-by-some" if silent else "named-by-all"
    yield SummaryWarning(code, text, outcome=row.id)

"""Lint of a question's outcomes against the metric registry and the katas."""

from collections.abc import Iterator

from lab.domain.catalogue import Catalogue
from lab.domain.metric import MetricRow, Registry
from lab.planning.remark import Remark
from lab.planning.subject import Subject
from lab.store.schema import nearest

QUALITY = "code-quality"


def lint_outcomes(subject: Subject, catalogue: Catalogue, registry: Registry) -> Iterator[Remark]:
    yield from _unknown(subject, registry)
    yield from _chosen_outcomes(subject)
    rows = [row for name in subject.question.outcomes if (row := registry.get(name))]
    yield from _quality(subject, catalogue, rows)
    yield from _stacks(subject, rows)
    yield from _suites(subject, catalogue, rows)
    yield from _boundary(subject, catalogue, rows)


def _unknown(subject: Subject, registry: Registry) -> Iterator[Remark]:
    for index, name in enumerate(subject.question.outcomes):
        if registry.get(name) is None:
            successor = registry.successor(name)
            message = f"unknown outcome {name}"
            if successor is None:
                message += nearest(name, registry.ids)
            elif name in successor.formerly:
                message += f": now {successor.id}"
            else:
                message += f": retired, the nearest is {successor.id}"
            yield subject.error(f"outcomes/{index}", "unknown-outcome", message)


def _chosen_outcomes(subject: Subject) -> Iterator[Remark]:
    question = subject.question
    chosen = {"primary": question.primary}
    if question.power:
        chosen["power/outcome"] = question.power.outcome
    for place, name in chosen.items():
        if name is not None and name not in question.outcomes:
            key = place.replace("/", ".")
            message = f"{key}: {name} is no outcome of this question"
            message += nearest(name, question.outcomes)
            yield subject.error(place, "unknown-outcome", message)


def _place(subject: Subject, row: MetricRow) -> str:
    return f"outcomes/{subject.question.outcomes.index(row.id)}"


def _quality(subject: Subject, catalogue: Catalogue, rows: list[MetricRow]) -> Iterator[Remark]:
    """Code quality shows on some katas only; elsewhere it says nothing."""
    katas = {cell.kata_base for cell in subject.cells}
    silent = sorted(
        kata.base for kata in catalogue.katas if kata.base in katas and not kata.carries_quality
    )
    quality = [row for row in rows if row.group == QUALITY]
    if silent and quality:
        names = ", ".join(row.id for row in quality)
        message = f"{', '.join(silent)} carries no code-quality signal: {names} will not tell"
        yield subject.warning(_place(subject, quality[0]), "quality-of-kata", message)


def _stacks(subject: Subject, rows: list[MetricRow]) -> Iterator[Remark]:
    stacks = {cell.stack for cell in subject.cells if cell.stack}
    for row in rows:
        without = sorted(stacks - set(row.stacks))
        if without:
            message = f"{row.id} is not measured on {', '.join(without)}"
            yield subject.warning(_place(subject, row), "outcome-of-stack", message)


def _suites(subject: Subject, catalogue: Catalogue, rows: list[MetricRow]) -> Iterator[Remark]:
    """Acceptance outcomes need a suite."""
    katas = {cell.kata_base for cell in subject.cells}
    without = sorted(
        kata.base for kata in catalogue.katas if kata.base in katas and not kata.has_suite
    )
    external = [row for row in rows if row.id.startswith("verification_p")]
    if without and external:
        message = f"{', '.join(without)} has no acceptance suite: {external[0].id} is null there"
        yield subject.warning(_place(subject, external[0]), "outcome-of-kata", message)


def _boundary(subject: Subject, catalogue: Catalogue, rows: list[MetricRow]) -> Iterator[Remark]:
    """Some outcomes do not compare between workflows with and without a test list first."""
    names = {name for cell in subject.cells for name in cell.workflows}
    kinds = {row.has_test_list for name in names if (row := catalogue.workflow(name))}
    sensitive = [row for row in rows if row.test_list_sensitive]
    if len(kinds) > 1 and sensitive:
        listed = ", ".join(row.id for row in sensitive)
        message = (
            "the workflows differ in whether a test list is written first: "
            f"{listed} do not compare between them"
        )
        yield subject.warning(_place(subject, sensitive[0]), "test-list-boundary", message)

"""Lint: all faults of all questions and of the catalogue at once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lab.domain.catalogue import Catalogue
from lab.domain.metric import Registry
from lab.errors import LabError
from lab.paths import LabPaths
from lab.planning.expansion import cells_of
from lab.planning.lint_catalogue import Known, lint_catalogue
from lab.planning.lint_cells import lint_cells
from lab.planning.lint_names import lint_names
from lab.planning.lint_outcomes import lint_outcomes
from lab.planning.lint_words import Document, lint_words
from lab.planning.remark import Remark, unreadable
from lab.planning.subject import Subject
from lab.store.catalogue import read_catalogue
from lab.store.questions import QuestionSource, find_source, survey
from lab.store.registry import read_registry
from lab.store.yaml_text import read_text

WORDED = ("README.md", "findings.md")


@dataclass(frozen=True, slots=True)
class Report:
    """All remarks, by file and line, and how many questions were looked at."""

    remarks: tuple[Remark, ...]
    questions: int

    @property
    def errors(self) -> tuple[Remark, ...]:
        return tuple(remark for remark in self.remarks if remark.is_error)

    @property
    def warnings(self) -> tuple[Remark, ...]:
        return tuple(remark for remark in self.remarks if not remark.is_error)


def lint(paths: LabPaths, references: Sequence[str], known: Known) -> Report:
    """Lint the questions named (id, folder or README), or all of them with the catalogue."""
    remarks: list[Remark] = []
    sources = _sources(paths, references, remarks)
    try:
        catalogue, registry = read_catalogue(paths), read_registry(paths)
    except LabError as error:
        return _report([*remarks, *unreadable(error.faults)], len(sources))
    for source in sources:
        remarks.extend(lint_question(source, catalogue, registry, known))
        if not catalogue.is_imported:
            remarks.extend(_words(paths, source))
    if not references and not catalogue.is_imported:
        remarks.extend(lint_catalogue(paths, catalogue, registry, known))
    return _report(remarks, len(sources))


def lint_question(
    source: QuestionSource, catalogue: Catalogue, registry: Registry, known: Known
) -> Iterator[Remark]:
    """Lint one question; in an imported lab root names are not checked."""
    try:
        cells = cells_of(source.question, catalogue)
    except LabError as error:
        cells = ()
        for fault in error.faults:
            message = fault.split(": ", 1)[1]
            yield Subject(source, ()).error("controls", "incomplete-cell", message)
    subject = Subject(source, cells)
    yield from lint_cells(subject)
    if not catalogue.is_imported:
        yield from lint_names(subject, catalogue, known)
        yield from lint_outcomes(subject, catalogue, registry)


def refuse_errors(
    sources: Iterable[QuestionSource], catalogue: Catalogue, registry: Registry, known: Known
) -> None:
    """Raise LabError with all lint errors of these questions: their cells cannot be trusted."""
    errors = [
        f"{remark.file}:{remark.line}: {remark.message}"
        for source in sources
        for remark in lint_question(source, catalogue, registry, known)
        if remark.is_error
    ]
    if errors:
        raise LabError(errors)


def _sources(
    paths: LabPaths, references: Sequence[str], remarks: list[Remark]
) -> tuple[QuestionSource, ...]:
    if not references:
        sources, faults = survey(paths)
        remarks.extend(unreadable(faults))
        return sources
    found = []
    for reference in references:
        try:
            found.append(find_source(paths, reference))
        except LabError as error:
            remarks.extend(unreadable(error.faults))
    return tuple(found)


def _words(paths: LabPaths, source: QuestionSource) -> Iterator[Remark]:
    for name in WORDED:
        file = f"{source.question.folder}/{name}"
        path = paths.root / file
        if path.exists():
            yield from lint_words(Document(file, read_text(path, file)))


def _report(remarks: list[Remark], questions: int) -> Report:
    ordered = sorted(remarks, key=lambda remark: (remark.file, remark.line, remark.severity))
    return Report(tuple(dict.fromkeys(ordered)), questions)

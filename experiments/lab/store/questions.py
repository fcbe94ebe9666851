"""Research questions: discovered below research/ by the id in their README's frontmatter."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lab.domain.question import ResearchQuestion
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.coerce import coerce
from lab.store.frontmatter import cut
from lab.store.imported import Imported, read_imported
from lab.store.question_form import question_of
from lab.store.schema import nearest
from lab.store.yaml_text import Mapping as MappingNode
from lab.store.yaml_text import load, read_text

README = "README.md"


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """A question with where it stands: `file` relative to the lab root, and lines by place.

    Places are paths such as "factors/model/0", "controls/prompt" and "outcomes/2".
    """

    question: ResearchQuestion
    file: str
    lines: Mapping[str, int]

    def line(self, place: str) -> int:
        """Return the line of a place, else of the nearest place around it."""
        while place not in self.lines and "/" in place:
            place = place.rsplit("/", 1)[0]
        return self.lines.get(place, 1)

    def at(self, place: str) -> str:
        return f"{self.file}:{self.line(place)}"


def read_questions(paths: LabPaths) -> tuple[ResearchQuestion, ...]:
    """Return all questions, sorted by folder; LabError with all faults of all files."""
    return tuple(source.question for source in read_sources(paths))


def read_sources(paths: LabPaths) -> tuple[QuestionSource, ...]:
    """Return all questions with their places; LabError with all faults of all files."""
    sources, faults = survey(paths)
    if faults:
        raise LabError(faults)
    return sources


def survey(paths: LabPaths) -> tuple[tuple[QuestionSource, ...], tuple[str, ...]]:
    """Return the questions that could be read, and the faults of the others."""
    imported = read_imported(paths)
    sources: list[QuestionSource] = []
    faults: list[str] = []
    for readme in _readmes(paths.research):
        try:
            source = read_source(paths, readme, imported)
        except LabError as error:
            faults.extend(error.faults)
            continue
        if source:
            sources.append(source)
    faults.extend(_repeated_ids(sources))
    return tuple(sources), tuple(faults)


def find_question(paths: LabPaths, reference: str) -> ResearchQuestion:
    """Return the question of this id, folder or README path; LabError where there is none."""
    return find_source(paths, reference).question


def find_source(paths: LabPaths, reference: str) -> QuestionSource:
    """Return the question of this id, folder or README path, with its places.

    A path is taken from the working directory, the lab root, then research/. Faults of other files
    do not matter, unless no readable file has the id.
    """
    readme = _readme_of(paths, reference)
    if readme:
        return _source_at(paths, readme)
    sources, faults = survey(paths)
    found = [source for source in sources if source.question.id == reference]
    if len(found) == 1:
        return found[0]
    if found:
        raise LabError(_repeated_ids(found))
    known = nearest(reference, (source.question.id for source in sources))
    raise LabError([f"no research question {reference}{known or ': there is none'}", *faults])


def read_source(paths: LabPaths, readme: Path, imported: Imported | None) -> QuestionSource | None:
    """Read one README; None where it has no frontmatter; LabError with all of its faults.

    In an imported lab root outcomes get the registry's names; the file keeps its own.
    """
    text = read_text(readme, _printable(_relative(readme, paths.root)))
    source = parse_source(paths, readme, text, is_imported=imported is not None)
    if source is None or imported is None:
        return source
    names = dict(imported.outcomes)
    outcomes = tuple(dict.fromkeys(names.get(name, name) for name in source.question.outcomes))
    return replace(source, question=replace(source.question, outcomes=outcomes))


def parse_source(
    paths: LabPaths, readme: Path, text: str, *, is_imported: bool
) -> QuestionSource | None:
    """Parse a README's text as if it stood in that file."""
    where = _printable(_relative(readme, paths.root))
    part = cut(text, where)
    if part is None:
        return None
    node = load(part.text, where, part.first_line)
    if not isinstance(node, MappingNode):
        raise LabError(f"{where}:{node.line}: the frontmatter needs keys such as id and question")
    result = coerce(node, "question", where)
    folder = _relative(readme.parent, paths.root)
    question = question_of(result, folder, is_imported)
    if result.faults or question is None:
        raise LabError(result.messages)
    return QuestionSource(question, where, result.lines)


def _source_at(paths: LabPaths, readme: Path) -> QuestionSource:
    source = read_source(paths, readme, read_imported(paths))
    if source is None:
        where = _relative(readme, paths.root)
        raise LabError(f"{where}: has no frontmatter, so it is no research question")
    return source


def _readmes(research: Path) -> Iterator[Path]:
    for folder, subfolders, files in os.walk(research):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if README in files:
            yield Path(folder) / README


def _readme_of(paths: LabPaths, reference: str) -> Path | None:
    for base in (Path.cwd(), paths.root, paths.research):
        path = base / reference
        if path.is_dir() and (path / README).is_file():
            return path / README
        if path.is_file() and path.name == README:
            return path
    return None


def _relative(path: Path, root: Path) -> str:
    path = path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _printable(name: str) -> str:
    """Show a name whose bytes are no UTF-8 with question marks in their place."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _repeated_ids(sources: list[QuestionSource]) -> list[str]:
    first: dict[str, QuestionSource] = {}
    faults = []
    for source in sources:
        other = first.setdefault(source.question.id, source)
        if other is not source:
            faults.append(
                f"{source.at('id')}: the id {source.question.id} is also that of {other.at('id')}: "
                "ids are unique"
            )
    return faults

"""A new research question: its place below research/, and a README that lints clean."""

import re
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths
from lab.planning.draft import Wish, draft
from lab.planning.lint import lint_question
from lab.planning.lint_catalogue import Known
from lab.planning.remark import Remark
from lab.store.catalogue import read_catalogue
from lab.store.questions import README, parse_source, survey
from lab.store.registry import read_registry

SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
TREE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")
CHAPTER = re.compile(r"([0-9]+)\.([0-9]+)-.*")
FIRST_CHAPTER = (1, 1)


@dataclass(frozen=True, slots=True)
class Created:
    """The README written, and the warnings that its author's own choices earn."""

    readme: Path
    id: str
    warnings: tuple[Remark, ...]


def create_question(paths: LabPaths, wish: Wish, tree: str, known: Known) -> Created:
    """Write research/<tree>/<chapter>-<slug>/README.md; LabError where the id is taken.

    Nothing is written unless the question can be planned.
    """
    _check_names(wish.slug, tree)
    catalogue, registry = read_catalogue(paths), read_registry(paths)
    _check_id(paths, wish.id)
    text = draft(wish, catalogue, registry)
    folder = paths.research / tree / _folder_name(paths.research / tree, wish.slug)
    readme = folder / README
    source = parse_source(paths, readme, text, is_imported=False)
    if source is None:
        raise ValueError("a drafted question has frontmatter")
    remarks = tuple(lint_question(source, catalogue, registry, known))
    errors = [remark.message for remark in remarks if remark.is_error]
    if errors:
        raise LabError(errors)
    folder.mkdir(parents=True)
    readme.write_text(text, encoding="utf-8")
    return Created(readme, wish.id, remarks)


def _check_names(slug: str, tree: str) -> None:
    if not SLUG.fullmatch(slug):
        raise LabError(f"slug {slug!r}: letters, digits, dots and dashes, such as model-effect")
    if slug.startswith("RQ-"):
        raise LabError(f"slug {slug!r}: leave out RQ-, the id gets it by itself")
    if not TREE.fullmatch(tree):
        raise LabError(f"--tree {tree!r}: a folder below research/, such as questions")


def _check_id(paths: LabPaths, question_id: str) -> None:
    sources, _ = survey(paths)
    for source in sources:
        if source.question.id == question_id:
            raise LabError(f"{question_id} is taken by {source.file}: choose another slug")


def _folder_name(tree: Path, slug: str) -> str:
    """Continue the newest chapter of the tree: 2.6 is followed by 2.7."""
    names = [path.name for path in tree.iterdir() if path.is_dir()] if tree.is_dir() else []
    found = [match for name in names if (match := CHAPTER.fullmatch(name))]
    chapters = [(int(match[1]), int(match[2]) + 1) for match in found]
    major, minor = max(chapters, default=FIRST_CHAPTER)
    return f"{major}.{minor}-{slug}"

"""A Python project's own files: found, read, and measured line by line and unit by unit."""

import ast
import io
import os
import tokenize
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.domain.event import PathClass

SKIPPED_FOLDERS = frozenset({"lab", "__pycache__", "node_modules", "site-packages"})
SKIPPED_SUFFIXES = (".egg-info", ".dist-info")
VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
FILE_BYTES = 16 << 20
NOT_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
TODO_MARKERS = ("TODO", "FIXME", "XXX")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class UnparsableSource(Exception):
    """A file is no Python of this interpreter's version; says which and where."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path relative to the project, forward slashes, and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Unit:
    """One function or method with its size: physical lines from `def` to its last line."""

    path: str
    name: str
    line: int
    lines: int


def find_sources(
    root: Path, path_class: Callable[[str], PathClass], wanted: PathClass
) -> tuple[Source, ...]:
    """Read every Python file of a class, by path; links, environments and caches are left out."""
    found = []
    for path in _python_files(root):
        relative = path.relative_to(root).as_posix()
        if path_class(relative) is wanted:
            found.append(Source(relative, path.read_bytes()))
    return tuple(sorted(found, key=lambda source: source.path))


def _python_files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if is_own_folder(Path(folder) / name))
        for name in files:
            path = Path(folder) / name
            if name.endswith(".py") and path.is_file() and not path.is_symlink():
                yield path


def is_own_folder(folder: Path) -> bool:
    """Tell whether a folder can hold the project's own code."""
    name = folder.name
    return not (
        name.startswith(".")
        or name in SKIPPED_FOLDERS
        or name.endswith(SKIPPED_SUFFIXES)
        or folder.is_symlink()
        or (folder / VIRTUAL_ENVIRONMENT).is_file()
    )


def parse(source: Source) -> ast.Module:
    """Parse and compile one file (it is not executed); raises UnparsableSource with its place."""
    if len(source.content) > FILE_BYTES:
        raise UnparsableSource(f"{source.path}: larger than {FILE_BYTES} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.content)
            compile(tree, source.path, "exec", dont_inherit=True)
            return tree
    except SyntaxError as error:
        raise UnparsableSource(f"{source.path}:{error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnparsableSource(f"{source.path}: {error}") from error


def code_lines(source: Source) -> int:
    """Count the lines that hold a token which is neither a comment nor part of a docstring."""
    docstrings = dict(span for node in ast.walk(parse(source)) for span in _docstring(node))
    lines: set[int] = set()
    end = (0, 0)
    for token in _tokens(source):
        end = docstrings.get(_in_bytes(token), end)
        if token.type not in NOT_CODE and _in_bytes(token) >= end:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


Place = tuple[int, int]


def _docstring(node: ast.AST) -> Iterator[tuple[Place, Place]]:
    """Yield where a node's docstring starts and ends: line, and column in bytes."""
    if not isinstance(node, ast.Module | ast.ClassDef | Definition) or not node.body:
        return
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        end = (first.end_lineno or first.lineno, first.end_col_offset or 0)
        yield (first.lineno, first.col_offset), end


def _in_bytes(token: tokenize.TokenInfo) -> Place:
    """Return a token's start as the syntax tree counts it: columns in UTF-8 bytes."""
    line, column = token.start
    before = token.line[:column]
    return line, column if before.isascii() else len(before.encode())


def _tokens(source: Source) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.tokenize(io.BytesIO(source.content).readline)
    except (tokenize.TokenError, SyntaxError) as error:
        raise UnparsableSource(f"{source.path}: {error}") from error


def units(source: Source) -> tuple[Unit, ...]:
    """List the functions and methods of a file, nested ones as well, in the text's order."""
    found = [
        Unit(
            source.path, node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1
        )
        for node in ast.walk(parse(source))
        if isinstance(node, Definition)
    ]
    return tuple(sorted(found, key=lambda unit: unit.line))


def todos(source: Source) -> tuple[int, ...]:
    """Return the lines of the comments that leave work to do (TODO, FIXME, XXX)."""
    return tuple(
        token.start[0]
        for token in _tokens(source)
        if token.type == tokenize.COMMENT and any(_holds(token.string, m) for m in TODO_MARKERS)
    )


def _holds(comment: str, marker: str) -> bool:
    words = "".join(char if char.isalnum() or char == "_" else " " for char in comment).split()
    return marker in words

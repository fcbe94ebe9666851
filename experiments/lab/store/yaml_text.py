"""YAML as text: every scalar stays a string, every node knows its line, every fault has one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from lab.errors import LabError

MAX_CHARACTERS = 1_000_000
MAX_NODES = 100_000
MAX_DEPTH = 40
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
RESERVED = frozenset({"=", "<<"})
# An escape such as "\\e" can make these; they would break terminals, tables or UTF-8 further down.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string as written; None for an unquoted null, ~ or nothing."""

    line: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Sequence:
    line: int
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    line: int
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    line: int
    entries: tuple[Entry, ...]

    def get(self, key: str) -> "Node | None":
        return next((entry.value for entry in self.entries if entry.key == key), None)


Node = Scalar | Sequence | Mapping


def read_text(path: Path, where: str) -> str:
    """Read a UTF-8 file, with or without a byte order mark, with any line ends.

    Raises LabError where the file is missing or in another encoding, naming the line.
    """
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise LabError(f"{where}: no such file") from error
    except PermissionError as error:
        raise LabError(f"{where}: not readable: permission denied") from error
    try:
        text = raw.removeprefix(UTF8_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        found = f"byte 0x{raw[error.start]:02x}"
        raise LabError(f"{where}:{line}: not UTF-8 ({found}): save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load(text: str, where: str, first_line: int = 1) -> Node:
    """Parse one YAML document to nodes; `first_line` is the file's line of the text's first.

    Raises LabError with all duplicate keys, or with the first thing that is no YAML, and beyond
    the limits on size, depth and expanded aliases. Tags and merge keys are faults.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        raise LabError(f"{where}: {len(text)} characters, allowed are {MAX_CHARACTERS}")
    composer = _Composer(where, first_line)
    try:
        node = composer.document(yaml.parse(text, Loader=LOADER))
    except yaml.MarkedYAMLError as error:
        raise LabError(_syntax_fault(error, where, first_line)) from error
    except yaml.reader.ReaderError as error:
        raise LabError(_character_fault(error, text, where, first_line)) from error
    if composer.faults:
        raise LabError(composer.faults)
    return node


def plain(node: Node) -> object:
    """Turn nodes into dict, list, str and None."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {entry.key: plain(entry.value) for entry in node.entries}


def _syntax_fault(error: yaml.MarkedYAMLError, where: str, first_line: int) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + first_line if mark else first_line
    problem = " ".join(part for part in (error.context, error.problem) if part)
    return f"{where}:{line}: not YAML: {problem} (quote the value if it is meant as text)"


def _character_fault(error: yaml.reader.ReaderError, text: str, where: str, first_line: int) -> str:
    line = text[: error.position].count("\n") + first_line
    return f"{where}:{line}: a character that YAML does not allow: {error.reason}"


class _Composer:
    """Builds nodes from parser events; counts what aliases expand to, so a bomb is refused."""

    def __init__(self, where: str, first_line: int) -> None:
        self.where = where
        self.first_line = first_line
        self.faults: list[str] = []
        self.count = 0
        self.anchors: dict[str, tuple[Node, int]] = {}

    def document(self, events: Iterator[yaml.Event]) -> Node:
        node: Node | None = None
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                if node is not None:
                    self._stop(event, "a second document: a file holds one")
                node = self._node(event, events, 0)
        return node or Scalar(self.first_line, None)

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self.first_line

    def _stop(self, event: yaml.Event, fault: str) -> NoReturn:
        raise LabError([*self.faults, f"{self.where}:{self._line(event)}: {fault}"])

    def _note(self, line: int, fault: str) -> None:
        self.faults.append(f"{self.where}:{line}: {fault}")

    def _grow(self, event: yaml.Event, nodes: int, depth: int) -> None:
        self.count += nodes
        if self.count > MAX_NODES:
            self._stop(event, f"expands to more than {MAX_NODES} values")
        if depth > MAX_DEPTH:
            self._stop(event, f"nested deeper than {MAX_DEPTH} levels")

    def _node(self, event: Any, events: Iterator[yaml.Event], depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        before = self.count
        self._grow(event, 1, depth)
        if event.tag not in (None, "!"):
            self._note(self._line(event), f"the tag {event.tag} is not allowed: quote the value")
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, events, depth)
        else:
            node = self._mapping(event, events, depth)
        if event.anchor:
            self.anchors[event.anchor] = (node, self.count - before)
        return node

    def _alias(self, event: yaml.AliasEvent, depth: int) -> Node:
        if event.anchor is None or event.anchor not in self.anchors:
            self._stop(event, f"*{event.anchor} refers to nothing: quote the value")
        node, size = self.anchors[event.anchor]
        self._grow(event, size, depth)
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        is_plain = event.style in (None, "") and event.implicit[0]
        if is_plain and event.value in RESERVED:
            self._note(self._line(event), f"a bare {event.value} is not allowed: quote it")
        unprintable = UNPRINTABLE.search(event.value)
        if unprintable:
            character = f"U+{ord(unprintable[0]):04X}"
            self._note(self._line(event), f"holds the control character {character}: remove it")
        is_null = is_plain and event.value in NULLS
        return Scalar(self._line(event), None if is_null else event.value)

    def _sequence(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Sequence:
        items = []
        for inner in events:
            if isinstance(inner, yaml.SequenceEndEvent):
                break
            items.append(self._node(inner, events, depth + 1))
        return Sequence(self._line(event), tuple(items))

    def _mapping(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        for inner in events:
            if isinstance(inner, yaml.MappingEndEvent):
                break
            line = self._line(inner)
            key = self._node(inner, events, depth + 1)
            value = self._node(next(events), events, depth + 1)
            if not isinstance(key, Scalar) or key.text is None:
                self._note(line, "a key must be plain text")
            elif key.text in entries:
                first = entries[key.text].line
                self._note(line, f"the key {key.text} stands here twice (first in line {first})")
            else:
                entries[key.text] = Entry(key.text, line, value)
        return Mapping(self._line(event), tuple(entries.values()))

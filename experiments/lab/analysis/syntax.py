"""Code mass: constructs counted in a syntax tree, one weight table for all languages."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

WEIGHTS: Mapping[str, int] = {
    "constant": 1,
    "binding": 1,
    "invocation": 2,
    "conditional": 4,
    "loop": 5,
    "assignment": 6,
}

# What each Python node counts as; research/decisions/0002-python-analysis.md gives the reasons.
PYTHON_CONSTRUCTS: Mapping[str, str] = {
    "integer": "constant",
    "float": "constant",
    "true": "constant",
    "false": "constant",
    "none": "constant",
    "ellipsis": "constant",
    "string": "constant",
    "concatenated_string": "constant",
    "call": "invocation",
    "binary_operator": "invocation",
    "not_operator": "invocation",
    "decorator": "invocation",
    "if_statement": "conditional",
    "elif_clause": "conditional",
    "if_clause": "conditional",
    "conditional_expression": "conditional",
    "boolean_operator": "conditional",
    "except_clause": "conditional",
    "assert_statement": "conditional",
    "for_statement": "loop",
    "while_statement": "loop",
    "for_in_clause": "loop",
    "augmented_assignment": "assignment",
}
PYTHON_SKIPPED = frozenset(
    {
        "comment",
        "type",
        "type_parameter",
        "type_alias_statement",
        "import_statement",
        "import_from_statement",
        "future_import_statement",
    }
)
CONSTANTS = frozenset(name for name, kind in PYTHON_CONSTRUCTS.items() if kind == "constant")
EMPTY_DISPLAYS = frozenset({"list", "tuple", "dictionary"})
TARGET_GROUPS = frozenset(
    {
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "tuple",
        "list",
        "list_splat",
        "parenthesized_expression",
        "as_pattern_target",
    }
)


class Unparsable(Exception):
    """The source does not parse in its language."""


def mass(constructs: Mapping[str, int]) -> int:
    """Weigh counted constructs (Absolute Priority Premise, Micah Martin)."""
    return sum(WEIGHTS[name] * count for name, count in constructs.items())


def count_python(source: bytes) -> Mapping[str, int]:
    """Count the constructs of one Python file, name to count; raises Unparsable."""
    root = _python_parser().parse(source).root_node
    if root.has_error:
        raise Unparsable
    return _PythonCounter().count(root)


COUNTERS: Mapping[str, Callable[[bytes], Mapping[str, int]]] = {"python": count_python}


def _python_parser() -> "Parser":
    import tree_sitter
    import tree_sitter_python

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))


@dataclass(slots=True)
class _Scope:
    """The names bound so far in one module, class, function or lambda, in the text's order."""

    names: set[str] = field(default_factory=set)
    is_initialiser: bool = False


class _PythonCounter:
    """Walks the tree in the text's order without recursion: deep expressions are common."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.targets: set[int] = set()
        self.stack: list[tuple[Node, _Scope]] = []
        self.handlers: Mapping[str, Callable[[Node, _Scope], None]] = {
            "unary_operator": self._unary,
            "comparison_operator": self._comparison,
            "subscript": self._subscript,
            "case_clause": self._case,
            "case_pattern": self._capture,
            "keyword_pattern": self._capture_keyword,
            "splat_pattern": self._capture_splat,
            "as_pattern": self._alias,
            "assignment": self._assignment,
            "augmented_assignment": self._augmented,
            "named_expression": self._walrus,
            "default_parameter": self._default,
            "typed_default_parameter": self._default,
            "for_statement": self._loop_names,
            "global_statement": self._declared_elsewhere,
            "nonlocal_statement": self._declared_elsewhere,
        }

    def count(self, root: "Node") -> Mapping[str, int]:
        self.stack.append((root, _Scope()))
        while self.stack:
            node, scope = self.stack.pop()
            if node.type in PYTHON_SKIPPED or _is_bare_constant(node):
                continue
            self._count_node(node, scope)
            inner = _inner_scope(node, scope)
            self.stack.extend((child, inner) for child in reversed(_visited(node)))
        return dict(self.counts)

    def _count_node(self, node: "Node", scope: _Scope) -> None:
        construct = PYTHON_CONSTRUCTS.get(node.type)
        if construct:
            self.counts[construct] += 1
        elif node.type in EMPTY_DISPLAYS and not node.named_child_count:
            self.counts["constant"] += 1
        handler = self.handlers.get(node.type)
        if handler:
            handler(node, scope)

    def _bind(self, key: str, scope: _Scope) -> None:
        """Count a first value of a name as a binding, every later one as an assignment."""
        self.counts["assignment" if key in scope.names else "binding"] += 1
        scope.names.add(key)

    def _store(self, target: "Node | None", scope: _Scope) -> None:
        for part in _target_parts(target):
            if part.type == "identifier" or (part.type == "attribute" and scope.is_initialiser):
                self._bind(_text(part), scope)
            else:
                self.targets.add(part.id)
                self.counts["assignment"] += 1

    def _unary(self, node: "Node", scope: _Scope) -> None:
        argument = node.child_by_field_name("argument")
        if argument is None or argument.type not in {"integer", "float"}:
            self.counts["invocation"] += 1

    def _comparison(self, node: "Node", scope: _Scope) -> None:
        self.counts["invocation"] += len(node.children_by_field_name("operators"))

    def _subscript(self, node: "Node", scope: _Scope) -> None:
        if node.id not in self.targets:
            self.counts["invocation"] += 1

    def _case(self, node: "Node", scope: _Scope) -> None:
        patterns = [child for child in node.named_children if child.type == "case_pattern"]
        is_irrefutable = len(patterns) == 1 and (
            _text(patterns[0]) == "_" or _captured(patterns[0]) is not None
        )
        if not is_irrefutable:
            self.counts["conditional"] += 1

    def _capture(self, node: "Node", scope: _Scope) -> None:
        name = _captured(node)
        if name is not None:
            self._bind(name, scope)

    def _capture_keyword(self, node: "Node", scope: _Scope) -> None:
        value = node.named_children[-1]
        if value.type == "dotted_name" and value.named_child_count == 1:
            self._bind(_text(value), scope)

    def _capture_splat(self, node: "Node", scope: _Scope) -> None:
        for child in node.named_children:
            self._bind(_text(child), scope)

    def _alias(self, node: "Node", scope: _Scope) -> None:
        self._store(node.named_children[-1], scope)

    def _assignment(self, node: "Node", scope: _Scope) -> None:
        if node.child_by_field_name("right") is not None:
            self._store(node.child_by_field_name("left"), scope)

    def _augmented(self, node: "Node", scope: _Scope) -> None:
        for part in _target_parts(node.child_by_field_name("left")):
            self.targets.add(part.id)

    def _walrus(self, node: "Node", scope: _Scope) -> None:
        self._store(node.child_by_field_name("name"), scope)

    def _default(self, node: "Node", scope: _Scope) -> None:
        self.counts["binding"] += 1

    def _loop_names(self, node: "Node", scope: _Scope) -> None:
        for part in _target_parts(node.child_by_field_name("left")):
            self.targets.add(part.id)
            scope.names.add(_text(part))

    def _declared_elsewhere(self, node: "Node", scope: _Scope) -> None:
        scope.names.update(_text(child) for child in node.named_children)


def _inner_scope(node: "Node", scope: _Scope) -> _Scope:
    """Open a scope at a definition; parameters are names that have their value already."""
    if node.type == "class_definition":
        return _Scope()
    if node.type not in {"function_definition", "lambda"}:
        return scope
    name = node.child_by_field_name("name")
    parameters = node.child_by_field_name("parameters")
    return _Scope(
        {_text(part) for part in _parameter_names(parameters)},
        name is not None and _text(name) == "__init__",
    )


def _parameter_names(parameters: "Node | None") -> "Iterator[Node]":
    for parameter in parameters.named_children if parameters else ():
        yield from _first_identifier(parameter)


def _first_identifier(node: "Node") -> "Iterator[Node]":
    while node.type != "identifier" and node.named_children:
        node = node.named_children[0]
    if node.type == "identifier":
        yield node


def _visited(node: "Node") -> "list[Node]":
    """Return the children to visit: the parts of one concatenated string are one constant."""
    if node.type == "concatenated_string":
        return [part for text in node.named_children for part in text.named_children]
    return node.named_children


def _is_bare_constant(node: "Node") -> bool:
    """Tell a docstring, a comment written as a string, or a placeholder `...`."""
    parent = node.parent if node.type in CONSTANTS else None
    return (
        parent is not None
        and parent.type == "expression_statement"
        and parent.named_child_count == 1
    )


def _captured(pattern: "Node") -> str | None:
    """Return the name that a pattern captures as a whole; a dotted name is a value."""
    if pattern.named_child_count != 1:
        return None
    child = pattern.named_children[0]
    is_name = child.type == "dotted_name" and child.named_child_count == 1
    return _text(child) if is_name else None


def _target_parts(target: "Node | None") -> "Iterator[Node]":
    if target is None:
        return
    if target.type in TARGET_GROUPS:
        for child in target.named_children:
            yield from _target_parts(child)
    else:
        yield target


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")

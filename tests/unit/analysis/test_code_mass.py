import pytest
from lab.analysis.syntax import WEIGHTS, Unparsable, count_python, mass

CASES = {
    "a bare declaration is nothing": ("x: int", {}),
    "a first value is a binding": ("x = 1", {"binding": 1, "constant": 1}),
    "a second value is an assignment": (
        "x = 1\nx = 2",
        {"binding": 1, "assignment": 1, "constant": 2},
    ),
    "each name of an unpacking counts": ("a, *b = f()", {"binding": 2, "invocation": 1}),
    "a chained assignment binds both": ("a = b = 0", {"binding": 2, "constant": 1}),
    "an augmented assignment is one construct": (
        "x = 1\nx += 2",
        {"binding": 1, "assignment": 1, "constant": 2},
    ),
    "a target's subscript is no read": (
        "a[0][1] = 2",
        {"assignment": 1, "invocation": 1, "constant": 3},
    ),
    "a slice is one invocation": ("f(a[1:2])", {"invocation": 2, "constant": 2}),
    "a parameter has its value already": (
        "def f(x):\n    x = x\n    y = x",
        {"assignment": 1, "binding": 1},
    ),
    "a default binds": ("def f(x=1, *, y: int = 2): pass", {"binding": 2, "constant": 2}),
    "a field set first in __init__ is bound": (
        "class A:\n    def __init__(self):\n        self.a = 1\n        self.a = 2\n"
        "    def set(self):\n        self.a = 3",
        {"binding": 1, "assignment": 2, "constant": 3},
    ),
    "a global is bound elsewhere": (
        "def f():\n    global x\n    x = 1",
        {"assignment": 1, "constant": 1},
    ),
    "scopes do not share names": (
        "x = 1\ndef f():\n    x = 2\nclass A:\n    x = 3",
        {"binding": 3, "constant": 3},
    ),
    "a walrus binds like an assignment": (
        "if (n := f()): pass",
        {"binding": 1, "invocation": 1, "conditional": 1},
    ),
    "a with target is a binding": ("with f() as (a, b), g: pass", {"binding": 2, "invocation": 1}),
    "an except clause chooses and binds": (
        "try: pass\nexcept E as e: pass",
        {"conditional": 1, "binding": 1},
    ),
    "if, elif and else": (
        "if a: pass\nelif b: pass\nelse: pass",
        {"conditional": 2},
    ),
    "a ternary is a conditional": (
        "x = 1 if a else 2",
        {"binding": 1, "conditional": 1} | {"constant": 2},
    ),
    "and and or choose, not does not": (
        "f(a and b or not c)",
        {"conditional": 2, "invocation": 2},
    ),
    "an assertion is a conditional": ("assert a", {"conditional": 1}),
    "a chain of comparisons counts each": ("f(a < b < c)", {"invocation": 3}),
    "not in is one operator": ("f(a not in b)", {"invocation": 2}),
    "a signed number is one constant": ("f(-1)", {"invocation": 1, "constant": 1}),
    "a sign before a name is an operator": ("f(-x)", {"invocation": 2}),
    "for, while and async for are loops": (
        "for a in b: pass\nwhile c: pass\nasync def f():\n    async for d in e: pass",
        {"loop": 3},
    ),
    "a loop's name is part of the loop": (
        "for i in a:\n    i = 1",
        {"loop": 1, "assignment": 1} | {"constant": 1},
    ),
    "a comprehension is a loop per for": (
        "f([a for b in c for d in b if d])",
        {"invocation": 1, "loop": 2, "conditional": 1},
    ),
    "a lambda is only its content": ("f(lambda a: a(a))", {"invocation": 2}),
    "a decorator is an application": (
        "@d\n@e(1)\ndef f(): pass",
        {"invocation": 3, "constant": 1},
    ),
    "a case is a conditional, a last resort is not": (
        "match a:\n    case 1 | 2: pass\n    case B.C: pass\n    case _: pass",
        {"conditional": 2, "constant": 2},
    ),
    "a captured name is a binding": (
        "match a:\n    case [b, *c]: pass\n    case D(e=f): pass\n    case g: pass",
        {"conditional": 2, "binding": 4},
    ),
    "a guard is a conditional of its own": (
        "match a:\n    case b if b: pass",
        {"conditional": 1, "binding": 1},
    ),
    "neighbouring strings are one constant": (
        'x = "a" f"{b + 1}"',
        {"binding": 1, "constant": 2, "invocation": 1},
    ),
    "an f-string's text is one constant": (
        'f(f"a{b}c{d!r:>{w}}")',
        {"invocation": 1, "constant": 1},
    ),
    "an empty display is a constant": ("a = []\nb = ()\nc = {}", {"binding": 3, "constant": 3}),
    "a display is its elements": ("a = [1, 2]", {"binding": 1, "constant": 2}),
    "docstrings and placeholders are nothing": (
        '"doc"\nclass A:\n    "doc"\n    def f(self):\n        """doc"""\n        ...',
        {},
    ),
    "comments, imports and types are nothing": (
        "import a\nfrom b import c  # d\ndef f(x: dict[str, int]) -> list[int]: pass\ntype T = int",
        {},
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_constructs_are_counted(source: str, expected: dict[str, int]) -> None:
    assert dict(count_python(source.encode())) == expected


def test_the_weights_are_those_of_the_premise() -> None:
    constructs = dict.fromkeys(WEIGHTS, 1)
    assert mass(constructs) == 1 + 1 + 2 + 4 + 5 + 6


def test_an_empty_file_has_no_mass() -> None:
    assert mass(count_python(b"")) == 0


def test_broken_source_is_no_zero() -> None:
    with pytest.raises(Unparsable):
        count_python(b"def f(:\n")


def test_a_deep_expression_is_counted_without_recursion() -> None:
    source = "x = " + " + ".join(["1"] * 3000)
    assert dict(count_python(source.encode())) == {
        "binding": 1,
        "constant": 3000,
        "invocation": 2999,
    }

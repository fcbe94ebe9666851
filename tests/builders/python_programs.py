"""Random Python projects that run to their end: the same seed gives the same project."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

NAMES = ("a", "b", "c", "total", "items")
COMPARISONS = ("<", ">", "==", "!=", "<=", ">=")
DEPTH = 3


@dataclass(slots=True)
class Program:
    """Writes one module of functions f0(a, b) ... that always end."""

    random: random.Random
    lines: list[str] = field(default_factory=list)

    def write(self, functions: int) -> str:
        self.lines = ['"""Generated."""', "", "import os", "LIMIT = 10  # TODO name it", ""]
        for number in range(functions):
            self._function(number)
        return "\n".join(self.lines) + "\n"

    def _function(self, number: int) -> None:
        self.lines += ["", f"def f{number}(a, b{self._more_parameters()}):"]
        if self.random.random() < 0.5:
            self.lines += ['    """Do it.', "", '    More."""']
        self.lines += ["    c = 0", "    total = 1", "    items = [a, b]"]
        self._block(1)
        self.lines += ["    return (c, total)", ""]

    def _more_parameters(self) -> str:
        extra = self.random.randrange(4)
        return "".join(f", p{number}={number}" for number in range(extra))

    def _block(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            choices = SIMPLE if depth > DEPTH else (*SIMPLE, *COMPOUND)
            self.random.choice(choices)(self, depth)

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self) -> str:
        return self.random.choice(NAMES[:4])

    def value(self) -> str:
        options = (
            self.name(),
            str(self.random.randrange(20)),
            f"{self.name()} + {self.random.randrange(9)}",
            f"abs({self.name()})",
            f"{self.random.randrange(3)} if {self.test()} else {self.name()}",
            f"sum(x for x in items if x > {self.random.randrange(5)})",
            "len([x for x in items])",
            f"-{self.name()}",
        )
        return self.random.choice(options)

    def test(self) -> str:
        left = f"{self.name()} {self.random.choice(COMPARISONS)} {self.random.randrange(12)}"
        return self.random.choice((left, left, f"{left} and {self.name()}", f"not {self.name()}"))


def _assign(program: Program, depth: int) -> None:
    program.put(depth, f"{program.name()} = {program.value()}")


def _augment(program: Program, depth: int) -> None:
    program.put(depth, f"total += {program.value()}")


def _append(program: Program, depth: int) -> None:
    program.put(depth, f"items.append({program.value()})  # noqa")


def _if(program: Program, depth: int) -> None:
    program.put(depth, f"if {program.test()}:")
    program._block(depth + 1)
    if program.random.random() < 0.4:
        program.put(depth, f"elif {program.test()}:")
        program._block(depth + 1)
    if program.random.random() < 0.5:
        program.put(depth, "else:")
        program._block(depth + 1)


def _for(program: Program, depth: int) -> None:
    program.put(depth, f"for i{depth} in range({program.random.randrange(4)}):")
    program._block(depth + 1)


def _while(program: Program, depth: int) -> None:
    program.put(depth, f"while {program.test()}:")
    program._block(depth + 1)
    program.put(depth + 1, "break")


def _try(program: Program, depth: int) -> None:
    program.put(depth, "try:")
    program._block(depth + 1)
    program.put(depth, "except ValueError as error:")
    program.put(depth + 1, "c = str(error) == ''")


def _match(program: Program, depth: int) -> None:
    program.put(depth, f"match {program.name()}:")
    for _ in range(program.random.randrange(1, 3)):
        program.put(
            depth + 1, f"case {program.random.randrange(9)} | {program.random.randrange(9)}:"
        )
        program._block(depth + 2)
    program.put(depth + 1, "case _:")
    program._block(depth + 2)


SIMPLE = (_assign, _assign, _augment, _append)
COMPOUND = (_if, _if, _for, _while, _try, _match)


def write_tests(seed: random.Random, functions: int) -> Iterator[str]:
    """Yield the lines of a test file: every function called once, some tests red or skipped."""
    yield "import pytest"
    yield "import generated"
    for number in range(functions):
        fate = seed.choice(("pass", "pass", "pass", "skip", "fail", "error", "xfail", "cases"))
        yield from _test(fate, number)


def _test(fate: str, number: int) -> Iterator[str]:
    decorators = {
        "skip": "@pytest.mark.skip",
        "xfail": "@pytest.mark.xfail",
        "cases": "@pytest.mark.parametrize('n', [1, 2, 3])",
    }
    if fate in decorators:
        yield decorators[fate]
    parameters = {"cases": "n", "error": "no_such_fixture"}.get(fate, "")
    yield f"def test_{number}({parameters}):"
    call = f"generated.f{number}({number}, 3)"
    yield f"    assert {call}{' is None' if fate in ('fail', 'xfail') else ''}"


def make_project(seed: int) -> dict[str, str]:
    """Return the files of one project, path to text."""
    chance = random.Random(seed)
    functions = chance.randrange(1, 7)
    return {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
        "src/generated.py": Program(chance).write(functions),
        "tests/test_generated.py": "\n".join(write_tests(chance, functions)) + "\n",
    }

"""The size budget: modules, functions, scripts. Complexity and arguments are ruff's."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "experiments" / "lab"
MODULE_LINES = 400
FUNCTION_LINES = 50


def sources() -> list[Path]:
    stacks = ROOT / "experiments" / "stacks"
    found = [*LAB.rglob("*.py"), *stacks.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    return sorted(path for path in found if "projects" not in path.parts)


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", sources(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_module_keeps_its_size(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MODULE_LINES, f"{path}: {lines} lines; split it by noun"
    long = [f"{name}: {size}" for name, size in functions(path) if size > FUNCTION_LINES]
    assert long == [], f"{path}: functions over {FUNCTION_LINES} lines"


def test_the_typical_module_and_function_stay_small() -> None:
    lab = [path for path in sources() if LAB in path.parents]
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in lab)
    sizes = sorted(size for path in lab for _, size in functions(path))
    assert lengths[len(lengths) // 2] <= 150, "median module"
    assert sizes[int(len(sizes) * 0.9)] <= 30, "90 % of the functions"


def test_no_package_marker_where_it_would_shadow_or_mislead() -> None:
    tops = (ROOT / top for top in ("docker", "site", "tests"))
    found = [path for top in tops for path in top.rglob("__init__.py")]
    assert [path for path in found if "projects" not in path.parts] == []

"""The rooms, what they may import, and which third-party package has which door."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LAB = Path(__file__).resolve().parents[2] / "experiments" / "lab"
ROWS = (
    ("cli",),
    ("site", "snapshot"),
    ("runner", "governed"),
    ("planning", "status", "aggregation", "analysis", "importing"),
    ("gateway", "modelserver"),
    ("stacks", "harnesses", "store"),
    ("chain", "stats", "accounting", "tapes"),
    ("domain",),
    ("process",),
    ("paths", "errors"),
)
RANK = {room: len(ROWS) - index for index, row in enumerate(ROWS) for room in row}
DOORS = {
    "click": ("cli/",),
    "rich": ("cli/",),
    "docker": ("runner/container.py",),
    "requests": ("runner/container.py",),  # how the docker package says that the engine is gone
    "distributed": ("runner/dask_executor.py",),
    "aiohttp": ("gateway/", "modelserver/"),
    "jinja2": ("site/render.py", "governed/prompts.py"),
    "pandas": ("stats/",),
    "numpy": ("stats/",),
    "scipy": ("stats/",),
    "statsmodels": ("stats/",),
    "yaml": ("store/",),
    "jsonschema": ("store/",),
    "orjson": ("store/",),
    "tree_sitter": ("analysis/syntax.py",),
    "tree_sitter_python": ("analysis/syntax.py",),
    "complexipy": ("analysis/",),
}


def modules() -> list[Path]:
    return sorted(LAB.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(LAB).as_posix()


def room_of(path: Path) -> str:
    return path.relative_to(LAB).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "lab":
                yield from ((node.lineno, f"lab.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module


def faults_of_layers(path: Path) -> list[str]:
    own = room_of(path)
    found = []
    for line, module in imports_of(path):
        parts = module.split(".")
        if parts[0] != "lab" or len(parts) < 2 or parts[1] == own or parts[1] not in RANK:
            continue
        if RANK[parts[1]] >= RANK[own]:
            found.append(
                f"{name_of(path)}:{line} imports {module}: {own} may import only rooms below it; "
                "move the code down, or pass it in from above"
            )
    return found


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_room_imports_only_rooms_below_it(path: Path) -> None:
    if name_of(path) == "__init__.py":
        return
    assert room_of(path) in RANK, f"{name_of(path)}: no such room; rooms: {', '.join(RANK)}"
    assert faults_of_layers(path) == []


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_third_party_package_is_imported_at_its_door_only(path: Path) -> None:
    found = []
    for line, module in imports_of(path):
        package = module.split(".")[0]
        if package == "lab" or package in sys.stdlib_module_names:
            continue
        doors = DOORS.get(package)
        if doors is None:
            found.append(f"{name_of(path)}:{line} imports {package}: it has no door; add one here")
        elif not name_of(path).startswith(doors):
            found.append(f"{name_of(path)}:{line} imports {package}: its door is {doors}")
    assert found == []


def test_the_layer_check_itself_finds_an_upward_import(tmp_path: Path) -> None:
    source = "from lab.cli.main import main\n"
    path = LAB / "domain" / "no_such_module.py"
    assert [module for _, module in imports_of(_written(tmp_path, source))] == ["lab.cli.main"]
    assert RANK["cli"] >= RANK[room_of(path)]


def _written(folder: Path, text: str) -> Path:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return path

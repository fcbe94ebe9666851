"""Generated projects: our numbers against the raw tools' own output and a second way to count."""

import ast
import json
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders.analysis_jobs import write_files
from builders.local_launch import launch_local
from builders.python_programs import make_project
from lab.analysis.request import read_answer, request_document
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for
from lab.stacks.protocol import Tools

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]
SEEDS = range(20)
STABLE = "B,E722,F401,F811,F841,PIE790,PIE794,PLR0912,PLR0913,PLR0915,PLR2004,RET504,RET505"
STABLE += ",SIM101,SIM102,SIM103,SIM108,SIM114"
COMPLEXITY = {"PLR0912", "PLR0913", "PLR0915", "PLR1702"}
DUPLICATION = {"F811", "PIE794", "SIM114"}


@pytest.fixture(scope="module")
def tools() -> Tools:
    return tools_for(LabPaths(REPOSITORY), "python-pytest")


def command(tools: Tools, folder: Path, *words: str) -> bytes:
    found = subprocess.run(
        [f"{tools.analysis_bin}/{words[0]}", *words[1:]],
        cwd=folder,
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "LAB_REPORTER_OFF": "1"},
    )
    assert found.returncode in (0, 1), found.stderr.decode()
    return found.stdout


def raw_tests(tools: Tools, folder: Path) -> dict[str, object]:
    """Count by pytest's own XML, under coverage.py as its documentation says."""
    words = ("run", "--branch", "--source=src", "-m", "pytest", "-q", "--junitxml=raw.xml")
    command(tools, folder, "coverage", *words, "-p", "no:cacheprovider")
    command(tools, folder, "coverage", "json", "-o", "raw.json")
    suite = ElementTree.parse(folder / "raw.xml").getroot()[0]
    counts = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    totals = json.loads((folder / "raw.json").read_text())["totals"]
    executed = counts["tests"] - counts["skipped"]
    red = counts["failures"] + counts["errors"]
    return {
        "tests_total": counts["tests"],
        "tests_passing": executed > 0 and red == 0,
        "coverage_statements_pct": totals["covered_lines"] / totals["num_statements"],
        "coverage_branches_pct": totals["covered_branches"] / totals["num_branches"]
        if totals["num_branches"]
        else None,
    }


def raw_smells(tools: Tools, folder: Path) -> dict[str, object]:
    """Count by ruff's JSON, asked in three calls and configured by a file."""
    (folder / "ruff-raw.toml").write_text(
        "target-version = 'py313'\n[lint.pylint]\nmax-args = 4\nmax-statements = 30\n"
        "max-nested-blocks = 3\n[lint.mccabe]\nmax-complexity = 0\n"
    )
    common = ("--config=ruff-raw.toml", "--no-cache", "--ignore-noqa", "--output-format=json")

    def ask(*words: str) -> list[dict[str, Any]]:
        found = command(tools, folder, "ruff", "check", *common, *words, "src")
        rows: list[dict[str, Any]] = json.loads(found)
        return rows

    rules = [
        row["code"] for row in (*ask(f"--select={STABLE}"), *ask("--preview", "--select=PLR1702"))
    ]
    mccabe = [int(row["message"].split("(")[1].split()[0]) for row in ask("--select=C901")]
    return {
        "smell_total": len(rules),
        "smell_complexity": sum(rule in COMPLEXITY for rule in rules),
        "smell_duplication": sum(rule in DUPLICATION for rule in rules),
        "smell_magic_numbers": rules.count("PLR2004"),
        **aggregates("mccabe", mccabe),
        "functions": len(mccabe),
    }


def raw_cognitive(tools: Tools, folder: Path) -> dict[str, object]:
    """Take complexipy's own command line."""
    words = ("src", "--isolated", "--no-ignore", "-i", "-q", "--output-format=json")
    command(tools, folder, "complexipy", *words, "--output=raw-cx.json", "--cache-dir=raw-cx")
    rows = json.loads((folder / "raw-cx.json").read_text())
    return aggregates("cognitive", [row["complexity"] for row in rows])


def aggregates(prefix: str, values: list[int]) -> dict[str, object]:
    return {
        f"{prefix}_max": max(values),
        f"{prefix}_avg": sum(values) / len(values),
        f"{prefix}_high_count": len([value for value in values if value > 10]),
    }


def raw_sizes(folder: Path) -> dict[str, object]:
    """Count lines and units from the text's layout, without a tokenizer."""
    lines = (folder / "src/generated.py").read_text().splitlines()
    code, is_docstring = 0, False
    for line in lines:
        quotes = line.count('"""')
        is_code = bool(line.strip()) and not is_docstring and not quotes
        is_docstring ^= quotes == 1
        code += is_code
    starts = [number for number, line in enumerate(lines) if line.startswith("def ")]
    ends = [number for number, line in enumerate(lines) if line.startswith("    return (c, total)")]
    sizes = sorted(end - start + 1 for start, end in zip(starts, ends, strict=True))
    middle = len(sizes) // 2
    median = sizes[middle] if len(sizes) % 2 else (sizes[middle - 1] + sizes[middle]) / 2
    return {
        "production_loc": code,
        "unit_count": len(sizes),
        "unit_size_max": sizes[-1],
        "unit_size_avg": sum(sizes) / len(sizes),
        "unit_size_median": median,
    }


LOOPS = (ast.For, ast.While, ast.comprehension)
OPERATORS = (ast.BinOp, ast.Call, ast.UnaryOp)
CONDITIONALS = (ast.If, ast.IfExp, ast.ExceptHandler)


def raw_mass(folder: Path) -> dict[str, object]:
    """Weigh the constructs on Python's own syntax tree, for the generated subset of Python."""
    tree = ast.parse((folder / "src/generated.py").read_text())
    counts: Counter[str] = Counter()
    for node in ast.walk(tree):
        counts.update(constructs(node))
    for function in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))):
        counts.update(names(function))
    weights = {"constant": 1, "binding": 1, "invocation": 2, "conditional": 4, "loop": 5}
    weights["assignment"] = 6
    return {"code_mass": sum(weights[name] * count for name, count in counts.items())}


def constructs(node: ast.AST) -> Iterator[str]:
    if isinstance(node, LOOPS):
        yield "loop"
    if isinstance(node, ast.comprehension):
        yield from ["conditional"] * len(node.ifs)
    if isinstance(node, CONDITIONALS):
        yield "conditional"
    if isinstance(node, ast.BoolOp):
        yield from ["conditional"] * (len(node.values) - 1)
    if isinstance(node, ast.match_case) and not isinstance(node.pattern, ast.MatchAs):
        yield "conditional"
    if isinstance(node, OPERATORS):
        yield "invocation"
    if isinstance(node, ast.Compare):
        yield from ["invocation"] * len(node.ops)
    if isinstance(node, ast.Constant) and not str(node.value).startswith(("Generated", "Do it")):
        yield "constant"
    if isinstance(node, ast.AugAssign):
        yield "assignment"


def names(scope: ast.Module | ast.FunctionDef) -> Iterator[str]:
    """Yield a binding or an assignment per stored name, in the text's order."""
    known = set()
    if isinstance(scope, ast.FunctionDef):
        known = {argument.arg for argument in scope.args.args}
        yield from ["binding"] * len(scope.args.defaults)
    for name in stored(scope.body):
        yield "assignment" if name in known else "binding"
        known.add(name)


def stored(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        if isinstance(node, ast.Try):
            yield from stored(node.body)
            for handler in node.handlers:
                yield str(handler.name)
                yield from stored(handler.body)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from stored(case.body)
        elif isinstance(node, ast.If | ast.For | ast.While):
            yield from stored(node.body)
            yield from stored(node.orelse)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_generated_project_has_the_numbers_of_the_raw_tools(
    seed: int, tools: Tools, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "project", make_project(seed))
    request = request_document("python-pytest", folder, tools, None)
    found = read_answer(launch_local(tools)(request)).metrics
    expected: Mapping[str, object] = {
        **raw_tests(tools, folder),
        **raw_smells(tools, folder),
        **raw_cognitive(tools, folder),
        **raw_sizes(folder),
        **raw_mass(folder),
    }
    assert {name: found[name].value for name in expected} == expected

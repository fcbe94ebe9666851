"""Every threshold of the linter's rules: the last value that is fine and the first that is not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for
from lab.stacks.python_lint import lint
from lab.stacks.python_tools import complexity_readings


def arguments(count: int) -> str:
    names = ", ".join(f"a{number}" for number in range(count))
    return f"def f({names}):\n    return a0\n"


def statements(count: int) -> str:
    calls = "".join(f"    f(a, {number})\n" for number in range(count))
    return f"def f(a, b):\n{calls}"


def nesting(count: int) -> str:
    ifs = "".join(f"{'    ' * (depth + 1)}for b in a:\n" for depth in range(count))
    return f"def f(a):\n{ifs}{'    ' * (count + 1)}f(b)\n"


def branches(count: int) -> str:
    ifs = "".join(f"    if a.b{number}:\n        f(a)\n" for number in range(count))
    return f"def f(a):\n{ifs}"


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("rule", "make", "allowed"),
    [
        ("PLR0913", arguments, 4),
        ("PLR0915", statements, 30),
        ("PLR1702", nesting, 3),
        ("PLR0912", branches, 12),
    ],
)
def test_one_more_than_a_threshold_is_a_smell(
    rule: str, make: Callable[[int], str], allowed: int, tmp_path: Path
) -> None:
    (tmp_path / "fine.py").write_text(make(allowed))
    (tmp_path / "more.py").write_text(make(allowed + 1))
    ruff = f"{tools_for(LabPaths(REPOSITORY), 'python-pytest').analysis_bin}/ruff"
    found = lint(ruff, tmp_path, ["fine.py", "more.py"]).findings
    assert [one.path for one in found if one.rule == rule] == ["more.py"]


def test_a_function_is_complex_above_ten() -> None:
    found = complexity_readings("mccabe", [1, 10, 11, 30])
    assert found == {"mccabe_max": 30, "mccabe_avg": 13.0, "mccabe_high_count": 2}

"""Python code measured by libraries of the analysis environment: mass, cognitive complexity."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

from lab.analysis.syntax import WEIGHTS, Unparsable, count_python, mass
from lab.domain.metric import Reason
from lab.errors import ToolFailed
from lab.stacks.python_lint import Complexity
from lab.stacks.python_project import PythonProject
from lab.stacks.python_sources import Source
from lab.stacks.python_tools import LISTED, complexity_metrics, complexity_readings
from lab.stacks.steps import CannotMeasure, Reading, Step

VERSIONS: Mapping[str, str] = {"python-mass": "1", "python-cognitive": "1"}


def _mass(project: PythonProject) -> Reading:
    total: Counter[str] = Counter()
    for source in project.production:
        total.update(_constructs(source))
    components = {name: {"count": total[name], "weight": WEIGHTS[name]} for name in WEIGHTS}
    return Reading({"code_mass": mass(total)}, {"components": components})


def _constructs(source: Source) -> Mapping[str, int]:
    try:
        return count_python(source.content)
    except Unparsable as error:
        raise CannotMeasure(Reason.UNPARSABLE, source.path) from error


def _cognitive(project: PythonProject) -> Reading:
    found = [function for source in project.production for function in _functions(source)]
    details = {"functions": [asdict(function) for function in found[:LISTED]]}
    return Reading(complexity_readings("cognitive", [one.value for one in found]), details)


def _functions(source: Source) -> list[Complexity]:
    """Ask complexipy; its `complexipy: ignore` comments do not count, as no `noqa` does."""
    import complexipy

    text = source.content.decode("utf-8-sig", "replace")
    try:
        result = complexipy.code_complexity(text, check_script=False, no_ignore=True)
    except ValueError as error:
        raise ToolFailed("complexipy", f"{source.path}: {error}") from error
    return [
        Complexity(source.path, one.name.replace("::", "."), one.line_start, one.complexity)
        for one in result.functions
    ]


STEPS: tuple[Step[PythonProject], ...] = (
    Step("python-mass", VERSIONS["python-mass"], ("code_mass",), _mass),
    Step(
        "python-cognitive",
        VERSIONS["python-cognitive"],
        complexity_metrics("cognitive"),
        _cognitive,
    ),
)

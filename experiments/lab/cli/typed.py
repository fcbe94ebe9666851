"""Command lines that are shown to be typed: with this program's name and the lab root in use."""

import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from lab.paths import LabPaths

KEY = "lab.cli.typed"
WITHOUT_ROOT = ("import", "docs", "gateway")


def remember(context: click.Context, root: Path | None) -> None:
    """Keep how `lab` was called: its name, and --root where that was typed (not LAB_ROOT)."""
    is_typed = context.get_parameter_source("root") is ParameterSource.COMMANDLINE
    context.meta[KEY] = (context.info_name or "lab", str(root) if root and is_typed else None)


def as_typed(text: str) -> str:
    """Return a text whose every `lab COMMAND` can be copied to the shell that called us."""
    context = click.get_current_context(silent=True)
    program, root = context.meta.get(KEY, ("lab", None)) if context else ("lab", None)
    return _rewritten(text, program, root)


def as_typed_for(root: Path, text: str) -> str:
    """Return the same for another lab root than the one in use."""
    context = click.get_current_context(silent=True)
    program, _ = context.meta.get(KEY, ("lab", None)) if context else ("lab", None)
    return _rewritten(text, program, shown(root))


def shown(path: Path) -> str:
    """Return a path as it is shortest to type: relative below the current folder."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def shown_plan(paths: LabPaths, plan: Path) -> str:
    """Return how a plan is named to `lab batch`: by its bare name when it is one of the root's."""
    name = plan.stem if plan.resolve() == paths.plans / f"{plan.stem}.json" else shown(plan)
    return shlex.quote(name)


def program_name() -> str:
    """Return `lab` where the shell would find this very program, else the path to it."""
    own = Path(sys.executable).parent / "lab"
    found = shutil.which("lab")
    if not own.exists() or (found and Path(found).parent.resolve() == own.parent.resolve()):
        return "lab"
    return shown(own)


def _rewritten(text: str, program: str, root: str | None) -> str:
    option = f" --root {shlex.quote(root)}" if root else ""
    program = shlex.quote(program)
    return _pattern(_names()).sub(
        lambda found: f"{program}{'' if found[1] in WITHOUT_ROOT else option} {found[1]}", text
    )


def _names() -> Sequence[str]:
    from lab.cli.main import COMMANDS

    return tuple(COMMANDS)


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/.-])lab ({'|'.join(map(re.escape, names))})(?![\w-])")

"""`lab docs`: the generated blocks of the documentation, written or checked."""

import difflib
import re
from collections.abc import Callable
from pathlib import Path

import click

from lab.errors import LabError
from lab.paths import LabPaths

PAGES = ("README.md", "CLAUDE.md", "site/docs/metrics.md", "site/docs/commands.md")
BLOCK = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@click.command(help="Write the generated blocks of the documentation.")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 where a block is stale.")
@click.pass_obj
def command(paths: LabPaths, check: bool) -> None:
    stale = []
    for page in PAGES:
        path = paths.repository / page
        text = path.read_text(encoding="utf-8")
        fresh = BLOCK.sub(lambda found: _filled(paths, found), text)
        if fresh == text:
            continue
        if check:
            stale.append(f"{page}: a stale generated block (run: make docs)\n{_diff(text, fresh)}")
        else:
            path.write_text(fresh, encoding="utf-8")
            click.echo(f"wrote {page}")
    if stale:
        raise LabError(stale)


def _filled(paths: LabPaths, found: re.Match[str]) -> str:
    name = found.group(2)
    if name not in BLOCKS:
        raise LabError(f"unknown generated block {name}; known: {', '.join(BLOCKS)}")
    return f"{found.group(1)}{BLOCKS[name](paths)}\n{found.group(3)}"


def _diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return "\n".join(list(lines)[2:12])


def _commands(paths: LabPaths) -> str:
    from lab.cli.main import COMMANDS

    scripts = _scripts(paths)
    rows = [
        f"| `lab {name}` | {', '.join(scripts.get(name, []))} | {about} |"
        for name, (_, about) in COMMANDS.items()
    ]
    return "\n".join(["| command | script | what it does |", "|---|---|---|", *rows])


def _scripts(paths: LabPaths) -> dict[str, list[str]]:
    """Map a subcommand to the scripts that call it."""
    found: dict[str, list[str]] = {}
    for folder in ("experiments", "docker"):
        for path in sorted((paths.repository / folder).glob("*.*")):
            if path.suffix not in (".py", ".sh"):
                continue
            text = path.read_text(encoding="utf-8")
            named = re.search(r'run\("([a-z-]+)"\)|entry\.py" ([a-z-]+)', text)
            if named:
                subcommand = named.group(1) or named.group(2)
                found.setdefault(subcommand, []).append(f"`{folder}/{path.name}`")
    return found


def _usage(_: LabPaths) -> str:
    from lab.cli.main import COMMANDS, lab

    context = click.Context(lab, info_name="lab", max_content_width=90, **lab.context_settings)
    context.terminal_width = 90
    parts = [f"## lab\n\n```text\n{lab.get_help(context)}\n```\n"]
    for name in COMMANDS:
        found = lab.get_command(context, name)
        if found is not None:
            inner = click.Context(found, info_name=name, parent=context, max_content_width=90)
            inner.terminal_width = 90
            parts.append(f"## lab {name}\n\n```text\n{found.get_help(inner)}\n```\n")
    return "\n".join(parts)


def _metrics(paths: LabPaths) -> str:
    from lab.store.registry import read_registry

    head = ["| id | term | kind | unit | better | meaning |", "|---|---|---|---|---|---|"]
    rows = [
        f"| `{row.id}` | {row.term or '-'} | {row.kind} | {row.unit} | {row.direction} "
        f"| {' '.join(row.description.split())} |"
        for row in read_registry(paths).rows
    ]
    return "\n".join([*head, *rows])


def _rooms(paths: LabPaths) -> str:
    rooms = sorted((paths.repository / "experiments" / "lab").glob("*/__init__.py"))
    return "\n".join(f"- `{path.parent.name}/`: {_docstring(path)}" for path in rooms)


def _docstring(path: Path) -> str:
    return path.read_text(encoding="utf-8").split('"""')[1].strip().splitlines()[0]


BLOCKS: dict[str, Callable[[LabPaths], str]] = {
    "commands": _commands,
    "usage": _usage,
    "metrics": _metrics,
    "rooms": _rooms,
}

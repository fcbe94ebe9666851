"""What the three-line scripts call: run a subcommand, from any folder, in the right Python."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
NEEDED = (
    "click",
    "docker",
    "jinja2",
    "jsonschema",
    "orjson",
    "pandas",
    "rich",
    "scipy",
    "statsmodels",
    "yaml",
)


def run(*subcommand: str) -> None:
    """Run `lab SUBCOMMAND ...` with this script's arguments.

    If any package is missing, start again with the project's .venv before anything is begun; if
    that does not help either, print the one line that does.
    """
    missing = next((name for name in NEEDED if find_spec(name) is None), None)
    if missing:
        _restart(missing)
    from lab.cli.main import main

    main([*subcommand, *sys.argv[1:]])


def _restart(missing: str) -> None:
    python = PROJECT / ".venv" / "bin" / "python"
    if python.exists() and Path(sys.prefix) != PROJECT / ".venv":
        os.execv(python, [str(python), *sys.argv])
    sys.exit(f"error: the Python package {missing} is missing (run: make setup)")

"""What the three-line scripts call: run a subcommand, from any folder, in the right Python."""

import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


def run(*subcommand: str) -> None:
    """Run `lab SUBCOMMAND ...` with this script's arguments.

    If a package is missing, start again with the project's .venv; if that does not help either,
    print the one line that does.
    """
    try:
        from lab.cli.main import main
    except ModuleNotFoundError as error:
        _restart(error)
    main([*subcommand, *sys.argv[1:]])


def _restart(error: ModuleNotFoundError) -> None:
    python = PROJECT / ".venv" / "bin" / "python"
    if python.exists() and Path(sys.prefix) != PROJECT / ".venv":
        os.execv(python, [str(python), *sys.argv])
    sys.exit(f"error: the Python package {error.name} is missing (run: make setup)")

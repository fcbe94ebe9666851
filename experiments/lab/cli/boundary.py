"""Where errors become exit codes: 1 mendable, 2 usage, 3 our bug with a log, 130 Ctrl-C."""

import errno
import sys
import traceback
from datetime import UTC, datetime

import click

from lab.errors import LabError, ToolFailed
from lab.paths import cache_root

MENDABLE = 1
USAGE = 2
BUG = 3
INTERRUPTED = 130
# What the machine refuses is for its owner to mend; any other OSError is a case that we missed.
MACHINE_FAULTS = frozenset(
    (
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENAMETOOLONG,
        errno.ELOOP,
        errno.EMFILE,
    )
)


def guarded(command: click.Command, arguments: list[str], program: str = "lab") -> int:
    """Run a command and return its exit code; every fault becomes one clear line."""
    try:
        result = command.main(args=arguments, prog_name=program, standalone_mode=False)
        return result if isinstance(result, int) else 0
    except LabError as error:
        for fault in error.faults:
            print(f"error: {fault}", file=sys.stderr)
        return MENDABLE
    except ToolFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return MENDABLE
    except click.ClickException as error:
        error.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001  the boundary itself: the rest is our bug
        return _unexpected(error, arguments)


def _unexpected(error: Exception, arguments: list[str]) -> int:
    """Say what the machine refused; log anything else as a bug. Returns the exit code."""
    if isinstance(error, OSError) and error.errno in MACHINE_FAULTS:
        print(f"error: {error.filename or 'the output'}: {error.strerror}", file=sys.stderr)
        return MENDABLE
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("lab"):
        told = f"error: the Python package {error.name} is missing (run: make setup)"
        print(told, file=sys.stderr)
        return MENDABLE
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    told = f"lab {' '.join(arguments)}\n\n{traceback.format_exc()}"
    log = cache_root() / "logs" / f"bug-{now}.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(told, encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        print(f"{told}no log: {log}: {fault.strerror}", file=sys.stderr)
        print("internal error: this is a bug of the lab; details above", file=sys.stderr)
        return BUG
    print(f"internal error: this is a bug of the lab; details in {log}", file=sys.stderr)
    return BUG

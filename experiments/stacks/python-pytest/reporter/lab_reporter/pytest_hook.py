"""Where pytest passes in every version: `_prepareconfig`, wrapped; nothing can switch that off."""

import functools
import os
import sys

from lab_reporter import suite
from lab_reporter.watch import attempt

# Asked for on the command line these are no suite invocations (`-h` and its like).
LISTINGS = {"--co", "--collect-only", "-h", "--help", "--version", "-V", "--fixtures", "--funcargs"}
LISTINGS |= {"--fixtures-per-test", "--markers", "--setup-plan", "--setup-only", "--cache-show"}


def hook(module):
    """Wrap `_pytest.config._prepareconfig`, once."""
    original = module._prepareconfig
    if getattr(original, "is_lab_reporter", False):
        return

    @functools.wraps(original)
    def _prepareconfig(*positional, **named):
        started = attempt(begin, positional, named)
        try:
            config = original(*positional, **named)
        except BaseException as error:
            attempt(could_not_start, started, error)
            raise
        attempt(follow, started, config)
        return config

    _prepareconfig.is_lab_reporter = True
    module._prepareconfig = _prepareconfig


def begin(positional, named):
    """Tell the start, before a conftest of the workspace is imported; None = nothing to tell."""
    given = positional[0] if positional else named.get("args")
    arguments = sys.argv[1:] if given is None else given
    if isinstance(arguments, (str, os.PathLike)):
        arguments = [os.fspath(arguments)]
    return start([str(argument) for argument in arguments])


def start(arguments):
    """Tell the start of a suite with these arguments; a listing only tells that we are loaded."""
    if is_listing(arguments) or is_listing(os.environ.get("PYTEST_ADDOPTS", "").split()):
        from lab_reporter import outlet

        if "LAB_REPORTER_REPORT" not in os.environ and suite.current() is None:
            outlet.tell_loaded()
        return None
    import _pytest

    return suite.begin("pytest", getattr(_pytest, "__version__", None), arguments)


def is_listing(arguments):
    """Tell whether the arguments ask for a listing; what follows `--` is no option."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(argument in LISTINGS for argument in options)


def could_not_start(started, error):
    """End a suite that never got a configuration: broken code, or a wrong flag."""
    if started is None:
        return
    kinds = [type(cause).__name__ for cause in causes(error)]
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        broken = "died" if "ConftestImportFailure" in kinds else None
    else:
        broken = None if kinds[0] == "UsageError" else "does-not-compile"
    if broken is None:
        started.withdraw(f"{kinds[0]}: {error}")
        return
    verdict = {"result": broken, "tests": [], "partial": False, "partial_reasons": []}
    verdict.update({"exit_code": 4, "tampered": []})
    errors = [{"id": str(getattr(error, "path", "")), "message": str(error)[:500]}]
    started.finish(verdict, {"collection_errors": errors})


def causes(error):
    """Yield an error and what it came from."""
    while error is not None:
        yield error
        error = getattr(error, "cause", None) or error.__cause__


def follow(started, config):
    """Attach to a configuration: as the suite's reporter, or as an xdist worker's witness."""
    from lab_reporter import pytest_session

    if started is not None:
        pytest_session.attach(started, config)
    elif "PYTEST_XDIST_WORKER" in os.environ:
        pytest_session.attach_worker(config)

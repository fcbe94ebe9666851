"""The reporter as a plain pytest plugin (`-p lab_reporter.plugin`): the weakest route.

Used where the interpreter is not ours and no variable reaches it. Where another route is at work
already this one does nothing.
"""

import sys

from _pytest.config import hookimpl

import lab_reporter
from lab_reporter import pytest_hook, suite
from lab_reporter.watch import attempt

_started = []


@hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, args):
    """Tell the start before the first conftest is imported, and a conftest that is broken."""
    if suite.current() is None and lab_reporter.route() is None:
        setattr(sys, lab_reporter.ROUTE, "plugin")
        _started.append(attempt(pytest_hook.start, list(args)))
    outcome = yield
    if _started and outcome.excinfo is not None:
        attempt(pytest_hook.could_not_start, _started.pop(), outcome.excinfo[1])


@hookimpl(tryfirst=True)
def pytest_configure(config):
    if _started:
        attempt(pytest_hook.follow, _started.pop(), config)
        sys.__dict__.pop(lab_reporter.ROUTE, None)

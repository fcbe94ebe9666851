"""Where unittest's own runner passes: TestProgram.createTests, then runTests."""

import functools
import sys

from lab_reporter import suite, unittest_session, verdict
from lab_reporter.watch import attempt


def hook(module):
    """Wrap the two steps of `unittest.main.TestProgram`, once."""
    program = module.TestProgram
    if getattr(program.runTests, "is_lab_reporter", False):
        return
    program.createTests = _load(program.createTests)
    program.runTests = _run(program.runTests)


def _load(original):
    @functools.wraps(original)
    def createTests(self, *arguments, **named):  # noqa: N802  unittest's own name
        self._lab_suite = attempt(_begin, self)
        try:
            return original(self, *arguments, **named)
        except BaseException as error:
            attempt(_broke, self, error)
            raise

    return createTests


def _run(original):
    @functools.wraps(original)
    def runTests(self):  # noqa: N802  unittest's own name
        started = getattr(self, "_lab_suite", None) or attempt(_begin, self)
        follower = attempt(_follow, started, self)
        if follower is None:
            return original(self)
        try:
            original(self)
        except KeyboardInterrupt:
            attempt(follower.finish, verdict.DIED)
            raise
        finally:
            attempt(follower.finish, None)
        return None

    runTests.is_lab_reporter = True
    return runTests


def _begin(program):
    version = ".".join(map(str, sys.version_info[:3]))
    return suite.begin("unittest", version, sys.argv[1:])


def _follow(started, program):
    return None if started is None else unittest_session.Follower(started, program)


def _broke(program, error):
    """End a suite whose tests could not even be loaded."""
    started = program._lab_suite
    if started is None:
        return
    is_usage = isinstance(error, SystemExit)
    if is_usage:
        started.withdraw("usage error")
        return
    started.finish(unittest_session.told(verdict.DOES_NOT_COMPILE, [], [], 1), {})

"""Where unittest's own runner passes: TestProgram.createTests, then runTests.

pytest imports unittest as well, so what only a unittest program needs is imported when one runs.
"""

import functools
import sys

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
            attempt(follower.finish, "died")
            raise
        finally:
            attempt(follower.finish, None)
        return None

    runTests.is_lab_reporter = True
    return runTests


def _begin(program):
    from lab_reporter import suite

    version = ".".join(map(str, sys.version_info[:3]))
    return suite.begin("unittest", version, sys.argv[1:])


def _follow(started, program):
    if started is None:
        return None
    from lab_reporter import unittest_session

    return unittest_session.Follower(started, program)


def _broke(program, error):
    """End a suite whose tests could not even be loaded."""
    started = program._lab_suite
    if started is None:
        return
    if isinstance(error, SystemExit):
        started.withdraw("usage error")
        return
    from lab_reporter import unittest_session

    started.finish(unittest_session.told("does-not-compile", [], [], 1), {})

"""Follows one unittest program from its loaded tests to its end."""

import functools
import os
import sys

from lab_reporter import verdict
from lab_reporter.watch import attempt

DEFAULT_PATTERN = "test*.py"


def told(ended, tests, reasons, exit_code):
    """Return the body of a finish."""
    body = {"result": ended, "tests": tests, "partial": bool(reasons)}
    body.update({"partial_reasons": reasons, "exit_code": exit_code, "tampered": []})
    return body


def flat(tests):
    """Yield the test cases of nested suites."""
    try:
        parts = iter(tests)
    except TypeError:
        yield tests
        return
    for part in parts:
        yield from flat(part)


class Follower:
    """Gathers the status of every test of one unittest program."""

    def __init__(self, started, program):
        from unittest.case import TestCase

        self.suite = started
        self.program = program
        self.statuses = {}
        self.tests = [test for test in flat(program.test) if test is not None]
        self.names = {id(test): self._id(test) for test in self.tests}
        self.case = TestCase
        self.original = TestCase.run
        TestCase.run = self._watched(TestCase.run)

    def _watched(self, original):
        follower = self

        @functools.wraps(original)
        def run(test, result=None):
            if result is None or id(test) not in follower.names:
                return original(test, result)
            before = counts(result)
            try:
                return original(test, result)
            finally:
                attempt(follower.take, test, before, counts(result))

        return run

    def take(self, test, before, after):
        """Note what one test added to the result's lists: the runner may be of any class."""
        self.statuses[id(test)] = status_of(before, after)
        self.suite.heartbeat(len(self.statuses))

    def finish(self, ended):
        if self.suite.is_over:
            return
        self.case.run = self.original
        result = getattr(self.program, "result", None)
        self._take_holders(result)
        missing = self._missing()
        if missing == "file":
            self.suite.withdraw("usage error: no such test file")
            return
        ended = ended or (verdict.DIED if result is None else verdict.NAMED)
        if missing == "broken":
            ended = verdict.DOES_NOT_COMPILE
        tests = []
        if ended == verdict.NAMED:
            tests = [
                [self.names[key], status]
                for key, status in self.statuses.items()
                if self.names[key] is not None
            ]
        is_green = result is not None and result.wasSuccessful()
        seconds = {"seconds": [None] * len(tests), "collection_errors": self._errors()}
        self.suite.finish(told(ended, tests, self._reasons(), int(not is_green)), seconds)

    def _missing(self):
        """Return "broken" for a test module that does not import, "file" for one not there."""
        failed = self._unloaded()
        if not failed:
            return None
        return "broken" if any(self._is_there(test) for test in failed) else "file"

    def _is_there(self, test):
        """Tell whether a test that could not be loaded belongs to a file of the workspace."""
        named = getattr(test, "_testMethodName", "")
        if self._is_discovery():
            return True
        given = [name for name in self.program.testNames or () if named in name]
        return any(self._file_of(name) for name in given) or not given

    def _file_of(self, name):
        if name.endswith(".py"):
            return os.path.exists(name)
        parts = name.split(".")
        tails = (os.path.join(*parts[:size]) for size in range(1, len(parts) + 1))
        return any(os.path.isfile(tail + ".py") for tail in tails)

    def _errors(self):
        return [
            {"id": test.id(), "message": str(getattr(test, "_exception", ""))[-500:]}
            for test in self._unloaded()
        ]

    def _unloaded(self):
        """Return the stand-ins that unittest makes for modules and names it could not load."""
        return [test for test in self.tests if type(test).__name__ == "_FailedTest"]

    def _take_holders(self, result):
        """Give the tests of a class or module whose set-up failed the status that came of it."""
        held = []
        for name, status in (("errors", "failed"), ("skipped", "skipped")):
            for test, _ in getattr(result, name, ()):
                if type(test).__name__ == "_ErrorHolder":
                    held.append((test.id(), status))
        for test in self.tests:
            for text, status in held:
                if id(test) not in self.statuses and _holds(text, test):
                    self.statuses[id(test)] = status

    def _reasons(self):
        program = self.program
        pattern = getattr(program, "pattern", None) or DEFAULT_PATTERN
        reasons = (
            ("k", getattr(program, "testNamePatterns", None)),
            ("args", not self._is_discovery() and not self._is_whole()),
            ("pattern", self._is_discovery() and pattern != DEFAULT_PATTERN),
            ("stopped", len(self.statuses) < len(self.tests)),
        )
        return [name for name, holds in reasons if holds]

    def _is_discovery(self):
        return self.program.module is None and not getattr(self.program, "testNames", None)

    def _is_whole(self):
        """Tell whether the files of these tests are all the test files of the workspace."""
        ran = {name[0] for name in self.names.values() if name}
        files = verdict.suite_files(self.suite.files, ["."], [DEFAULT_PATTERN])
        names = getattr(self.program, "testNames", None) or ()
        is_by_class = any("." in name and not self._file_of_module(name) for name in names)
        return not is_by_class and all(file in ran for file in files)

    def _file_of_module(self, name):
        return name.endswith(".py") or os.path.isfile(os.path.join(*name.split(".")) + ".py")

    def _id(self, test):
        """Return [file, class..., method]; None for a test that stands for a failed import."""
        kind = type(test)
        if kind.__name__ == "_FailedTest":
            return None
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None) or kind.__module__
        path = verdict.relative(file, os.getcwd(), self.suite.workspace)
        leaf = getattr(test, "_testMethodName", None) or test.id()
        return [path] + kind.__qualname__.split(".") + [leaf]


def _holds(text, test):
    """Tell whether "setUpClass (module.Class)" or "setUpModule (module)" is about a test."""
    place = text.partition("(")[2].rstrip(")")
    kind = type(test)
    return place in (kind.__module__, f"{kind.__module__}.{kind.__qualname__}")


LISTS = ("failures", "errors", "unexpectedSuccesses", "skipped", "expectedFailures")


def counts(result):
    """Return the lengths of a result's lists, in the order of LISTS."""
    return tuple(len(getattr(result, name, ())) for name in LISTS)


def status_of(before, after):
    """Return a test's status from the lists that grew while it ran."""
    grown = [name for name, old, new in zip(LISTS, before, after) if new > old]
    if not grown:
        return "passed"
    return "failed" if grown[0] in LISTS[:3] else "skipped"

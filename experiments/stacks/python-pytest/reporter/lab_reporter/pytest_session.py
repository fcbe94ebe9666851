"""Follows one pytest session from its configuration to its end."""

import os

from _pytest.config import hookimpl

from lab_reporter import verdict
from lab_reporter.watch import attempt

WITNESSED = "lab_reporter_truth"
DESELECTED = "lab_reporter_deselected"
MESSAGE_CHARACTERS = 500
SELECTING = {"testpaths", "python_files", "python_classes", "python_functions", "norecursedirs"}
REPORTED_ERRORS = 200


class Witness:
    """Notes what a test's call really did, before any other plugin can edit the report."""

    @hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        if outcome.excinfo is None:
            attempt(self._note, outcome.get_result(), call)

    def _note(self, report, call):
        if report is not None and call.excinfo is not None:
            is_skip = call.excinfo.typename in ("Skipped", "SkipTest")
            setattr(report, WITNESSED, "skipped" if is_skip else "failed")


class WorkerWitness(Witness):
    """The witness in an xdist worker; also carries the number of deselected tests across."""

    def __init__(self):
        self.deselected = 0

    def pytest_deselected(self, items):
        self.deselected += len(items)

    @hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[DESELECTED] = self.deselected


class Session(Witness):
    """Gathers the facts of one session and tells its end. One per configuration."""

    def __init__(self, suite, config):
        self.suite = suite
        self.config = config
        self.statuses = {}
        self.seconds = {}
        self.places = {}
        self.errors = []
        self.tampered = []
        self.itemcollected = 0
        self.selected = None
        self.deselected = 0
        self.is_internal_error = False
        self.is_interrupted = False
        self.has_session = False

    def pytest_sessionstart(self, session):
        self.has_session = True

    def pytest_itemcollected(self, item):
        self.itemcollected += 1

    def pytest_collectreport(self, report):
        if report.failed:
            text = str(getattr(report.longrepr, "longrepr", report.longrepr))
            message = text[-MESSAGE_CHARACTERS:]
            self.errors.append({"id": report.nodeid, "message": message})

    def pytest_deselected(self, items):
        self.deselected += len(items)

    @hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session, items):
        self.selected = len(items)

    @hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        attempt(self._take, report)

    def _take(self, report):
        node = report.nodeid
        self.seconds[node] = self.seconds.get(node, 0.0) + getattr(report, "duration", 0.0)
        status = self._status(report)
        if status is not None:
            self.statuses[node] = verdict.worst(self.statuses.get(node), status)
        if report.when == "teardown":
            self.suite.heartbeat(len(self.statuses))

    def _status(self, report):
        """Return what a report says about its test; None where it says nothing."""
        if report.outcome not in verdict.RANK:
            return None
        if report.when != "call" and report.outcome == "passed":
            return self._edited(report)
        if hasattr(report, "wasxfail"):
            return "skipped" if report.skipped else "failed"
        return self._edited(report) or report.outcome

    def _edited(self, report):
        """Return "failed" where a failure was turned into a pass, None elsewhere."""
        is_edited = report.outcome == "passed" and getattr(report, WITNESSED, None) == "failed"
        if not is_edited or hasattr(report, "wasxfail"):
            return None
        self._suspect("report outcome changed")
        return "failed"

    def _suspect(self, what):
        if what not in self.tampered:
            self.tampered.append(what)

    def pytest_internalerror(self, excrepr, excinfo):
        self.is_internal_error = True

    def pytest_keyboard_interrupt(self, excinfo):
        self.is_interrupted = excinfo.typename == "KeyboardInterrupt"

    @hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        counted = getattr(node, "workeroutput", None) or {}
        self.deselected = max(self.deselected, counted.get(DESELECTED, 0))

    @hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        yield
        attempt(self._finish, session, int(exitstatus))

    def _finish(self, session, exit_code):
        if int(session.exitstatus) != exit_code:
            self._suspect("exit code changed")
        facts = {
            "collection_errors": self.errors,
            "is_listing": self._is_listing(),
            "exit_code": exit_code,
            "is_internal_error": self.is_internal_error,
            "is_interrupted": self.is_interrupted,
        }
        ended = verdict.result(facts)
        if ended == verdict.WITHDRAWN:
            self.suite.withdraw("a listing" if facts["is_listing"] else "usage error")
            return
        reasons = self._partial_reasons(session, ended)
        self.tell_end(ended, exit_code, reasons)

    def tell_end(self, ended, exit_code, reasons):
        tests = []
        if ended == verdict.NAMED:
            tests = [[self._id(node), status] for node, status in self.statuses.items()]
        told = {"result": ended, "tests": tests, "partial": bool(reasons)}
        told.update({"partial_reasons": reasons, "exit_code": exit_code})
        told["tampered"] = self.tampered
        details = {"collection_errors": self.errors[:REPORTED_ERRORS]}
        details["seconds"] = [round(self.seconds.get(node, 0.0), 6) for node in self.statuses]
        self.suite.finish(told, details)

    def _id(self, node):
        parts = verdict.split_id(node)
        file = parts[0]
        if file not in self.places:
            root = str(self.config.rootpath)
            self.places[file] = verdict.relative(file, root, self.suite.workspace)
        parts[0] = self.places[file]
        return parts

    def _is_listing(self):
        names = ("collectonly", "showfixtures", "show_fixtures_per_test", "setupplan", "setuponly")
        return any(self._option(name) for name in names)

    def _option(self, name):
        return self.config.getoption(name, None)

    def _partial_reasons(self, session, ended):
        ignored = self._option("ignore") or self._option("ignore_glob")
        kept = self.itemcollected - self.deselected
        collected = session.testscollected
        reasons = (
            ("k", self._option("keyword")),
            ("m", self._option("markexpr")),
            ("lf", self._option("lf")),
            ("sw", self._option("stepwise")),
            ("deselected", self.deselected),
            ("ignore", ignored),
            ("override", self._has_override()),
            ("args", not self._is_whole()),
            ("dropped", self.selected is not None and self.selected < kept),
            ("stopped", ended == verdict.NAMED and len(self.statuses) < collected),
        )
        return [name for name, holds in reasons if holds]

    def _has_override(self):
        """Tell whether `-o` changes which tests there are."""
        given = self._option("override_ini") or ()
        return any(setting.partition("=")[0].strip() in SELECTING for setting in given)

    def _is_whole(self):
        """Tell whether the arguments cover every test file that a plain `pytest` would run."""
        config = self.config
        arguments = [str(argument) for argument in config.args]
        if any("::" in argument for argument in arguments):
            return False
        workspace = self.suite.workspace
        base = str(config.invocation_params.dir)
        root = str(config.rootpath)
        roots = [verdict.relative(path, root, workspace) for path in config.getini("testpaths")]
        present = [path for path in roots if os.path.exists(os.path.join(workspace, path))]
        expected = verdict.suite_files(
            self.suite.files, present or ["."], config.getini("python_files")
        )
        given = [verdict.relative(argument, base, workspace) for argument in arguments]
        return verdict.covers(given, expected)

    def end_without_finish(self):
        """Tell the end of a suite whose session never finished: it died, or there was none."""
        if self.has_session:
            self.tell_end(verdict.DIED, 3, [])
        else:
            self.suite.withdraw("no session")


def attach(suite, config):
    """Register under a random name, so that nobody can block it, and stay registered."""
    session = Session(suite, config)
    manager = config.pluginmanager
    manager.register(session, "session-" + suite.session)
    _stay(manager, session)
    config.add_cleanup(lambda: attempt(session.end_without_finish))


def attach_worker(config):
    """Register the witness of an xdist worker."""
    config.pluginmanager.register(WorkerWitness(), "witness-" + os.urandom(8).hex())


def _stay(manager, session):
    """Refuse to be unregistered while the suite runs, and note the attempt."""
    original = manager.unregister

    def unregister(plugin=None, name=None):
        is_ours = plugin is session or (name is not None and manager.get_plugin(name) is session)
        if is_ours and not session.suite.is_over:
            session._suspect("reporter unregistered")
            return session
        return original(plugin, name)

    manager.unregister = unregister

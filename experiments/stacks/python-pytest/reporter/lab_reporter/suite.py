"""One suite invocation, whatever the runner: started, heartbeats, then finished or withdrawn."""

import json
import os
import time

from lab_reporter import files, outlet, place, route

HEARTBEAT_SECONDS = 20.0

_current = {"suite": None}


def current():
    """Return the suite that is being reported in this process, or None."""
    return _current["suite"]


class Suite:
    """Tells one invocation: to the event sink, or into a report file."""

    def __init__(self, runner, version, arguments):
        self.runner = runner
        self.version = version
        self.arguments = [str(argument) for argument in arguments]
        self.session = os.urandom(8).hex()
        self.pid = os.getpid()
        self.report = os.environ.get("LAB_REPORTER_REPORT")
        self.workspace = outlet.workspace()
        self.files = files.hashes(self.workspace)
        self.started = self.last_told = time.monotonic()
        self.is_over = False

    def start(self):
        """Tell the start; what happens after it is part of this suite, other processes too."""
        _current["suite"] = self
        os.environ[place.SUITE_VARIABLE] = str(self.pid)
        if self.report:
            self._write_report({"result": "died", "tests": []}, {})
            return
        outlet.tell(
            "started",
            {
                "session": self.session,
                "pid": self.pid,
                "runner": self.runner,
                "version": self.version,
                "route": route(),
                "arguments": self.arguments,
                "files": self.files,
            },
        )

    def heartbeat(self, tests_done):
        """Tell that a long suite is alive; at most once in 20 seconds."""
        now = time.monotonic()
        if now - self.last_told >= HEARTBEAT_SECONDS and not self.report:
            self.last_told = now
            outlet.tell("heartbeat", {"session": self.session, "tests_done": tests_done})

    def finish(self, verdict, details):
        """Tell the end; `details` is for a report file only."""
        if not self._end():
            return
        if self.report:
            self._write_report(verdict, details)
        else:
            outlet.tell("finished", dict(verdict, session=self.session))

    def withdraw(self, reason):
        """Tell that no suite was run after all: a wrong flag, a listing, help."""
        if not self._end():
            return
        if self.report:
            self._write_report({"result": "withdrawn", "tests": []}, {"reason": reason})
        else:
            outlet.tell("withdrawn", {"session": self.session, "reason": reason})

    def _end(self):
        """Leave the suite; False in a forked child and after the first end."""
        if self.is_over or os.getpid() != self.pid:
            return False
        self.is_over = True
        _current["suite"] = None
        os.environ.pop(place.SUITE_VARIABLE, None)
        return True

    def _write_report(self, verdict, details):
        """Write the report file as a whole: at the start as "died", then with what came of it."""
        statuses = [status for _, status in verdict["tests"]]
        document = {
            "schema_version": 1,
            "runner": self.runner,
            "version": self.version,
            "duration_seconds": round(time.monotonic() - self.started, 6),
            "counts": {name: statuses.count(name) for name in ("passed", "failed", "skipped")},
        }
        document.update(verdict)
        document.update(details)
        temporary = f"{self.report}.{self.pid}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(document, file, default=str)
        os.replace(temporary, self.report)


def begin(runner, version, arguments):
    """Start reporting a suite; None where nothing is to be told.

    Nothing is told inside a suite that is reported already (a test that runs tests, an xdist
    worker). The preflight tells its files instead.
    """
    if "LAB_REPORTER_OFF" in os.environ or current() is not None:
        return None
    if place.is_inside_a_suite():
        return None
    is_report = "LAB_REPORTER_REPORT" in os.environ
    if not is_report:
        is_preflight = os.environ.get("LAB_PREFLIGHT") == "1"
        outlet.tell_loaded(is_preflight)
        if is_preflight:
            outlet.tell("baseline", {"files": files.hashes(outlet.workspace())})
            return None
    suite = Suite(runner, version, arguments)
    suite.start()
    return suite

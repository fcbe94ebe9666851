"""Tells the lab about every test-suite invocation of this interpreter.

Python 3.9 and later, standard library only. Nothing here may break or slow the agent's own run:
every hook is guarded, and a fault of the reporter becomes an event of its own.
Variables: LAB_REPORTER_SOCKET, LAB_REPORTER_SPOOL, LAB_REPORTER_WORKSPACE (where to tell it),
LAB_REPORTER_OFF (tell nothing), LAB_REPORTER_REPORT (write one report file instead of events),
LAB_PREFLIGHT (the untouched template is being tried).
"""

import os
import sys

ROUTE = "_lab_reporter_route"


def arm(route):
    """Watch for the test runners in this process; the first route wins."""
    if hasattr(sys, ROUTE) or "LAB_REPORTER_OFF" in os.environ:
        return
    setattr(sys, ROUTE, route)
    from lab_reporter import watch

    watch.install()


def route():
    """Return the route that armed this process, or None."""
    return getattr(sys, ROUTE, None)

"""Makes the reporter's own modules importable, for tests of its pure parts."""

import sys

from builders.suite_run import REPORTER

if str(REPORTER) not in sys.path:
    sys.path.append(str(REPORTER))

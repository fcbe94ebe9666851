"""What a suite's end means: pure rules over the facts that a runner's hooks gathered."""

import os
from fnmatch import fnmatch

NAMED = "named"
DOES_NOT_COMPILE = "does-not-compile"
DIED = "died"
WITHDRAWN = "withdrawn"
USAGE_ERROR = 4
RANK = {"skipped": 0, "passed": 1, "failed": 2}

# First rule that fits; a collection error comes first: the exit code depends on flags and xdist.
RESULTS = (
    (DOES_NOT_COMPILE, lambda facts: facts["collection_errors"]),
    (WITHDRAWN, lambda facts: facts["is_listing"] or facts["exit_code"] == USAGE_ERROR),
    (DIED, lambda facts: facts["is_internal_error"] or facts["is_interrupted"]),
    (NAMED, lambda facts: True),
)


def result(facts):
    """Return how a suite ended: NAMED, DOES_NOT_COMPILE, DIED or WITHDRAWN."""
    return next(name for name, fits in RESULTS if fits(facts))


def worst(known, status):
    """Return the worse of two statuses of one test (subtests, set-up, teardown)."""
    return status if known is None or RANK[status] > RANK[known] else known


def split_id(node_id):
    """Return the parts of a node id; what a parameter's text holds stays in the leaf."""
    head, bracket, parameters = node_id.partition("[")
    parts = head.split("::")
    parts[-1] += bracket + parameters
    return parts


def relative(path, base, workspace):
    """Return a path relative to the workspace, with forward slashes (outside it: absolute)."""
    absolute = os.path.realpath(os.path.join(base, path))
    if absolute == workspace:
        return "."
    if absolute.startswith(workspace + os.sep):
        return absolute[len(workspace) + 1 :].replace(os.sep, "/")
    return absolute


def covers(arguments, suite_files):
    """Tell whether every test file of the suite lies under one of the arguments.

    Both relative to the workspace. `pytest tests` is the whole suite when all tests lie there.
    """
    return all(any(_is_under(file, argument) for argument in arguments) for file in suite_files)


def _is_under(file, argument):
    return argument == "." or file == argument or file.startswith(argument.rstrip("/") + "/")


def suite_files(files, roots, patterns):
    """Return the test files under the suite's roots, by the runner's file name patterns."""
    return [
        path
        for path in files
        if any(fnmatch(path.rsplit("/", 1)[-1], pattern) for pattern in patterns)
        and any(_is_under(path, root) for root in roots)
    ]

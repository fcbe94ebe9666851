"""Suite events for tests: from the case notation, and as hypothesis strategies."""

from hypothesis import strategies as st
from lab.chain.cases import parse_cases
from lab.domain.event import PathClass, Result, Status, SuiteEvent, TestResult

TEST_IDS = (
    ("tests/test_a.py", "one"),
    ("tests/test_a.py", "two"),
    ("tests/test_a.py", "three"),
    ("tests/test_b.py", "one"),
    ("tests/test_verification.py", "one"),
)


def events_of(*lines: str) -> tuple[SuiteEvent, ...]:
    """Return the events of lines such as "T | a=f"."""
    (case,) = parse_cases("\n".join(("[events]", *lines)), "events")
    return case.events


def changes(*, with_other: bool = False) -> st.SearchStrategy[frozenset[PathClass]]:
    classes = [PathClass.TEST, PathClass.IMPLEMENTATION, PathClass.CONFIGURATION]
    return st.frozensets(st.sampled_from([*classes, PathClass.OTHER] if with_other else classes))


def results() -> st.SearchStrategy[tuple[TestResult, ...]]:
    """Return what a named event lists; an id may come twice."""
    one = st.builds(TestResult, st.sampled_from(TEST_IDS), st.sampled_from(list(Status)))
    return st.lists(one, max_size=7).map(tuple)


def suite_events() -> st.SearchStrategy[SuiteEvent]:
    return st.builds(
        SuiteEvent,
        changes=changes(with_other=True),
        result=st.sampled_from([Result.NAMED, Result.NAMED, Result.NAMED, *Result]),
        tests=results(),
        is_partial=st.booleans(),
    )


def streams(*, min_size: int = 0) -> st.SearchStrategy[tuple[SuiteEvent, ...]]:
    return st.lists(suite_events(), min_size=min_size, max_size=12).map(tuple)

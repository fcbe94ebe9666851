"""Comparing one column with what was expected of it."""

import pytest
from lab.domain.metric import Measurement, Reason, measured, missing
from lab.domain.truth import differs, told

BY = "chain@1"
NULL = missing(Reason.NOT_APPLICABLE, BY)


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        (1, measured(1, BY), False),
        (1, measured(1.0, BY), False),
        (1, measured(2, BY), True),
        (0.333333, measured(1 / 3, BY), False),
        (0.3333, measured(1 / 3, BY), True),
        (0, NULL, True),
        (0, None, True),
        (False, measured(0, BY), True),
        (1, measured(True, BY), True),
        (True, measured(True, BY), False),
        (True, measured(False, BY), True),
        (Reason.NOT_APPLICABLE, NULL, False),
        (Reason.NO_SOURCE, NULL, True),
        (Reason.NOT_APPLICABLE, measured(0, BY), True),
        (Reason.NOT_APPLICABLE, None, True),
    ],
)
def test_a_column_differs_in_value_kind_or_reason(
    wanted: int | float | bool | Reason, found: Measurement | None, expected: bool
) -> None:
    assert differs(wanted, found) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        (0, "0"),
        (1.0, "1"),
        (2 / 3, "0.666667"),
        (Reason.NO_SOURCE, "null (no-source)"),
        (NULL, "null (not-applicable)"),
        (measured(False, BY), "false"),
        (None, "absent"),
    ],
)
def test_a_value_is_told_as_a_person_reads_it(value: object, expected: str) -> None:
    assert told(value) == expected  # type: ignore[arg-type]

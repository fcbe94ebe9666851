"""The two documents between host and worker."""

import pytest
from lab.analysis.request import read_answer
from lab.domain.metric import Reason
from lab.errors import ToolFailed


def test_an_answer_of_another_version_has_failed() -> None:
    with pytest.raises(ToolFailed, match="version 1"):
        read_answer({"schema_version": 2})


def test_an_answer_survives_the_way_through_json() -> None:
    document = {
        "schema_version": 1,
        "metrics": {
            "a": {"value": 0, "reason": None, "by": "x@1"},
            "b": {"value": None, "reason": "no-source", "by": "x@1"},
        },
        "details": {},
        "answers": None,
    }
    metrics = read_answer(document).metrics
    assert metrics["a"].value == 0
    assert metrics["b"].reason is Reason.NO_SOURCE

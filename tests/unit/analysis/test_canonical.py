import pytest
from lab.analysis.canonical import NotJson, difference, parse

SAME = [
    ('{"a": 1, "b": [2]}', '{"b": [2], "a": 1}'),
    ("1", "1.0"),
    ("0", "-0.0"),
    ("1e2", "100"),
    ('"\\u00e9"', '"é"'),
    (" [ ] ", "[]\n"),
    ("9007199254740993", "9007199254740993"),
]
DIFFERENT = [
    ("1", "true", "$: expected 1, got true"),
    ("0", "false", "$: expected 0, got false"),
    ("1", '"1"', '$: expected 1, got "1"'),
    ("null", "0", "$: expected null, got 0"),
    ("[]", "{}", "$: expected [], got {}"),
    ("[1, 2]", "[2, 1]", "$[0]: expected 1, got 2"),
    ("[1]", "[1, 2]", "$: expected 1 elements, got 2"),
    ('{"a": {"b": 1}}', '{"a": {"b": 2}}', "$.a.b: expected 1, got 2"),
    ('{"a": 1}', "{}", '$: no "a"'),
    ("{}", '{"a": 1}', '$: unexpected "a"'),
    ("9007199254740993", "9007199254740992", None),
    ("0.1", "0.10000000000000002", None),
]


@pytest.mark.parametrize(("expected", "actual"), SAME)
def test_the_same_value_in_other_words_is_equal(expected: str, actual: str) -> None:
    assert difference(parse(expected.encode()), parse(actual.encode())) is None


@pytest.mark.parametrize(("expected", "actual", "told"), DIFFERENT)
def test_another_value_is_named_with_its_place(
    expected: str, actual: str, told: str | None
) -> None:
    found = difference(parse(expected.encode()), parse(actual.encode()))
    assert found is not None
    assert told is None or found == told


BROKEN = [
    b"",
    b"{",
    b"NaN",
    b"Infinity",
    b"\xef\xbb\xbf1",
    b"\xff",
    b"1 2",
    b"[" * 100_000,
    b"{'a': 1}",
]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_json_is_refused(content: bytes) -> None:
    with pytest.raises(NotJson):
        parse(content)


def test_a_deep_document_is_compared_without_recursion() -> None:
    wanted: list[object] = []
    got: list[object] = [1]
    for _ in range(5000):
        wanted, got = [wanted], [got]
    assert difference(wanted, got) is not None

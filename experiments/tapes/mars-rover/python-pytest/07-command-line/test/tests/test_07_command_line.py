import json

from cli import answer

QUESTION = {
    "map": {"width": 4, "height": 3},
    "rover": {"x": 3, "y": 1, "heading": "E"},
    "obstacles": [[1, 1]],
    "commands": "FFLF",
}


def test_a_document_is_answered_with_the_last_state():
    expected = {"rover": {"x": 0, "y": 1, "heading": "E"}, "obstacle": [1, 1]}
    assert json.loads(answer(json.dumps(QUESTION))) == expected

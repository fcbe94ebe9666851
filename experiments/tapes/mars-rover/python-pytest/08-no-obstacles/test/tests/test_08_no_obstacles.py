import json

from cli import answer

QUESTION = {
    "map": {"width": 2, "height": 2},
    "rover": {"x": 0, "y": 0, "heading": "N"},
    "commands": "B",
}


def test_a_map_without_obstacles_needs_no_list():
    expected = {"rover": {"x": 0, "y": 1, "heading": "N"}, "obstacle": None}
    assert json.loads(answer(json.dumps(QUESTION))) == expected

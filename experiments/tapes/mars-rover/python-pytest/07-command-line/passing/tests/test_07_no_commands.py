import json

from cli import answer


def test_without_commands_a_rover_stays_where_it_is():
    rover = {"x": 1, "y": 1, "heading": "W"}
    question = {"map": {"width": 2, "height": 2}, "rover": rover, "obstacles": [], "commands": ""}
    assert json.loads(answer(json.dumps(question))) == {"rover": rover, "obstacle": None}

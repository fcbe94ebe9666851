import json
import sys

from rover import drive


def answer(text):
    question = json.loads(text)
    start = question["rover"]
    (x, y), heading, obstacle = drive(
        (start["x"], start["y"]),
        start["heading"],
        question["commands"],
        (question["map"]["width"], question["map"]["height"]),
        {tuple(point) for point in question.get("obstacles", [])},
    )
    return json.dumps({"rover": {"x": x, "y": y, "heading": heading}, "obstacle": obstacle})


if __name__ == "__main__":
    print(answer(sys.stdin.read()))

import json
import sys

from rover import drive


def answer(text):
    (x, y), heading, obstacle = drive(*parse(text))
    return json.dumps({"rover": {"x": x, "y": y, "heading": heading}, "obstacle": obstacle})


def parse(text):
    question = json.loads(text)
    start, area = question["rover"], question["map"]
    obstacles = {tuple(point) for point in question.get("obstacles", [])}
    position, size = (start["x"], start["y"]), (area["width"], area["height"])
    return position, start["heading"], question["commands"], size, obstacles


if __name__ == "__main__":
    print(answer(sys.stdin.read()))

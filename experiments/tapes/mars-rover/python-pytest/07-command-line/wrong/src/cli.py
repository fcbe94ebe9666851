import json
import sys

from rover import drive


def answer(text)
    question = json.loads(text)
    start = question["rover"]
    return drive((start["x"], start["y"]), start["heading"], question["commands"])


if __name__ == "__main__":
    print(answer(sys.stdin.read()))

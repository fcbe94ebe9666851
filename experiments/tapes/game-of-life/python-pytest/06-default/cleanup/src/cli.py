import json
import sys

from simulation import evolve


def answer(text):
    cells, generations = parse(text)
    return json.dumps({"cells": sorted(evolve(cells, generations))})


def parse(text):
    question = json.loads(text)
    return {tuple(cell) for cell in question["cells"]}, question.get("generations", 1)


if __name__ == "__main__":
    print(answer(sys.stdin.read()))

import json
import sys

from simulation import evolve


def answer(text):
    question = json.loads(text)
    cells = {tuple(cell) for cell in question["cells"]
    return json.dumps({"cells": sorted(evolve(cells, question["generations"]))})


if __name__ == "__main__":
    print(answer(sys.stdin.read()))

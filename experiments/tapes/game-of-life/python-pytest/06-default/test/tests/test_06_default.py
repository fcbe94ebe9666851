import json

from cli import answer


def test_one_generation_is_the_default():
    question = {"cells": [[0, 1], [1, 1], [2, 1]]}
    assert json.loads(answer(json.dumps(question))) == {"cells": [[1, 0], [1, 1], [1, 2]]}

import json

from cli import answer


def test_no_generation_changes_nothing():
    question = {"cells": [[3, -1]], "generations": 0}
    assert json.loads(answer(json.dumps(question))) == {"cells": [[3, -1]]}

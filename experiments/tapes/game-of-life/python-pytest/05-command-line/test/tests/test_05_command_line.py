import json

from cli import answer


def test_a_document_is_answered_with_the_cells_in_order():
    question = {"cells": [[1, 2], [1, 0], [1, 1]], "generations": 2}
    assert json.loads(answer(json.dumps(question))) == {"cells": [[1, 0], [1, 1], [1, 2]]}

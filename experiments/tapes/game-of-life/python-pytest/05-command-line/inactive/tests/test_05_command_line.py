import pytest


@pytest.mark.skip(reason="on the test list")
def test_a_document_is_answered_with_the_cells_in_order():
    pass

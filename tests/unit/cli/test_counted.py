import pytest
from lab.cli.counted import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1850, "1,850 runs")]
)
def test_one_thing_is_singular(number: int, said: str) -> None:
    assert counted(number, "run") == said

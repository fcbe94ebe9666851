"""Coverage: a run counts in the first cell that it matches, and only ok runs are usable."""

import random

from builders.pools import identity
from lab.domain.cell import Cell, matches
from lab.domain.coverage import cover, group_runs
from lab.domain.outcome import is_replicate
from lab.domain.run import RunIdentity

CELL = Cell("game-of-life", "prose", ("w1",), ("m1", "m2"), "python-pytest")


def run(number: int, **changes: object) -> RunIdentity:
    return identity(f"r{number:03d}", **({"workflow": "w1", "model": "m1"} | changes))


def test_runs_of_all_alternatives_count_and_are_sorted() -> None:
    runs = [run(3), run(1, model="m2"), run(2, exit_reason="timeout"), run(4, model="m3")]
    (found,) = cover([CELL], group_runs(runs))
    assert [each.run_id for each in found.runs] == ["r001", "r002", "r003"]
    assert found.usable == 2
    assert [each.run_id for each in found.failures] == ["r002"]


def test_missing_never_falls_below_zero() -> None:
    (found,) = cover([CELL], group_runs([run(1), run(2)]))
    assert [found.missing(wanted) for wanted in (0, 2, 5)] == [0, 0, 3]


def test_a_cell_without_a_stack_takes_runs_of_any() -> None:
    anywhere = Cell("game-of-life", "prose", ("w1",), ("m1",), None)
    (found,) = cover(
        [anywhere], group_runs([run(1), run(2, stack="rust-cargo"), run(3, stack=None)])
    )
    assert len(found.runs) == 3


def test_versions_split_the_runs_of_one_key() -> None:
    cells = [
        Cell("game-of-life", "prose", ("w1",), ("m1",), "python-pytest", harness_version=version)
        for version in ("1.0", "unrecorded")
    ]
    groups = group_runs([run(1), run(2, harness_version=None), run(3, harness_version="2.0")])
    assert [[each.run_id for each in found.runs] for found in cover(cells, groups)] == [
        ["r001"],
        ["r002"],
    ]


def test_a_run_that_two_cells_match_counts_in_the_first() -> None:
    first, second = cover([CELL, CELL], group_runs([run(1), run(2)]))
    assert (len(first.runs), len(second.runs)) == (2, 0)


def test_grouping_agrees_with_comparing_every_pair() -> None:
    chance = random.Random(20260501)
    for _ in range(100):
        cells = [_any_cell(chance) for _ in range(chance.randrange(1, 8))]
        runs = [_any_run(chance, number) for number in range(chance.randrange(0, 40))]
        expected: list[list[str]] = [[] for _ in cells]
        for each in runs:
            fitting = [number for number, cell in enumerate(cells) if matches(cell, each)]
            if fitting:
                expected[fitting[0]].append(each.run_id)
        found = cover(cells, group_runs(runs))
        assert [[each.run_id for each in part.runs] for part in found] == expected
        for part in found:
            assert part.usable == sum(is_replicate(each.exit_reason) for each in part.runs)


def _any_cell(chance: random.Random) -> Cell:
    def some(letter: str) -> tuple[str, ...]:
        return tuple(f"{letter}{n}" for n in chance.sample(range(3), chance.randrange(1, 3)))

    return Cell(
        "game-of-life",
        chance.choice(["prose", "user-story"]),
        some("w"),
        some("m"),
        chance.choice([None, "python-pytest", "rust-cargo"]),
        chance.choice([None, None, "1.0", "unrecorded"]),
        chance.choice([(), (), (("prompt_sha", "a" * 64),)]),
    )


def _any_run(chance: random.Random, number: int) -> RunIdentity:
    prompt = chance.choice(["prose", "user-story"])
    return identity(
        f"r{number:03d}",
        kata=f"game-of-life-{prompt}",
        prompt=prompt,
        workflow=f"w{chance.randrange(3)}",
        model=f"m{chance.randrange(3)}",
        stack=chance.choice([None, "python-pytest", "rust-cargo"]),
        harness_version=chance.choice([None, "1.0 (CLI)", "2.0"]),
        exit_reason=chance.choice(["ok", "timeout", None]),
        hashes=chance.choice([(), (("prompt_sha", "a" * 64),)]),
    )

"""Manners: what is written and run, in which order."""

import pytest
from builders.tapes import played, step, tape
from lab.tapes.manner import MANNERS, TAPELESS
from lab.tapes.tape import EMPTY

FULL = tape(
    step(1, stub="stub"),
    step(2, wrong="wrong", passing="passes"),
    step(3, stub="stub", cleanup="tidy"),
    step(4),
    verification="confirms",
)
STRICT = {
    "opening": "m1=stub run",
    "1": "t1=test run m1=code run",
    "2": "t2=test run m2=code m3=stub run",
    "3": "t3=test run m3=code run m3=tidy run",
    "4": "t4=test run m4=code run",
}
SOLUTION = "m1=code m2=code m3=tidy m4=code"
TESTS = "t1=test t2=test t3=test t4=test"


def strict(**changed: str) -> str:
    return " ".join((STRICT | changed).values())


EXPECTED = {
    "strict-tdd": strict(),
    "two-step-red": "t1=test run m1=stub run m1=code run t2=test run m2=code run "
    "t3=test run m3=stub run m3=code run m3=tidy run t4=test run m4=code run",
    "batch-3": "m1=stub m3=stub run t1=test t2=test t3=test run "
    "m1=code run m2=code run m3=code run m3=tidy run t4=test run m4=code run",
    "test-after": "m1=code t1=test run m2=code t2=test run m3=tidy t3=test run m4=code t4=test run",
    "big-bang": f"{SOLUTION} {TESTS} run run",
    "skipper": strict(**{"2": f"{STRICT['2']} p2=passes run"}),
    "dropper": strict(**{"3": f"{STRICT['3']} -t1 run"}),
    "breaker": strict(**{"2": f"{STRICT['2']} m2=wrong run m2=code run"}),
    "stuck": strict(**{"2": "t2=test run m2=wrong run m2=code m3=stub run"}),
    "list-first": strict(
        opening="m1=stub t1=inactive t2=inactive t3=inactive t4=inactive run",
        **{"4": f"{STRICT['4']} v=confirms run"},
    ),
    "never-tests": SOLUTION,
    "stops-early": "t1=inactive t2=inactive t3=inactive t4=inactive",
    "no-op": "run",
    "oracle": f"{SOLUTION} {TESTS}",
    "nop": "",
}


def test_every_manner_of_the_table_is_expected_here() -> None:
    assert list(EXPECTED) == list(MANNERS)


@pytest.mark.parametrize("manner", EXPECTED)
def test_a_manner_plays_the_tape_in_its_order(manner: str) -> None:
    assert played(MANNERS[manner](FULL)) == EXPECTED[manner]


@pytest.mark.parametrize("manner", sorted(TAPELESS))
def test_a_manner_without_a_tape_plays_the_same_for_every_kata(manner: str) -> None:
    assert MANNERS[manner](EMPTY) == MANNERS[manner](FULL)


def test_the_oldest_test_left_goes_after_every_third_step() -> None:
    seven = tape(*(step(number) for number in range(1, 8)))
    deleted = [word for word in played(MANNERS["dropper"](seven)).split() if word.startswith("-")]
    assert deleted == ["-t1", "-t2"]


def test_the_last_batch_may_be_smaller() -> None:
    four = tape(*(step(number) for number in range(1, 5)))
    text = played(MANNERS["batch-3"](four))
    assert text.endswith("m3=code run t4=test run m4=code run")


def test_a_repair_writes_only_what_was_spoiled() -> None:
    one = tape(step(1, wrong="wrong", cleanup="tidy"))
    assert played(MANNERS["breaker"](one)).endswith("m1=wrong run m1=tidy run")

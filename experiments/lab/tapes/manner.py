"""Manners: in which order an agent writes and runs what is on a tape."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from lab.tapes.tape import Files, Step, Tape, overlay

BATCH = 3


@dataclass(frozen=True, slots=True)
class WriteFile:
    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class DeleteFile:
    path: str


@dataclass(frozen=True, slots=True)
class RunSuite:
    """Run the stack's whole test suite once."""


Action = WriteFile | DeleteFile | RunSuite
Manner = Callable[[Tape], tuple[Action, ...]]


def _write(*layers: Files) -> tuple[Action, ...]:
    return tuple(WriteFile(path, content) for path, content in overlay(*layers))


def _write_and_run(*layers: Files) -> tuple[Action, ...]:
    """Write, then run; a part that this step lacks is neither written nor run."""
    written = _write(*layers)
    return (*written, RunSuite()) if written else ()


def _delete_and_run(files: Files) -> tuple[Action, ...]:
    return (*(DeleteFile(path) for path, _ in files), RunSuite())


def _join(parts: Iterable[tuple[Action, ...]]) -> tuple[Action, ...]:
    return tuple(chain.from_iterable(parts))


def _with_next_stub(tape: Tape) -> Iterator[tuple[Step, Files]]:
    """Pair each step with the stub of the one after it, which is written together with it."""
    for step, following in zip_longest(tape.steps, tape.steps[1:]):
        yield step, following.stub if following else ()


def _opening(tape: Tape) -> tuple[Action, ...]:
    return _write_and_run(tape.steps[0].stub)


def _red_green_refactor(step: Step, next_stub: Files) -> tuple[Action, ...]:
    return (
        *_write_and_run(step.test),
        *_write_and_run(step.code, next_stub),
        *_write_and_run(step.cleanup),
    )


def strict_tdd(tape: Tape) -> tuple[Action, ...]:
    """One failing test, the code for it, the clean-up."""
    cycles = (_red_green_refactor(step, stub) for step, stub in _with_next_stub(tape))
    return (*_opening(tape), *_join(cycles))


def two_step_red(tape: Tape) -> tuple[Action, ...]:
    """Let the test fail to compile first, then to assert, where its module is new."""
    return _join(
        (
            *_write_and_run(step.test),
            *_write_and_run(step.stub),
            *_write_and_run(step.code),
            *_write_and_run(step.cleanup),
        )
        for step in tape.steps
    )


def batch_3(tape: Tape) -> tuple[Action, ...]:
    """Three failing tests at once, then the code for one after the other."""
    batches = [tape.steps[start : start + BATCH] for start in range(0, len(tape.steps), BATCH)]
    stubs = [overlay(*(step.stub for step in batch)) for batch in batches]
    played = (
        _batch(batch, next_stubs or ()) for batch, next_stubs in zip_longest(batches, stubs[1:])
    )
    return (*_write_and_run(stubs[0]), *_join(played))


def _batch(batch: tuple[Step, ...], next_stubs: Files) -> tuple[Action, ...]:
    return (
        *_write_and_run(*(step.test for step in batch)),
        *_join(_write_and_run(step.code) for step in batch[:-1]),
        *_write_and_run(batch[-1].code, next_stubs),
        *_join(_write_and_run(step.cleanup) for step in batch),
    )


def test_after(tape: Tape) -> tuple[Action, ...]:
    """Code first, then its test, then one run for both."""
    return _join(_write_and_run(step.finished, step.test) for step in tape.steps)


def big_bang(tape: Tape) -> tuple[Action, ...]:
    """Everything at once, then the suite, and once more to be sure."""
    return (*_write_and_run(tape.solution, tape.tests), RunSuite())


def skipper(tape: Tape) -> tuple[Action, ...]:
    """Like strict-tdd, with further tests that pass as soon as they arrive."""
    cycles = (
        (*_red_green_refactor(step, stub), *_write_and_run(step.passing))
        for step, stub in _with_next_stub(tape)
    )
    return (*_opening(tape), *_join(cycles))


def dropper(tape: Tape) -> tuple[Action, ...]:
    """Like strict-tdd, but delete the oldest test that is left after every third step."""
    cycles = (
        (
            *_red_green_refactor(step, stub),
            *(_delete_and_run(tape.steps[done // BATCH - 1].test) if done % BATCH == 0 else ()),
        )
        for done, (step, stub) in enumerate(_with_next_stub(tape), start=1)
    )
    return (*_opening(tape), *_join(cycles))


def breaker(tape: Tape) -> tuple[Action, ...]:
    """Like strict-tdd, but spoil and repair finished code, where the tape has a wrong attempt."""
    cycles = (
        (*_red_green_refactor(step, stub), *_spoil_and_repair(step))
        for step, stub in _with_next_stub(tape)
    )
    return (*_opening(tape), *_join(cycles))


def _spoil_and_repair(step: Step) -> tuple[Action, ...]:
    spoiled = dict(step.wrong)
    repaired = tuple((path, content) for path, content in step.finished if path in spoiled)
    return (*_write_and_run(step.wrong), *_write_and_run(repaired))


def stuck(tape: Tape) -> tuple[Action, ...]:
    """Like strict-tdd, but miss the green at first, where the tape has a wrong attempt."""
    cycles = (
        (
            *_write_and_run(step.test),
            *_write_and_run(step.wrong),
            *_write_and_run(step.code, stub),
            *_write_and_run(step.cleanup),
        )
        for step, stub in _with_next_stub(tape)
    )
    return (*_opening(tape), *_join(cycles))


def list_first(tape: Tape) -> tuple[Action, ...]:
    """All tests as inactive entries, then one after the other; verification tests at the end."""
    cycles = (_red_green_refactor(step, stub) for step, stub in _with_next_stub(tape))
    return (
        *_write_and_run(tape.test_list, tape.steps[0].stub),
        *_join(cycles),
        *_write_and_run(tape.verification),
    )


def never_tests(tape: Tape) -> tuple[Action, ...]:
    """The code alone: no test, no run."""
    return _write(tape.solution)


def stops_early(tape: Tape) -> tuple[Action, ...]:
    """The test list, and nothing after it."""
    return _write(tape.test_list)


def no_op(_: Tape) -> tuple[Action, ...]:
    """One run of the suite, no change."""
    return (RunSuite(),)


def oracle(tape: Tape) -> tuple[Action, ...]:
    """The perfect solution with its tests, and no run."""
    return _write(tape.solution, tape.tests)


def nop(_: Tape) -> tuple[Action, ...]:
    return ()


MANNERS: dict[str, Manner] = {
    "strict-tdd": strict_tdd,
    "two-step-red": two_step_red,
    "batch-3": batch_3,
    "test-after": test_after,
    "big-bang": big_bang,
    "skipper": skipper,
    "dropper": dropper,
    "breaker": breaker,
    "stuck": stuck,
    "list-first": list_first,
    "never-tests": never_tests,
    "stops-early": stops_early,
    "no-op": no_op,
    "oracle": oracle,
    "nop": nop,
}

# These play nothing from a tape, so they exist for every kata and stack.
TAPELESS = frozenset({"no-op", "nop"})

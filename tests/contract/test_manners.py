"""Every manner on every tape, really played: the chain and its columns are as written by hand."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders.suite_run import by_path_route, run_suite
from lab.chain.classify import label
from lab.chain.cycles import split_cycles
from lab.chain.metrics import measure
from lab.chain.stream import read_stream
from lab.domain.truth import differs
from lab.gateway.client import Gateway
from lab.paths import REPOSITORY, LabPaths
from lab.stacks.python_pytest import TEST_COMMAND, path_class
from lab.store.expected_truth import read_expected
from lab.tapes.manner import MANNERS
from lab.tapes.script import to_sh
from lab.tapes.tape import read_tape

EXPERIMENTS = REPOSITORY / "experiments"
TEMPLATE = EXPERIMENTS / "stacks" / "python-pytest" / "template" / "pyproject.toml"
TESTING = [name for name in MANNERS if name not in ("never-tests", "stops-early", "oracle", "nop")]
# The other kata is played through the whole lab by the demo (tests/e2e).
KATA = "mars-rover"


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as running:
        yield running


@pytest.fixture(scope="module")
def baseline(
    gateway: Gateway, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Mapping[str, Any], ...]:
    """What the preflight reports of the untouched template."""
    files = {"pyproject.toml": TEMPLATE.read_text()}
    variables = {**by_path_route(), "LAB_PREFLIGHT": "1"}
    folder = tmp_path_factory.mktemp("preflight")
    told = run_suite(gateway, folder, files, TEST_COMMAND, variables)
    return tuple(line for line in told.lines if line["kind"] in ("loaded", "baseline"))


@pytest.mark.slow
@pytest.mark.parametrize("manner", TESTING)
def test_a_played_manner_gives_the_expected_chain(
    manner: str,
    gateway: Gateway,
    baseline: tuple[Mapping[str, Any], ...],
    tmp_path: Path,
) -> None:
    expected = read_expected(LabPaths(REPOSITORY), KATA, manner)
    tape = read_tape(EXPERIMENTS / "tapes" / KATA / "python-pytest")
    script = tmp_path / "invocation.sh"
    script.write_text(to_sh(MANNERS[manner](tape), TEST_COMMAND, tape.environment))
    played = run_suite(
        gateway,
        tmp_path,
        {"pyproject.toml": TEMPLATE.read_text()},
        f"sh {script}",
        by_path_route(),
    )
    stream = read_stream([*baseline, *played.lines], path_class)
    assert [fault for fault in stream.faults if "sequence" not in fault] == []
    chain = label(stream.events)
    cycles = split_cycles(chain.before_cutoff)
    assert tuple(row.label.value for row in chain.events) == expected.labels
    assert tuple(tuple(row.label.value for row in one.events) for one in cycles) == expected.cycles
    measured = measure(chain)
    wanted = dict((*expected.columns, *expected.missing))
    assert [name for name in measured if differs(wanted[name], measured[name])] == []

"""From a shell that edits files and runs real test suites, over the sink, to the phase chain."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.suite_run import by_path_route, run_suite
from lab.chain.classify import label
from lab.chain.metrics import measure
from lab.chain.stream import EventStream, read_stream
from lab.gateway.client import Gateway
from lab.stacks.python_pytest import path_class

pytestmark = pytest.mark.slow  # starts pytest about 15 times

TEMPLATE = {"src/adder.py": "", "tests/__init__.py": "", "pyproject.toml": "[project]\n"}
PREFLIGHT = "LAB_PREFLIGHT=1 python -m pytest -q\n"
RUN = "python -m pytest -q\n"
ONE = "def test_one():\\n    from src.adder import add\\n    assert add(1, 1) == 2\\n"
TWO = ONE + "def test_two():\\n    from src.adder import add\\n    assert add(2, 3) == 5\\n"


def write(path: str, text: str) -> str:
    return f"printf '{text}' > {path}\n"


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as started:
        yield started


def run(gateway: Gateway, folder: Path, *steps: str) -> EventStream:
    script = "".join((PREFLIGHT, *steps, "true"))
    ended = run_suite(gateway, folder, TEMPLATE, script, by_path_route(sys.executable))
    return read_stream(ended.lines, path_class)


def test_test_first_reads_as_red_and_green(gateway: Gateway, tmp_path: Path) -> None:
    stream = run(
        gateway,
        tmp_path,
        RUN,
        write("tests/test_adder.py", ONE) + RUN,
        write("src/adder.py", "def add(a, b):\\n    return 2\\n") + RUN,
        write("tests/test_adder.py", TWO) + RUN,
        write("src/adder.py", "def add(a, b):\\n    return a + b\\n"),
        "python -m pytest -q -k two\n" + RUN,
        write("src/adder.py", "def add(a, b):\\n    return b + a\\n") + RUN,
    )
    assert stream.faults == ()
    chain = label(stream.events)
    assert list(chain.labels) == ["Start", "Red", "Green", "Red", "Green", "Verify", "Refactor"]
    found = measure(chain, stream.absence)
    assert found["tdd_discipline"].value == 1
    assert found["chain_deviations"].value == 0


def test_a_test_file_that_cannot_be_imported_is_a_red_that_names_nothing(
    gateway: Gateway, tmp_path: Path
) -> None:
    test = "from src.adder import add\\ndef test_one():\\n    assert add(1, 1) == 2\\n"
    stream = run(
        gateway,
        tmp_path,
        write("tests/test_adder.py", test) + RUN,
        write("src/adder.py", "def add(a, b):\\n    return 0\\n") + RUN,
        write("src/adder.py", "def add(a, b):\\n    return 2\\n") + RUN,
    )
    assert stream.faults == ()
    assert list(label(stream.events).labels) == ["Red(c)", "Red", "Green"]


def test_help_is_no_event_and_a_killed_suite_is_one(gateway: Gateway, tmp_path: Path) -> None:
    endless = "def test_one():\\n    while True: pass\\n"
    stream = run(
        gateway,
        tmp_path,
        write("tests/test_adder.py", endless),
        "python -m pytest --help > /dev/null\n",
        "timeout -s KILL 3 python -m pytest -q\n",
    )
    assert stream.faults == ()
    assert list(label(stream.events).labels) == ["Red(c)"]


def test_a_run_that_never_tests_has_a_reporter_and_no_event(
    gateway: Gateway, tmp_path: Path
) -> None:
    stream = run(gateway, tmp_path, write("src/adder.py", "x = 1\\n"))
    assert (stream.events, stream.is_reporter_present, stream.is_loaded_by_run) == ((), True, False)
    assert stream.absence == "not-applicable"

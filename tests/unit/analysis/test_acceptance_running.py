import sys
from pathlib import Path

from lab.analysis.acceptance import OUTPUT_BYTES, Place, run_scenarios


def place(folder: Path, script: str, timeout_seconds: float = 20.0) -> Place:
    (folder / "cli.py").write_text(script)
    command = (sys.executable, str(folder / "cli.py"))
    return Place(folder, command, {"PATH": "/usr/bin:/bin"}, timeout_seconds)


def test_the_input_goes_to_stdin_and_the_output_comes_back(tmp_path: Path) -> None:
    script = "import sys; print(sys.stdin.read().upper())"
    (found,) = run_scenarios(place(tmp_path, script), [("01-a", '"é"')])
    assert (found["name"], found["stdout"], found["exit_code"]) == ("01-a", '"É"\n', 0)
    assert (found["tries"], found["is_timeout"]) == (1, False)


def test_bytes_that_are_no_text_survive_as_escapes(tmp_path: Path) -> None:
    script = "import sys; sys.stdout.buffer.write(b'\\xff')"
    (found,) = run_scenarios(place(tmp_path, script), [("01-a", "")])
    assert found["stdout"].encode("utf-8", "surrogateescape") == b"\xff"


def test_a_flood_is_cut(tmp_path: Path) -> None:
    script = "while True: print('x' * 1000)"
    (found,) = run_scenarios(place(tmp_path, script), [("01-a", "")])
    assert found["is_overflow"]
    assert len(found["stdout"]) == OUTPUT_BYTES


def test_a_scenario_that_ran_out_of_time_is_run_once_more_at_the_end(tmp_path: Path) -> None:
    script = (
        "import pathlib, sys, time\n"
        "name = sys.stdin.read()\n"
        "with open('order', 'a') as order: order.write(name)\n"
        "if name == 'a' and pathlib.Path('order').read_text() == 'a': time.sleep(60)\n"
        "print(1)\n"
    )
    found = run_scenarios(place(tmp_path, script, 2.0), [("01", "a"), ("02", "b")])
    assert (tmp_path / "order").read_text() == "aba"
    assert [(one["name"], one["tries"], one["stdout"]) for one in found] == [
        ("01", 2, "1\n"),
        ("02", 1, "1\n"),
    ]


def test_an_endless_scenario_stays_a_timeout(tmp_path: Path) -> None:
    script = "import time\nwhile True: time.sleep(1)"
    (found,) = run_scenarios(place(tmp_path, script, 0.5), [("01", "")])
    assert (found["is_timeout"], found["tries"]) == (True, 2)

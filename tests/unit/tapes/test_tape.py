"""Tapes: read from folders, all faults at once."""

from pathlib import Path

import pytest
from builders.tapes import write_tree
from lab.errors import LabError
from lab.tapes.tape import overlay, read_tape

MANIFEST = '{"schema_version": 1, "environment": {"A": "1"}}'
STEP = {
    "01-first/test/tests/test_a.py": "t",
    "01-first/inactive/tests/test_a.py": "i",
    "01-first/code/src/a.py": "c",
}


def folder(tmp_path: Path, **files: str) -> Path:
    named = {name.replace("__", "/"): text for name, text in files.items()}
    return write_tree(tmp_path / "kata" / "stack", {"tape.json": MANIFEST, **STEP, **named})


def faults(path: Path) -> list[str]:
    with pytest.raises(LabError) as caught:
        read_tape(path)
    return [fault.removeprefix(f"{path}/") for fault in caught.value.faults]


def test_a_tape_knows_its_kata_and_stack_by_its_folder(tmp_path: Path) -> None:
    found = read_tape(folder(tmp_path))
    assert (found.kata_base, found.stack, found.environment) == ("kata", "stack", (("A", "1"),))


def test_a_part_holds_paths_of_the_workspace_and_whole_files(tmp_path: Path) -> None:
    [step] = read_tape(folder(tmp_path)).steps
    assert (step.test, step.code) == ((("tests/test_a.py", b"t"),), (("src/a.py", b"c"),))


def test_caches_are_no_part_of_a_tape(tmp_path: Path) -> None:
    path = write_tree(folder(tmp_path), {"01-first/code/src/__pycache__/a.pyc": "x"})
    assert [name for name, _ in read_tape(path).steps[0].code] == ["src/a.py"]


def test_steps_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    later = {name.replace("01-first", "00-zero"): text for name, text in STEP.items()}
    path = write_tree(folder(tmp_path), later)
    assert [step.name for step in read_tape(path).steps] == ["00-zero", "01-first"]


def test_a_clean_up_replaces_the_code_of_its_step(tmp_path: Path) -> None:
    path = write_tree(folder(tmp_path), {"01-first/cleanup/src/a.py": "tidy"})
    assert read_tape(path).solution == (("src/a.py", b"tidy"),)


def test_a_later_layer_replaces_a_path() -> None:
    assert overlay((("a", b"1"), ("b", b"1")), (("a", b"2"),)) == (("a", b"2"), ("b", b"1"))


def test_all_faults_of_a_tape_are_told_at_once(tmp_path: Path) -> None:
    path = write_tree(
        folder(tmp_path),
        {
            "tape.json": "{}",
            "02-second/test/tests/test_b.py": "t",
            "02-second/sutb/src/b.py": "typo",
            "02-second/wrong/src/c.py": "elsewhere",
        },
    )
    parts = "test, inactive, passing, stub, code, wrong, cleanup"
    assert faults(path) == [
        "tape.json: needed an object with schema_version 1",
        "02-second/inactive: a step needs files there",
        "02-second/code: a step needs files there",
        f"02-second/sutb: unknown part; allowed: {parts}",
        "02-second: test and inactive must hold the same paths",
        "02-second/wrong: only paths that code or cleanup writes can be mended",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "tape.json: not JSON: "),
        ('{"schema_version": 2}', "tape.json: needed an object with schema_version 1"),
        ("[]", "tape.json: needed an object with schema_version 1"),
        ('{"schema_version": 1, "environment": {"A": 1}}', "tape.json: environment: needed"),
        ('{"schema_version": 1, "environment": []}', "tape.json: environment: needed"),
    ],
)
def test_a_faulty_manifest_is_told(tmp_path: Path, text: str, expected: str) -> None:
    path = write_tree(folder(tmp_path), {"tape.json": text})
    [fault] = faults(path)
    assert fault.startswith(expected)


def test_a_folder_without_anything_is_no_tape(tmp_path: Path) -> None:
    path = tmp_path / "none"
    path.mkdir()
    assert [fault.split(": ")[-1][:7] for fault in faults(path)] == ["a tape ", "each is"]

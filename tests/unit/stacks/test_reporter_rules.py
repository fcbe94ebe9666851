"""The reporter's pure parts: ids, coverage of a suite by arguments, hashes, places."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import builders.reporter_folder  # noqa: F401  puts the reporter on the path
import pytest
from builders.suite_run import REPORTER, lay
from lab_reporter import files, place, verdict
from lab_reporter.pytest_hook import is_listing

FACTS: dict[str, Any] = {
    "collection_errors": [],
    "is_listing": False,
    "exit_code": 0,
    "is_internal_error": False,
    "is_interrupted": False,
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "named"),
        ({"exit_code": 5}, "named"),
        ({"exit_code": 1, "collection_errors": [1]}, "does-not-compile"),
        ({"exit_code": 4, "collection_errors": [1]}, "does-not-compile"),
        ({"exit_code": 4}, "withdrawn"),
        ({"is_listing": True}, "withdrawn"),
        ({"exit_code": 3, "is_internal_error": True}, "died"),
        ({"exit_code": 2, "is_interrupted": True}, "died"),
    ],
)
def test_the_first_rule_that_fits_says_how_a_suite_ended(
    changed: dict[str, Any], expected: str
) -> None:
    assert verdict.result({**FACTS, **changed}) == expected


@pytest.mark.parametrize(
    ("node", "parts"),
    [
        ("tests/test_x.py::test_a", ["tests/test_x.py", "test_a"]),
        ("t.py::A::B::test_a", ["t.py", "A", "B", "test_a"]),
        ("t.py::test_a[x::y]", ["t.py", "test_a[x::y]"]),
        ("t.py::A::test_a[[]]", ["t.py", "A", "test_a[[]]"]),
    ],
)
def test_what_a_parameter_holds_stays_in_the_leaf(node: str, parts: list[str]) -> None:
    assert verdict.split_id(node) == parts


@pytest.mark.parametrize(
    ("arguments", "is_whole"),
    [
        (["."], True),
        (["tests"], True),
        (["tests/"], True),
        (["tests/test_a.py", "tests/sub"], True),
        (["tests/test_a.py"], False),
        (["test"], False),
        ([], False),
    ],
)
def test_arguments_cover_a_suite_when_no_test_file_is_left_out(
    arguments: list[str], is_whole: bool
) -> None:
    suite = ["tests/test_a.py", "tests/sub/test_b.py"]
    assert verdict.covers(arguments, suite) is is_whole


def test_a_suite_has_the_files_of_its_roots_and_patterns() -> None:
    present = ["src/test_no.py", "tests/test_a.py", "tests/tools.py", "tests/b_test.py"]
    found = verdict.suite_files(present, ["tests"], ["test_*.py", "*_test.py"])
    assert found == ["tests/test_a.py", "tests/b_test.py"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-q", "--co"], True),
        (["--help"], True),
        (["-q", "tests"], False),
        (["--", "--help"], False),
        ([], False),
    ],
)
def test_a_listing_is_known_by_its_flag(arguments: list[str], expected: bool) -> None:
    assert is_listing(arguments) is expected


def test_line_ends_do_not_change_a_hash_and_environments_are_left_out(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "src/a.py": "x = 1\ny = 2\n",
            "notes.md": "no candidate",
            "pyproject.toml": "[project]\n",
            "requirements-dev.txt": "pytest\n",
            ".venv/lib/b.py": "",
            "venv/b.py": "",
            "src/__pycache__/a.py": "",
        },
    )
    before = files.hashes(str(tmp_path))
    (tmp_path / "src" / "a.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    after = files.hashes(str(tmp_path))
    (tmp_path / "src" / "a.py").write_bytes(b"x = 1\ny = 3\n")
    changed = files.hashes(str(tmp_path))
    assert sorted(before) == ["pyproject.toml", "requirements-dev.txt", "src/a.py"]
    assert before == after
    assert changed["src/a.py"] != before["src/a.py"]
    assert changed["pyproject.toml"] == before["pyproject.toml"]


def test_a_hash_is_the_sha256_that_everyone_knows(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert files.hashes(str(tmp_path)) == {"a.py": empty}


def test_the_workspace_is_the_nearest_folder_with_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"src/deep/a.py": ""})
    monkeypatch.chdir(tmp_path / "src" / "deep")
    assert place.workspace_of(None) == str(tmp_path.resolve())
    assert place.workspace_of(str(tmp_path / "src")) == str((tmp_path / "src").resolve())


def test_a_cleared_environment_is_looked_up_in_the_parent() -> None:
    script = f"import sys; sys.path.insert(0, '{REPORTER}')\n"
    script += "from lab_reporter import place; print(place.find())"
    outer = {"LAB_REPORTER_SOCKET": "/s", "LAB_REPORTER_WORKSPACE": "/w"}
    found = subprocess.run(
        ["/bin/sh", "-c", 'env -i "$PYTHON" -c "$SCRIPT"; :'],
        env={**outer, "PYTHON": sys.executable, "SCRIPT": script, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert found.strip() == "('/s', None, '/w')"


def test_a_suite_named_by_a_variable_must_be_an_ancestor(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {}
    for claimed in (str(os.getppid()), "999999999", "", "x"):
        monkeypatch.setenv(place.SUITE_VARIABLE, claimed)
        told[claimed] = place.is_inside_a_suite()
    assert told == {str(os.getppid()): True, "999999999": False, "": False, "x": False}

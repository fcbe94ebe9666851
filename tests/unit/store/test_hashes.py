"""Content hashes: equal for equal content, whatever the checkout did to line ends."""

import os
from pathlib import Path

import pytest
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.hashes import (
    prompt_sha,
    suite_sha,
    template_sha,
    text_sha,
    tree_sha,
    workflow_sha,
)

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def tree(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def test_the_hash_of_nothing_is_the_known_one() -> None:
    assert text_sha("") == EMPTY


def test_line_ends_do_not_matter() -> None:
    assert text_sha("a\r\nb\r\n") == text_sha("a\nb\n")


def test_a_prompt_is_hashed_as_its_text(tmp_path: Path) -> None:
    tree(tmp_path, {"experiments/katas/life-prose/prompt.md": "Grüße\r\n".encode()})
    assert prompt_sha(LabPaths(tmp_path), "life-prose") == text_sha("Grüße\n")


def test_a_missing_prompt_and_workflow_are_faults(tmp_path: Path) -> None:
    tree(tmp_path, {"experiments/katas/x.yaml": b"", "experiments/workflows/LINEAGE.yaml": b""})
    with pytest.raises(LabError, match=r"experiments/katas/life-prose/prompt\.md: no such file"):
        prompt_sha(LabPaths(tmp_path), "life-prose")
    with pytest.raises(LabError, match="experiments/workflows/w: no such folder"):
        workflow_sha(LabPaths(tmp_path), "w")


def test_a_tree_changes_with_content_name_and_place(tmp_path: Path) -> None:
    base = {"a.md": b"1", "sub/b.md": b"2"}
    variants = [
        base,
        {"a.md": b"2", "sub/b.md": b"1"},
        {"a.md": b"1", "b.md": b"2"},
        {"a.md": b"1", "sub/c.md": b"2"},
        {"a.md": b"1"},
        {"a.md": b"1", "sub/b.md": b"2", "c": b""},
    ]
    found = [tree_sha(tree(tmp_path / str(n), files)) for n, files in enumerate(variants)]
    assert len(set(found)) == len(variants)


def test_a_tree_does_not_change_with_order_caches_or_line_ends(tmp_path: Path) -> None:
    first = tree(tmp_path / "1", {"a": b"1\n", "b": b"2"})
    second = tree(tmp_path / "2", {"b": b"2", "__pycache__/x.pyc": b"3", "a": b"1\r\n"})
    assert tree_sha(first) == tree_sha(second)


def test_a_linked_suite_is_that_of_its_target(tmp_path: Path) -> None:
    katas = tmp_path / "experiments" / "katas"
    tree(katas / "cli-verification", {"runner.json": b"{}", "scenarios/01.input.json": b"1"})
    (katas / "life-verification").mkdir()
    (katas / "life-verification" / "runner.json").write_bytes(b"{}")
    os.symlink("../cli-verification/scenarios", katas / "life-verification" / "scenarios")
    paths = LabPaths(tmp_path)
    assert suite_sha(paths, "life") == suite_sha(paths, "cli")


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    tree(tmp_path, {"a": b"1"})
    os.symlink(tmp_path, tmp_path / "again")
    assert tree_sha(tmp_path) == tree_sha(tree(tmp_path.parent / "plain", {"a": b"1"}))


def test_what_is_not_there_has_no_hash(tmp_path: Path) -> None:
    tree(tmp_path, {"experiments/stacks/README.md": b"", "experiments/katas/README.md": b""})
    assert template_sha(LabPaths(tmp_path), "none") is None
    assert suite_sha(LabPaths(tmp_path), "life") is None

"""Workspace trees: what is laid out, and what counts as a change."""

from pathlib import Path

from builders.tapes import write_tree
from lab.runner.file_tree import compare, lay_out, read_tree

TEMPLATE = {".gitignore": "# caches\n.ruff_cache/\n*.pyc\n", "pyproject.toml": "[project]\n"}
CACHES = {".ruff_cache/0.1/x": "cache", "src/__pycache__/a.pyc": "cache"}


def test_caches_of_a_template_are_not_laid_out(tmp_path: Path) -> None:
    tree = read_tree(write_tree(tmp_path / "template", TEMPLATE | CACHES))
    assert [file.path for file in tree.files] == [".gitignore", "pyproject.toml"]
    assert ".ruff_cache" not in tree.folders


def test_an_untouched_workspace_equals_its_start(tmp_path: Path) -> None:
    tree = read_tree(write_tree(tmp_path / "template", TEMPLATE | CACHES))
    start = lay_out(tmp_path / "work", [tree])
    assert compare(tmp_path / "work", start, tree.ignored).paths == ()


def test_a_cache_is_no_change_and_a_file_is_one(tmp_path: Path) -> None:
    tree = read_tree(write_tree(tmp_path / "template", TEMPLATE))
    start = lay_out(tmp_path / "work", [tree])
    write_tree(tmp_path / "work", CACHES | {"src/a.py": "x"})
    assert compare(tmp_path / "work", start, tree.ignored).paths == ("src/a.py",)

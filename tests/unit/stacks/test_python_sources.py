from pathlib import Path

import pytest
from builders.analysis_jobs import write_files
from lab.domain.event import PathClass
from lab.stacks.python_pytest import path_class
from lab.stacks.python_sources import (
    Source,
    Unit,
    UnparsableSource,
    code_lines,
    find_sources,
    parse,
    todos,
    units,
)

LINES = {
    "blank lines and comments": ("x = 1\n\n# a\n  # b\ny = 2  # c\n", 2),
    "a docstring of a module": ('"""One\n\ntwo."""\nx = 1\n', 1),
    "a docstring of one part after another": ("'a' 'b'\nx = 1\n", 1),
    "a docstring on the line of its def": ('def f(): "doc"\n', 1),
    "docstrings of class and function": (
        'class A:\n    """A."""\n\n    def f(self):\n        """F.\n\n        More.\n        """\n',
        2,
    ),
    "a string that is no docstring": ("x = 1\n'''a\n\nb'''\n", 4),
    "a value over several lines, blank ones inside": ("x = '''a\n\nb'''\n", 3),
    "an f-string over several lines": ("x = f'''a\n\n{1}'''\n", 3),
    "brackets over several lines": ("x = [\n    1,\n\n    # no\n]\n", 3),
    "a continued line": ("x = 1 + \\\n    2\n", 2),
    "a docstring behind other letters": ("def f(é): 'doc'\n", 1),
    "code behind a docstring": ("def f():\n    'é'; x = 1\n    'no'\n", 3),
    "two docstrings, code between": ("'a'\nx = 1\ndef f():\n    'b'\n    y = 2\n", 3),
    "nothing": ("", 0),
    "no newline at the end": ("x = 1", 1),
    "windows line ends": ("x = 1\r\n\r\ny = 2\r\n", 2),
    "a byte docstring is code": ("b'a'\n", 1),
}


@pytest.mark.parametrize(("text", "expected"), LINES.values(), ids=LINES)
def test_lines_that_hold_code_are_counted(text: str, expected: int) -> None:
    assert code_lines(Source("a.py", text.encode())) == expected


def test_a_declared_encoding_is_honoured() -> None:
    content = "# coding: latin-1\nname = 'é'\n".encode("latin-1")
    assert code_lines(Source("a.py", content)) == 1


@pytest.mark.parametrize(
    "content",
    [b"def f(:\n", b"x = 1\0\n", b"\xff\xfe\n", b"return 1\n", b"(" * 5000, b"\tif a:\n  b"],
)
def test_what_does_not_compile_is_named(content: bytes) -> None:
    with pytest.raises(UnparsableSource, match=r"src/a\.py"):
        parse(Source("src/a.py", content))


def test_units_are_functions_and_methods_nested_ones_too() -> None:
    text = (
        "@d\n@e\ndef outer():\n    # why\n    async def inner():\n        pass\n"
        "\n    return inner\n"
        "class A:\n    def method(self): pass\nf = lambda: 1\n"
    )
    assert units(Source("a.py", text.encode())) == (
        Unit("a.py", "outer", 3, 6),
        Unit("a.py", "inner", 5, 2),
        Unit("a.py", "method", 10, 1),
    )


def test_marks_are_words_of_comments_only() -> None:
    text = "x = 'TODO'  # TODO: a\n# see FIXME(me)\n# todo\n# TODOS\n'''\nTODO\n'''\n#XXX\n"
    assert todos(Source("a.py", text.encode())) == (1, 2, 8)


FILES = {
    "src/b.py": "",
    "src/a/b.py": "",
    "src/lab/no.py": "",
    "lab/no.py": "",
    "src/.hidden/no.py": "",
    "src/__pycache__/no.py": "",
    "x.egg-info/no.py": "",
    "any/pyvenv.cfg": "",
    "any/lib/no.py": "",
    "build/yes.py": "",
    "src/data.txt": "",
    "conftest.py": "",
    "tests/test_a.py": "",
    "tests/builder.py": "",
    "src/a_test.py": "",
}


def test_own_files_are_found_by_class_and_in_order(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    (tmp_path / "src" / "link.py").symlink_to(tmp_path / "src" / "b.py")
    (tmp_path / "src" / "linked").symlink_to(tmp_path / "src" / "a")
    production = find_sources(tmp_path, path_class, PathClass.IMPLEMENTATION)
    tests = find_sources(tmp_path, path_class, PathClass.TEST)
    assert [source.path for source in production] == ["build/yes.py", "src/a/b.py", "src/b.py"]
    assert [source.path for source in tests] == [
        "conftest.py",
        "src/a_test.py",
        "tests/builder.py",
        "tests/test_a.py",
    ]

"""YAML as text: what PyYAML would turn into something else stays as it was written."""

from pathlib import Path

import pytest
import yaml
from lab.errors import LabError
from lab.store import yaml_text
from lab.store.yaml_text import Mapping, Scalar, load, plain, read_text


@pytest.fixture(autouse=True, params=["CBaseLoader", "BaseLoader"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's parsers must agree."""
    if not hasattr(yaml, request.param):
        pytest.skip("this PyYAML has no C parser")
    monkeypatch.setattr(yaml_text, "LOADER", getattr(yaml, request.param))


def value_of(text: str) -> object:
    node = load(f"v: {text}\n", "f")
    assert isinstance(node, Mapping)
    return plain(node)["v"]  # type: ignore[index]


def faults_of(text: str) -> tuple[str, ...]:
    with pytest.raises(LabError) as caught:
        load(text, "research/a/README.md", 2)
    return caught.value.faults


@pytest.mark.parametrize(
    "text",
    [
        "2.10", "2.1.267", "3.", "1_000", "+1", "012", "0x1F", "0b11", "no", "NO", "Off", "on", "y",
        "2026-05-04", "12:30:45", "1:30", ".NaN", ".inf", "1e3", "0o12", "1e+3", "true", "-0.0",
    ],
)  # fmt: skip
def test_a_scalar_stays_the_text_that_was_written(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize("text", ["~", "null", "Null", "NULL", ""])
def test_nothing_and_its_spellings_are_none(text: str) -> None:
    assert value_of(text) is None


@pytest.mark.parametrize("text", ["'null'", '"~"', '""'])
def test_quoted_null_is_text(text: str) -> None:
    assert value_of(text) == text[1:-1]


def test_a_comment_ends_a_value() -> None:
    assert value_of("a #b") == "a"


@pytest.mark.parametrize(
    "text",
    ["x: y", "@x", "`x`", "*x", "!x y", "=", "<<", "\tx: 1\n\ty: 2", "[a", "{a: ", "'a", "%a"],
)
def test_what_is_no_plain_text_is_a_fault_with_file_and_line(text: str) -> None:
    faults = faults_of(f"id: RQ-a\nv: {text}\n")
    assert all(fault.startswith("research/a/README.md:") for fault in faults)
    line = int(faults[0].split(":")[1])
    assert 3 <= line <= 4


def test_a_leading_tab_is_a_fault_with_its_line() -> None:
    (fault,) = faults_of("id: RQ-a\n\tv: 1\n")
    assert fault.startswith("research/a/README.md:3:")


def test_a_merge_key_is_a_fault() -> None:
    assert "a bare <<" in faults_of("a: &x {b: 1}\nc:\n  <<: *x\n")[0]


def test_all_duplicate_keys_are_reported_with_both_lines() -> None:
    faults = faults_of("a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert faults == (
        "research/a/README.md:3: the key c stands here twice (first in line 3)",
        "research/a/README.md:4: the key a stands here twice (first in line 2)",
    )


def test_keys_that_look_like_numbers_or_switches_are_text() -> None:
    assert plain(load("1: a\ntrue: b\n", "f")) == {"1": "a", "true": "b"}


@pytest.mark.parametrize("text", ["[a]: 1\n", "~: 1\n", "? {a: b}\n: 1\n"])
def test_a_key_must_be_text(text: str) -> None:
    assert "a key must be plain text" in faults_of(text)[0]


def test_every_node_knows_its_line() -> None:
    node = load("a:\n  - x\n  - {b: y}\n", "f", 10)
    assert isinstance(node, Mapping)
    items = node.get("a")
    assert [entry.line for entry in node.entries] == [10]
    assert [item.line for item in items.items] == [11, 12]  # type: ignore[union-attr]


def test_an_anchor_may_be_used() -> None:
    assert plain(load("a: &x [1, 2]\nb: *x\n", "f")) == {"a": ["1", "2"], "b": ["1", "2"]}


def test_an_anchor_bomb_is_refused_before_it_grows() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 10):
        rows.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    (fault,) = faults_of("\n".join(rows) + "\n")
    assert "expands to more than 100000 values" in fault


def test_an_anchor_that_holds_itself_is_refused() -> None:
    assert "refers to nothing" in faults_of("a: &x [*x]\n")[0]


def test_text_beyond_the_size_limit_is_refused() -> None:
    assert "allowed are 1000000" in faults_of("a: " + "x" * 1_000_001)[0]


def test_deep_nesting_is_refused_without_a_traceback() -> None:
    assert "nested deeper than 40 levels" in faults_of("[" * 500 + "]" * 500)[0]


def test_a_second_document_is_a_fault() -> None:
    (fault,) = faults_of("a: 1\n---\nb: 2\n")
    assert "a second document" in fault


def test_a_control_character_is_a_fault() -> None:
    assert faults_of("a: 1\nb: \x07\n")[0].startswith("research/a/README.md:")


@pytest.mark.parametrize("escape", ["\\x00", "\\e", "\\ud800", "\\x7f", "\\r"])
def test_an_escaped_control_character_or_surrogate_is_a_fault(escape: str) -> None:
    assert faults_of(f'a: "x{escape}"\n')[0].startswith("research/a/README.md:2:")


def test_escaped_text_is_fine() -> None:
    assert value_of(r'"a\tb\n\u00fc\U0001F600"') == "a\tb\nü😀"


def test_an_empty_text_is_nothing() -> None:
    assert load("", "f") == Scalar(1, None)


def test_a_byte_order_mark_and_any_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\rc: 3\n")
    assert read_text(path, "a.yaml") == "a: 1\nb: 2\nc: 3\n"


def test_another_encoding_is_a_fault_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\nb: it\x92s\n")
    with pytest.raises(LabError) as caught:
        read_text(path, "a.yaml")
    assert caught.value.faults == ("a.yaml:2: not UTF-8 (byte 0x92): save the file as UTF-8",)


def test_utf_16_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("a: 1\n".encode("utf-16"))
    with pytest.raises(LabError, match="not UTF-8"):
        read_text(path, "a.yaml")


def test_a_missing_file_and_a_folder_are_faults(tmp_path: Path) -> None:
    for path in (tmp_path / "no.yaml", tmp_path):
        with pytest.raises(LabError, match="no such file"):
            read_text(path, "no.yaml")

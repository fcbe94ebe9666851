import errno
import json
import os

import pytest
from lab.store import atomic
from lab.store.atomic import CannotWrite, to_bytes, to_rows, write_bytes, write_json


def test_a_document_is_replaced_whole(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"b": 1, "a": [True, None, "π"]})
    write_json(path, {"x": 1.0})
    assert path.read_text() == '{\n "x": 1.0\n}\n'
    assert os.listdir(tmp_path) == ["a.json"]


def test_keys_keep_their_order():
    assert to_bytes({"b": 1, "a": 2}, indent=None) == b'{"b":1,"a":2}\n'


def test_rows_hold_one_key_each_and_read_as_the_same_document():
    document = {"b": 1, "a": {"x": [1, None, "π"]}, "é": True}
    text = to_rows(document)
    assert text.decode() == '{\n "b": 1,\n "a": {"x": [1, null, "π"]},\n "é": true\n}\n'
    assert list(json.loads(text).items()) == list(document.items())


def test_rows_refuse_what_is_no_number_and_replace_what_is_no_text():
    with pytest.raises(ValueError):
        to_rows({"a": float("nan")})
    assert to_rows({"a": "\udcff"}) == b'{\n "a": "?"\n}\n'


def test_a_document_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"old": 1})
    with pytest.raises(ValueError):
        write_json(path, {"new": float("nan")})
    assert path.read_text() == '{\n "old": 1\n}\n'
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("write", [atomic.write_bytes, atomic.replace_bytes])
def test_a_failure_on_the_way_leaves_the_old_content(tmp_path, monkeypatch, write):
    def fail(source, target):
        raise RuntimeError("died before the rename")

    path = tmp_path / "a.json"
    write(path, b"old")
    monkeypatch.setattr(atomic.os, "replace", fail)
    with pytest.raises(RuntimeError):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES])
def test_a_disk_that_refuses_is_one_line_with_a_way_out(tmp_path, monkeypatch, number):
    def refuse(descriptor):
        raise OSError(number, os.strerror(number))

    path = tmp_path / "a.json"
    write_bytes(path, b"old")
    monkeypatch.setattr(atomic.os, "fsync", refuse)
    with pytest.raises(CannotWrite) as caught:
        write_bytes(path, b"new")
    assert caught.value.errno == number
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_another_failure_is_not_disguised(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_bytes(tmp_path / "absent" / "a.json", b"x")

import multiprocessing

import pytest
from lab.errors import LabError
from lab.store.journal import append_line, read_journal, read_lines

LINES = ({"event": "claimed", "entry": 0}, {"event": "döne", "n": 1.0}, {"event": "end", "x": None})


def written(path):
    for line in LINES:
        append_line(path, line)
    return path.read_bytes()


def test_lines_come_back_in_order(tmp_path):
    written(tmp_path / "journal.jsonl")
    assert read_lines(tmp_path / "journal.jsonl") == LINES


def test_an_absent_journal_is_empty(tmp_path):
    assert read_lines(tmp_path / "journal.jsonl") == ()


def test_a_cut_at_any_byte_loses_only_the_unfinished_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    content = written(path)
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        whole = sum(1 for end in _ends(content) if length >= end - 1)
        assert read_lines(path) == LINES[:whole], length


def test_appending_after_a_cut_at_any_byte_keeps_all_whole_lines(tmp_path):
    path = tmp_path / "journal.jsonl"
    content = written(path)
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        whole = sum(1 for end in _ends(content) if length >= end - 1)
        append_line(path, {"event": "resumed"})
        assert read_lines(path) == (*LINES[:whole], {"event": "resumed"}), length


def _ends(content):
    return [index + 1 for index, byte in enumerate(content) if byte == ord("\n")]


@pytest.mark.parametrize("garbage", [b"nonsense\n", b"null\n", b"[]\n", b"\xff\n", b"\n", b"NaN\n"])
def test_a_garbled_line_inside_is_named_and_the_others_survive(tmp_path, garbage):
    path = tmp_path / "journal.jsonl"
    content = written(path)
    first = content.index(b"\n") + 1
    path.write_bytes(content[:first] + garbage + content[first:])
    journal = read_journal(path)
    assert journal.lines == LINES
    assert journal.faults == (f"{path}:2: not a JSON object; remove the line",)
    with pytest.raises(LabError, match=r"journal\.jsonl:2"):
        read_lines(path)


def test_a_torn_last_line_is_told_but_is_no_fault(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":')
    journal = read_journal(path)
    assert (journal.lines, journal.faults, journal.is_torn) == (({"a": 1},), (), True)


def test_not_a_number_is_refused_and_leaves_no_trace(tmp_path):
    path = tmp_path / "journal.jsonl"
    with pytest.raises(ValueError):
        append_line(path, {"cost": float("nan")})
    assert not path.exists()


def test_a_newline_in_a_text_does_not_split_the_line(tmp_path):
    append_line(tmp_path / "j", {"text": "a\nb\r\n\u2028c"})
    assert read_lines(tmp_path / "j") == ({"text": "a\nb\r\n\u2028c"},)


def _append(path, writer, count):
    for number in range(count):
        append_line(path, {"writer": writer, "number": number, "pad": "x" * 5000})


def test_several_processes_append_without_mixing_lines(tmp_path):
    path = tmp_path / "journal.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append, args=(path, n, 20)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = [(line["writer"], line["number"]) for line in read_lines(path)]
    assert sorted(found) == [(writer, number) for writer in range(3) for number in range(20)]

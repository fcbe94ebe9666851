import json
from dataclasses import replace

import pytest
from builders.pools import identity, metrics, record
from hypothesis import given
from hypothesis import strategies as st
from lab.domain.metric import Measurement, Reason, measured, missing
from lab.domain.run import Timings
from lab.errors import LabError
from lab.paths import RunPaths
from lab.store.foreign import MAX_BYTES, Unreadable
from lab.store.metrics_text import RunMetrics, metrics_document, metrics_fault
from lab.store.record_text import record_document, record_fault
from lab.store.run_files import read_metrics, read_record, write_metrics, write_record

RUN = "2026-05-01_10-00-00_game-of-life-prose_v1_m"


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / RUN
    folder.mkdir()
    return RunPaths(folder)


def rejected(read, run):
    with pytest.raises(Unreadable) as caught:
        read(run)
    return caught.value.reason


def test_a_record_comes_back_as_it_was_written(run):
    whole = record(
        identity(RUN),
        evidence='say "no"\n\tπ 🎉',
        timings=Timings(wall_seconds=3.0, queue_seconds=0.1),
        limits_requested=(("timeout_seconds", "5400"), ("cpus", "2")),
        detections=("events edited",),
        warnings=("a", "b"),
        reporter_route="path",
    )
    write_record(run, whole)
    assert read_record(run) == whole


def test_unknown_is_null_on_disk_and_none_in_memory(run):
    bare = identity(RUN, prompt=None, stack=None, exit_reason=None, attempts=None, hashes=())
    write_record(run, record(bare, timings=Timings()))
    assert json.loads(run.record.read_text())["timings"]["wall_seconds"] is None
    assert read_record(run).identity == bare


def test_a_record_of_another_run_is_not_written(run):
    with pytest.raises(ValueError, match="names run other"):
        write_record(run, record(identity("other")))
    assert not run.record.exists()


def test_a_name_that_stands_twice_is_not_lost_silently(run):
    twice = record(identity(RUN), host=(("cores", "2"), ("cores", "4")))
    with pytest.raises(ValueError, match="host: named twice: cores"):
        write_record(run, twice)


def test_a_record_that_breaks_its_schema_is_not_written(run):
    wrong = record(identity(RUN, started_at="yesterday"))
    with pytest.raises(ValueError, match="started_at"):
        write_record(run, wrong)
    assert list(run.folder.iterdir()) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_hold_is_refused(run, number):
    with pytest.raises(ValueError):
        write_metrics(run, {"code_mass": measured(number, "a@1")})
    assert list(run.folder.iterdir()) == []


def test_an_integer_beyond_64_bits_is_refused_rather_than_rounded(run):
    with pytest.raises(ValueError):
        write_record(run, record(identity(RUN), seed=2**63))
    with pytest.raises(ValueError):
        write_metrics(run, {"tests_total": measured(2**64, "a@1")})


@pytest.mark.parametrize(
    "value", [True, False, 0, 1, -1, 2**53 + 1, 0.0, 1.0, -0.0, 0.1, 1e-320, 1e308]
)
def test_a_value_keeps_its_type_and_every_bit(run, value):
    write_metrics(run, {"x": measured(value, "a@1")})
    found = read_metrics(run)["x"].value
    assert (type(found), repr(found)) == (type(value), repr(value))


def test_every_reason_survives_with_its_measuring_code(run):
    whole = {reason.name.lower(): missing(reason, f"code@{reason}") for reason in Reason}
    whole["tests_total"] = measured(3, "pytest@2")
    write_metrics(run, whole)
    assert dict(read_metrics(run)) == whole


VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
)
MEASUREMENTS = st.one_of(
    st.builds(measured, VALUES, st.sampled_from(["a@1", "b@2", ""])),
    st.builds(missing, st.sampled_from(list(Reason)), st.sampled_from(["a@1", "b@2"])),
)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True), MEASUREMENTS))
def test_the_compact_form_loses_nothing(whole):
    document = json.loads(json.dumps(metrics_document(RUN, whole)))
    assert metrics_fault(document, RUN) is None
    found = RunMetrics(document)
    assert dict(found) == whole
    assert len(found) == len(whole)
    assert {key: repr(found[key]) for key in found} == {key: repr(whole[key]) for key in whole}


def test_metrics_know_what_they_do_not_have(run):
    write_metrics(run, metrics())
    found = read_metrics(run)
    assert "nothing" not in found
    with pytest.raises(KeyError):
        found["nothing"]
    assert found.get("tokens_total") == Measurement(None, Reason.NO_SOURCE, "gateway@1")


@pytest.mark.parametrize("name", ["record", "metrics"])
def test_a_file_cut_off_at_any_byte_is_rejected_by_name(run, name):
    read = {"record": read_record, "metrics": read_metrics}[name]
    write_record(run, record(identity(RUN)))
    write_metrics(run, metrics())
    path = getattr(run, name)
    content = path.read_bytes()
    assert content.endswith(b"}\n")
    for length in range(len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(Unreadable) as caught:
            read(run)
        assert caught.value.path in (path, str(path)), length
    path.write_bytes(content[:-1])
    assert read(run) is not None


GARBAGE = {
    "empty": b"",
    "blank": b" \n",
    "null": b"null\n",
    "a list": b"[]\n",
    "a number": b"3\n",
    "NaN": b'{"metrics": {"a": NaN}}',
    "infinity": b'{"metrics": {"a": 1e999}}',
    "not UTF-8": b'{"metrics": "\xff"}',
    "zeros": b"\0" * 4096,
    "deep": b"[" * 100_000,
    "no lab": b'{"agent": "pi", "cycle_count": 7}\n',
}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_rejected_in_both_files(run, content):
    run.record.write_bytes(content)
    run.metrics.write_bytes(content)
    assert rejected(read_record, run)
    assert rejected(read_metrics, run)


@pytest.mark.parametrize("version", [2, 99, 0, -1, None, "1", 1.0, True])
def test_a_version_that_is_not_ours_is_rejected(version):
    document = record_document(record(identity(RUN))) | {"schema_version": version}
    fault = record_fault(document, RUN)
    assert fault is not None and "schema_version" in fault
    if type(version) is int and version > 1:
        assert "newer" in fault and "update" in fault


def test_every_field_of_the_record_is_required():
    document = record_document(record(identity(RUN)))
    assert record_fault(document, RUN) is None
    for name in document:
        rest = {key: value for key, value in document.items() if key != name}
        assert name in (record_fault(rest, RUN) or ""), name


@pytest.mark.parametrize("value", [3, 1.5, True, [], {}, None, "text"], ids=repr)
def test_every_field_of_the_record_refuses_a_wrong_type(value):
    document = record_document(record(identity(RUN)))
    for name, good in document.items():
        changed = document | {name: value}
        is_plausible = type(value) is type(good) or value is None or good is None
        if not is_plausible:
            assert name in (record_fault(changed, RUN) or ""), (name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hashes", {"prompt_sha": 3}),
        ("timings", {"wall_seconds": "1"}),
        ("timings", {"wall_seconds": True}),
        ("lab", {"version": None}),
        ("warnings", ["a", 2]),
    ],
)
def test_a_wrong_type_inside_a_map_or_list_is_rejected(name, value):
    document = record_document(record(identity(RUN))) | {name: value}
    assert f"`{name}`" in (record_fault(document, RUN) or "")


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("metrics", {"a": "1"}, "metric `a`"),
        ("metrics", {"a": None}, "metric `a`"),
        ("metrics", {"a": [1]}, "metric `a`"),
        ("metrics", [], "no map `metrics`"),
        ("missing", {"b": "because"}, "metric `b`"),
        ("missing", {"b": {}}, "metric `b`"),
        ("missing", {"b": 3}, "metric `b`"),
        ("missing", {"x": "no-source"}, "has a value and a reason"),
        ("by", {"a@1": "x"}, "`by`"),
        ("by", {"a@1": [3]}, "`by`"),
        ("run_id", "another", "another"),
    ],
)
def test_a_metrics_file_that_contradicts_the_format_is_rejected(part, value, told):
    document = metrics_document(RUN, {"x": measured(1, "a@1")}) | {part: value}
    assert told in (metrics_fault(document, RUN) or "")


def test_a_copied_folder_is_not_a_second_run(run):
    write_record(run, record(identity(RUN)))
    copy = RunPaths(run.folder.with_name("copy"))
    run.folder.rename(copy.folder)
    assert RUN in rejected(read_record, copy)


def test_links_pipes_and_folders_are_not_read(run, tmp_path):
    target = tmp_path / "elsewhere.json"
    target.write_text("{}")
    run.record.symlink_to(target)
    assert "symbolic link" in rejected(read_record, run)
    run.record.unlink()
    run.record.mkdir()
    assert rejected(read_record, run)
    import os

    os.mkfifo(run.metrics)
    assert "not a regular file" in rejected(read_metrics, run)


def test_a_huge_file_is_not_loaded(run):
    with open(run.metrics, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "larger than" in rejected(read_metrics, run)


def test_an_absent_file_is_a_fault_the_user_can_read(run):
    with pytest.raises(LabError, match=r"run\.json: does not exist"):
        read_record(run)


def test_undecodable_output_of_an_agent_can_be_stored(run):
    evidence = b"caf\xe9".decode("utf-8", "surrogateescape")
    write_record(run, record(identity(RUN), evidence=evidence))
    assert read_record(run).evidence == "caf?"


def test_replacing_metrics_leaves_no_other_file(run):
    write_metrics(run, metrics(1))
    write_metrics(run, metrics(2))
    assert dict(read_metrics(run)) == metrics(2)
    assert [path.name for path in run.folder.iterdir()] == ["metrics.json"]


def test_a_record_may_say_less_but_never_more_than_its_schema():
    changed = replace(record(identity(RUN)), executor=None, batch_id=None)
    assert record_fault(record_document(changed), RUN) is None

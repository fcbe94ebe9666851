from datetime import UTC, datetime

from builders.pools import add_run, identity
from builders.questions import QUESTION, small_lab, small_question
from lab.aggregation.aggregate import derive
from lab.aggregation.gather import Sources, choose
from lab.domain.metric import Reason, measured, missing

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}
A = "a" * 64


def add(paths, run_id, model="m1", metrics=None, **changes):
    add_run(paths, identity(run_id, model=model, **LIFE, **changes), metrics or {})


def page(paths):
    sources = Sources(paths)
    question = small_question(paths)
    _, texts = derive(
        sources, question, choose(sources, question), datetime(2026, 1, 1, tzinfo=UTC)
    )
    return texts["summary.md"].decode()


def rows(text, heading):
    """Return the rows of the table below a heading as lists of cells, titles first."""
    table = text.split(f"{heading}\n")[1].split("\n#")[0]
    lines = [line for line in table.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_an_alternatives_runs_stand_under_the_cells_label(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", "m2-routed")
    assert [row[:5] for row in rows(page(paths), "## Coverage")[1:]] == [
        ["life-prose", "plain-v1", "m1", "0", "0"],
        ["life-prose", "plain-v1", "m2", "1", "1"],
    ]


def test_the_harness_column_appears_only_when_declared(tmp_path):
    text = QUESTION.replace("controls:", 'controls:\n  harness_version: "1.0"')
    declared = small_lab(tmp_path / "a", text)
    add(declared, "1")
    for heading in ("## Coverage", "### code_mass — Code Mass (APP)"):
        titles, first, _ = rows(page(declared), heading)
        assert titles[:4] == ["kata", "workflow", "model", "harness"]
        assert first[3] == "1.0"
    assert "harness" not in page(small_lab(tmp_path / "b"))


def test_the_stack_column_appears_when_declared(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("controls:", "controls:\n  stack: python-pytest"))
    titles, first, _ = rows(page(paths), "## Coverage")
    assert (titles[3], first[3]) == ("stack", "python-pytest")


def test_a_pinned_hash_is_a_column_and_shows_what_can_be_told_apart(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("controls:", f"controls:\n  prompt_sha: {A}"))
    titles, first, _ = rows(page(paths), "## Coverage")
    assert (titles[3], first[3]) == ("prompt_sha", "a" * 12)


def test_coverage_says_how_runs_ended_and_what_they_left(tmp_path):
    paths = small_lab(tmp_path)
    for number, reason in enumerate(["ok", "ok", "timeout", "timeout-killed", "error-1"]):
        completion = "stopped-early" if number else "finished"
        add(paths, str(number), exit_reason=reason, completion=completion)
    assert rows(page(paths), "## Coverage")[1][3:] == [
        "5",
        "2",
        "short (2/3)",
        "2 (40 %)",
        "error-1 1, ok 2, timeout 1, timeout-killed 1",
        "finished 1, stopped-early 4",
    ]


def test_timeouts_stand_beside_the_means_and_enter_none(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", metrics={"code_mass": measured(10, "m@1")})
    add(paths, "2", metrics={"code_mass": measured(1000, "m@1")}, exit_reason="timeout")
    titles, first, _ = rows(page(paths), "### code_mass — Code Mass (APP)")
    found = dict(zip(titles, first, strict=True))
    assert (found["n"], found["mean"], found["timeouts"]) == ("1", "10", "1 (50 %)")
    assert (found["sd"], found["95 % interval"]) == ("n/a", "n/a")


def test_a_cell_of_nulls_prints_not_available_and_the_reasons(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", metrics={"code_mass": missing(Reason.TESTS_RED, "m@1")})
    add(paths, "2", metrics={"code_mass": missing(Reason.TOOL_FAILED, "m@1")})
    titles, first, _ = rows(page(paths), "### code_mass — Code Mass (APP)")
    found = dict(zip(titles, first, strict=True))
    assert (found["n"], found["mean"], found["median"]) == ("0", "n/a", "n/a")
    assert found["nulls"] == "tests-red 1, tool-failed 1"


def test_an_interval_that_is_less_than_it_seems_says_so_below_its_table(tmp_path):
    paths = small_lab(tmp_path)
    for number in range(2):
        add(paths, str(number), metrics={"tokens": measured(number * 100, "g@1")})
    section = page(paths).split("### tokens")[1].split("###")[0]
    assert (
        "- not all values are above zero: linear, clipped at 0: "
        "life-prose / plain-v1 / m1 / python-pytest\n" in section
    )


def test_a_primary_outcome_is_marked(tmp_path):
    text = page(small_lab(tmp_path, QUESTION.replace("min_rep", "primary: tokens\nmin_rep")))
    assert "### tokens (primary)\n" in text


def test_a_pipe_in_a_name_does_not_break_the_table(tmp_path):
    text = QUESTION.replace("controls:", 'controls:\n  harness_version: "a|b"')
    line = page(small_lab(tmp_path, text)).split("## Coverage")[1].splitlines()[4]
    assert "| a\\|b |" in line


def test_a_closed_question_says_why(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("min_rep", 'closed: "no money"\nmin_rep'))
    assert "\nClosed: no money\n" in page(paths)

"""The original's rules, and its printed tables, compared number by number."""

import math
from dataclasses import replace

import pytest
from builders.originals import august, original_of
from builders.pools import identity
from lab.domain.cell import Cell
from lab.domain.coverage import CellCoverage
from lab.errors import LabError
from lab.importing.august import Page, Row, Table, tabulate
from lab.importing.compare import compare, is_same
from lab.importing.printed import read_printed

V1 = ("life-prose", "v1", "m1")
V2 = ("life-prose", "v2", "m1")
PAGE = """\
# RQ-old — Aggregation

_Which workflow?_

Generated: 2026-11-30T11:24:27Z

Cells declared: 2 · matched runs: 3 · min_replicates: 2

## Zell-Coverage

| kata | workflow | model | n | n_ok | status |
|---|---|---|---:|---:|---|
| life-prose | v1 | m1 | 3 | 2 | ✅ |
| life-prose | v2 | m1 | 0 | 0 | ❌ keine Runs |

## Outcome-Pivots (pro Zelle)

### total_tokens

| kata       | cell_workflow   | cell_model   |   n |        mean |     min |     max |    std |
|:-----------|:----------------|:-------------|----:|------------:|--------:|--------:|-------:|
| life-prose | v1              | m1           |   3 | 1.23457e+06 | 1000000 | 1500000 | 250000 |

### tdd_cycles

_Spalte `tdd_cycles` nicht in CSV — wird nicht erhoben oder Tippfehler im Frontmatter._
"""


def cell(workflow="v1"):
    return Cell("life", "prose", (workflow,), ("m1",), "typescript-vitest")


@pytest.fixture
def page(tmp_path):
    """Tabulate runs (documents) of one cell beside an empty one."""

    def call(documents, *outcomes, least=2):
        originals = {
            f"r{number}": original_of(tmp_path, document, f"r{number}")
            for number, document in enumerate(documents)
        }
        runs = tuple(identity(run_id) for run_id in originals)
        coverage = [CellCoverage(cell(), runs, 0), CellCoverage(cell("v2"), (), 0)]
        return tabulate(coverage, originals, outcomes, least)

    return call


def rows(found):
    return [(row.labels, row.numbers) for row in found.rows]


def pivot(page):
    return page.tables[1]


def test_numbers_are_rounded_to_two_decimals_and_nulls_do_not_count(page):
    documents = [august(clean_code__loc=loc) for loc in (10, 11, 11, None)]
    found = pivot(page(documents, "cc_loc"))
    assert (found.heading, rows(found)) == ("cc_loc", [(V1, (3, 10.67, 10, 11, 0.58))])


def test_one_value_has_no_spread(page):
    (row,) = pivot(page([august()], "cc_loc")).rows
    assert row.numbers[:4] == (1, 36, 36, 36)
    assert math.isnan(row.numbers[4])


def test_a_column_of_zeros_and_ones_is_taken_for_a_rate(page):
    documents = [august(code_smells__total=total) for total in (0, 1, 1)]
    found = pivot(page(documents, "smell_total"))
    assert (found.heading, rows(found)) == ("smell_total (rate %)", [(V1, (3, 2, 67))])


def test_a_null_counts_as_false_in_a_rate(page):
    documents = [august(final_metrics__cli_built=built) for built in (True, None)]
    found = pivot(page(documents, "cli_built"))
    assert rows(found) == [(V1, (2, 1, 50))]


def test_pooled_rates_leave_out_runs_without_predictions(page):
    documents = [
        august(summary_metrics__predictions_correct=hit, summary_metrics__predictions_total=total)
        for hit, total in ((2, 3), (0, 0), (None, None))
    ]
    found = pivot(page(documents, "predictions_correct_rate"))
    assert found.heading == "predictions_correct_rate (pooled %)"
    assert rows(found) == [(V1, (1, 2, 3, 66.7))]


def test_unknown_columns_and_columns_of_nulls_have_no_rows(page):
    nulls = [august(final_metrics__cost_usd=None)]
    assert page(nulls, "tdd_cycles", "cost_usd").tables[1:] == (
        Table("tdd_cycles", ()),
        Table("cost_usd", ()),
    )


def test_all_matched_runs_count_whatever_their_end(page):
    documents = [august(), august(run_status__exit_reason="timeout")]
    found = page(documents, "completed_within_budget", "cc_loc")
    assert [rows(table) for table in found.tables[1:]] == [
        [(V1, (2, 1, 50))],
        [(V1, (2, 36, 36, 36, 0))],
    ]
    assert found.counts == (2, 2, 2)


@pytest.mark.parametrize(
    ("endings", "status"),
    [
        (["ok", "completed"], "✅"),
        (["ok"], "⚠️ unter min_replicates (1/2)"),
        (["ok", "timeout"], "⚠️ nur 1/2 ohne Timeout"),
        (["timeout", "rate-limited"], "⚠️ alle 2 Runs Timeout/rate-limited"),
        ([], "❌ keine Runs"),
    ],
)
def test_coverage_is_told_in_the_original_s_words(page, endings, status):
    documents = [august(run_status__exit_reason=reason) for reason in endings]
    assert page(documents, "cc_loc").tables[0].rows[0].status == status


def test_without_any_run_there_are_no_pivots(page):
    assert [table.heading for table in page([], "cc_loc").tables] == ["Zell-Coverage"]


@pytest.fixture
def printed(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text(PAGE)
    return read_printed(path)


COVERAGE = Table("Zell-Coverage", (Row(V1, (3, 2), "✅"), Row(V2, (0, 0), "❌ keine Runs")))
TOKENS = Row(V1, (3, 1234567.89, 1000000, 1500000, 250000.0))
DERIVED = Page((2, 3, 2), (COVERAGE, Table("total_tokens", (TOKENS,)), Table("tdd_cycles", ())))


def test_equal_pages_are_equal_in_every_number(printed):
    found = compare(printed, DERIVED)
    assert (found.tables, found.numbers, found.equal, found.statuses) == (3, 12, 12, 2)
    assert found.differences == ()


def test_every_difference_is_named_with_both_sides(printed):
    wrong = replace(TOKENS, numbers=(2, 1234580.0, 1000001, 1500000, 250000.0))
    less = replace(COVERAGE, rows=(Row(V1, (3, 2), "⚠️"), COVERAGE.rows[1]))
    page = Page((2, 4, 2), (less, Table("total_tokens", (wrong,)), Table("tdd_cycles", ())))
    found = compare(printed, page)
    assert [str(one) for one in found.differences] == [
        "matched runs: printed 3, here 4",
        "total_tokens: life-prose / v1 / m1: n: printed 3, here 2",
        "total_tokens: life-prose / v1 / m1: mean: printed 1.23457e+06, here 1234580",
        "total_tokens: life-prose / v1 / m1: min: printed 1000000, here 1000001",
        "Zell-Coverage: life-prose / v1 / m1: status: printed ✅, here ⚠️",
    ]
    assert (found.numbers, found.equal) == (12, 8)


def test_a_missing_and_a_superfluous_table_are_differences(printed):
    found = compare(printed, Page((2, 3, 2), (COVERAGE, Table("mccabe_max", ()))))
    told = [str(one) for one in found.differences]
    assert "total_tokens: life-prose / v1 / m1: n: printed 3, here nothing" in told
    assert "tdd_cycles: the whole table: printed a table or a sentence, here nothing" in told
    assert "mccabe_max: the whole table: printed nothing, here a table or a sentence" in told
    assert (found.numbers, found.equal) == (12, 7)


def test_a_superfluous_row_is_a_difference_that_counts_no_printed_number(printed):
    more = Table("total_tokens", (TOKENS, replace(TOKENS, labels=V2)))
    found = compare(printed, replace(DERIVED, tables=(COVERAGE, more, DERIVED.tables[2])))
    assert len(found.differences) == 5
    assert (found.numbers, found.equal) == (12, 12)


@pytest.mark.parametrize(
    ("text", "value", "same"),
    [
        ("158.4", 158.4, True),
        ("158.4", 158.41, False),
        ("1.23457e+06", 1234567.89, True),
        ("1.23457e+06", 1234580.0, False),
        ("1370155", 1370155, True),
        ("1370155", 1370156, False),
        ("123457", 123456.78, True),
        ("nan", math.nan, True),
        ("nan", 0.0, False),
        ("", 1.0, False),
    ],
)
def test_a_number_is_the_same_when_it_prints_the_same(text, value, same):
    assert is_same(text, value) is same


def test_a_file_that_is_no_summary_is_refused(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text("# something else\n")
    with pytest.raises(LabError, match="Cells declared"):
        read_printed(path)

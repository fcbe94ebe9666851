import csv
import io

from builders.metrics import metric_row, registry_of
from builders.pools import identity
from lab.aggregation.gather import Measured, cell_runs
from lab.aggregation.runs_csv import IDENTITY, render
from lab.domain.cell import Cell
from lab.domain.metric import Kind

CELL = Cell("life", None, ("v1", "v1-fixed"), ("m", "m-routed"), None)
NOTHING = Measured({}, {}, {})
REGISTRY = registry_of(
    metric_row("green", kind=Kind.BOOLEAN),
    metric_row("mass", kind=Kind.CONTINUOUS),
    metric_row("p_rate", kind=Kind.POOLED_RATE, numerator="mass", denominator="mass"),
)


def table(*pairs, cell=CELL):
    runs = tuple(run for run, _ in pairs)
    measured = tuple(Measured(values, {}, {}) for _, values in pairs)
    return render((cell_runs(cell, runs, measured),), REGISTRY)


def test_columns_are_the_identity_then_the_registrys_columns():
    header = table().split("\n")[0]
    assert header == ",".join([*IDENTITY, "green", "mass"])
    assert header.startswith(
        "run_id,kata,kata_base,prompt,workflow,cell_workflow,model,cell_model,stack,harness,"
        "harness_version,exit_reason,completion,attempts,started_at,plan,"
    )


def test_a_null_is_empty_and_a_boolean_is_lower_case():
    text = table(
        (identity("a"), {"green": True}),
        (identity("b"), {"green": False, "mass": 0}),
    )
    assert [line.split(",")[-2:] for line in text.splitlines()[1:]] == [
        ["true", ""],
        ["false", "0"],
    ]


def test_floats_are_written_so_that_they_read_back_to_the_same_bits():
    numbers = [0.1, 1e308, 1e-320, -0.0, 2**53 + 1, 1 / 3, 1.0]
    rows = [(identity(str(n)), {"mass": v}) for n, v in enumerate(numbers)]
    shown = [line.split(",")[-1] for line in table(*rows).splitlines()[1:]]
    assert shown == ["0.1", "1e+308", "1e-320", "-0.0", "9007199254740993", repr(1 / 3), "1.0"]


def test_workflows_called_none_na_or_null_stay_text():
    names = ["None", "NA", "null", "N/A", "none", "nan", "true"]
    rows = [(identity(f"{n}", workflow=name), {}) for n, name in enumerate(names)]
    read = list(csv.DictReader(io.StringIO(table(*rows))))
    assert [row["workflow"] for row in read] == names


def test_rows_are_sorted_by_run_id_across_cells():
    first = cell_runs(CELL, (identity("b"), identity("d")), (NOTHING, NOTHING))
    second = cell_runs(CELL, (identity("a"), identity("c")), (NOTHING, NOTHING))
    lines = render((first, second), REGISTRY).splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == ["a", "b", "c", "d"]


def test_an_alternative_keeps_its_own_name_beside_the_cells_label():
    run = identity("a", workflow="v1-fixed", model="m-routed")
    row = next(csv.DictReader(io.StringIO(table((run, {})))))
    assert (row["workflow"], row["cell_workflow"]) == ("v1-fixed", "v1")
    assert (row["model"], row["cell_model"]) == ("m-routed", "m")


def test_commas_quotes_and_line_ends_in_names_survive():
    run = identity("a", plan='fill, "two"\nlines', harness_version=None)
    text = table((run, {}))
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    assert (row["plan"], row["harness_version"]) == ('fill, "two"\nlines', "")
    assert "\r" not in text

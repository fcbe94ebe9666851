"""analysis-report.md: one run's measurements for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.domain.acceptance import ScenarioResult
from lab.domain.metric import Measurement
from lab.domain.run import RunRecord

LISTED = 30
# Which metrics stand together under which heading; what fits nowhere stands under "Other".
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Outcome", ("duration_", "wall_", "tokens_", "context_", "cost_", "completed_")),
    ("Tests", ("tests_", "test_lines", "todos_", "coverage_", "mutation_", "mutants_")),
    ("Acceptance", ("verification_pct", "verification_passed", "verification_total")),
    ("Size", ("code_mass", "production_", "functions", "longest_", "avg_", "median_", "unit_")),
    ("Complexity", ("mccabe_", "cognitive_")),
    ("Smells", ("smell_",)),
    (
        "Phase chain",
        ("chain_", "cycles_", "test_first", "red_", "green_", "refactor_", "skip_", "tdd_")
        + ("verification_tests", "verification_red"),
    ),
    ("Predictions", ("predictions_",)),
)


def analysis_report(
    title: str,
    record: RunRecord,
    metrics: Mapping[str, Measurement],
    details: Mapping[str, Any],
    scenarios: Sequence[ScenarioResult] | None,
) -> str:
    """Return the readable report: configuration, metrics, places, scenarios, nulls."""
    parts = [f"# Analysis of {_text(title)}", ""]
    for section in (
        _configuration(record),
        _noticed(record),
        _failures(details),
        _metrics(metrics),
        _chain(details.get("chain", {})),
        _acceptance(scenarios),
        _suite(details.get("python-suite", {})),
        _coverage(details.get("python-coverage", {})),
        _mass(details.get("python-mass", {})),
        _complexities(details),
        _units(details.get("python-units", {})),
        _smells(details.get("python-lint", {})),
        _todos(details.get("python-todos", {})),
        _left_out(details.get("python-copy", {})),
        _nulls(metrics),
    ):
        text = "\n".join(section).strip("\n")
        parts += [text, ""] if text else []
    return "\n".join(parts).rstrip() + "\n"


def _configuration(record: RunRecord) -> Iterator[str]:
    identity = record.identity
    rows = (
        ("kata", identity.kata),
        ("workflow", identity.workflow),
        ("model", identity.model),
        ("stack", identity.stack),
        ("harness", " ".join(filter(None, (identity.harness, identity.harness_version)))),
        ("executor", record.executor),
        ("ended as", identity.exit_reason),
        ("completion", identity.completion),
        ("attempts", identity.attempts),
        ("started", identity.started_at),
        *identity.hashes,
    )
    yield from _table("Configuration", ("", ""), rows)


def _noticed(record: RunRecord) -> Iterator[str]:
    """Show what decided the outcome, what detectors found, and what was odd."""
    rows = [("decided by", record.evidence)] if record.evidence else []
    rows += [("detected", told) for told in record.detections]
    rows += [("warning", told) for told in record.warnings]
    if record.detections or record.warnings:
        yield from _table("What was noticed", ("kind", "what"), rows)


def _failures(details: Mapping[str, Any]) -> Iterator[str]:
    """Show each cause once with the measuring codes that it cost their numbers."""
    causes: dict[str, list[str]] = {}
    for code, one in details.items():
        told = one.get("failure") or one.get("why")
        if told:
            causes.setdefault(str(told), []).append(code)
    if not causes:
        return
    yield "## What could not be measured"
    for told, codes in causes.items():
        yield ""
        yield f"{', '.join(codes)}:"
        yield ""
        yield from (f"    {_printable(line)}" for line in told.splitlines()[-LISTED:])


def _metrics(metrics: Mapping[str, Measurement]) -> Iterator[str]:
    left = dict(metrics)
    for heading, prefixes in SECTIONS:
        names = [name for name in left if name.startswith(prefixes)]
        yield from _metric_table(heading, {name: left.pop(name) for name in names})
    yield from _metric_table("Other", left)


def _metric_table(heading: str, metrics: Mapping[str, Measurement]) -> Iterator[str]:
    rows = [(f"`{name}`", shown(one)) for name, one in metrics.items() if one.reason is None]
    if rows:
        yield from _table(heading, ("metric", "value"), rows)
        yield ""


def shown(one: Measurement) -> str:
    """Show a measurement: yes or no, three decimals at most, or n/a with the reason."""
    value = one.value
    if value is None:
        return f"n/a ({one.reason})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"


def _chain(details: Mapping[str, Any]) -> Iterator[str]:
    if details.get("line"):
        yield "## Labels of the suite runs"
        yield ""
        yield f"{details['line']} (see tdd-report.md)"


def _acceptance(scenarios: Sequence[ScenarioResult] | None) -> Iterator[str]:
    rows = (
        (one.name, one.status, f"{one.seconds:.2f}", one.tries, one.detail)
        for one in scenarios or ()
    )
    yield from _table("Scenarios", ("scenario", "status", "seconds", "tries", "detail"), rows)


def _suite(details: Mapping[str, Any]) -> Iterator[str]:
    yield from _table("Failed tests", ("test",), ((test,) for test in details.get("failed", ())))
    if details.get("tampered"):
        yield ""
        yield f"The suite changed its own report: {_text(', '.join(details['tampered']))}."
    if details.get("output"):
        yield ""
        yield "What the suite printed last:"
        yield ""
        lines = details["output"].splitlines()[-LISTED:]
        yield from (f"    {_printable(line)}" for line in lines)


def _coverage(details: Mapping[str, Any]) -> Iterator[str]:
    rows = (
        (
            path,
            f"{one['covered_lines']}/{one['num_statements']}",
            f"{one['covered_branches']}/{one['num_branches']}",
        )
        for path, one in details.get("files", {}).items()
    )
    yield from _table("Coverage by file", ("file", "statements", "branches"), rows)


def _mass(details: Mapping[str, Any]) -> Iterator[str]:
    rows = (
        (name, one["count"], one["weight"], one["count"] * one["weight"])
        for name, one in details.get("components", {}).items()
    )
    yield from _table("Code mass", ("construct", "count", "weight", "mass"), rows)


def _complexities(details: Mapping[str, Any]) -> Iterator[str]:
    for heading, code, key in (
        ("McCabe complexity by function", "python-lint", "mccabe"),
        ("Cognitive complexity by function", "python-cognitive", "functions"),
    ):
        functions = sorted(details.get(code, {}).get(key, ()), key=lambda one: -one["value"])
        rows = [(_place(one), one["name"], one["value"]) for one in functions]
        if rows:
            yield from _table(heading, ("place", "function", "value"), rows)
            yield ""


def _units(details: Mapping[str, Any]) -> Iterator[str]:
    units = sorted(details.get("units", ()), key=lambda one: -one["lines"])
    rows = ((_place(one), one["name"], one["lines"]) for one in units)
    yield from _table("Longest functions", ("place", "function", "lines"), rows)


def _smells(details: Mapping[str, Any]) -> Iterator[str]:
    rows = (
        (_place(one), one["rule"], one["bucket"].removeprefix("smell_"), one["message"])
        for one in details.get("smells", ())
    )
    yield from _table("Smells by place", ("place", "rule", "counter", "message"), rows)


def _todos(details: Mapping[str, Any]) -> Iterator[str]:
    rows = [("mark", place) for place in details.get("marks", ())]
    rows += [("pending test", test) for test in details.get("pending", ())]
    yield from _table("Left to do", ("kind", "place"), rows)


def _left_out(details: Mapping[str, Any]) -> Iterator[str]:
    rows = ((path,) for path in details.get("left_out", ()))
    yield from _table("Left out of the copy that was tested", ("file",), rows)


def _nulls(metrics: Mapping[str, Measurement]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for name, one in metrics.items():
        if one.reason is not None:
            by_reason.setdefault(one.reason.value, []).append(f"`{name}`")
    rows = ((reason, ", ".join(names)) for reason, names in sorted(by_reason.items()))
    yield from _table("Not measured", ("reason", "metrics"), rows)


def _table(heading: str, names: Sequence[str], rows: Any) -> Iterator[str]:
    """Lay rows out under a heading; nothing where there are none, a count of those left out."""
    known = list(rows)
    if not known:
        return
    yield f"## {heading}"
    yield ""
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in known[:LISTED]:
        yield f"| {' | '.join(_text(cell) for cell in row)} |"
    if len(known) > LISTED:
        yield ""
        yield f"and {len(known) - LISTED} more"


def _place(one: Mapping[str, Any]) -> str:
    return f"{one['path']}:{one['line']}"


def _text(cell: object) -> str:
    """Make foreign text fit into one cell of a table."""
    text = "-" if cell is None else _printable(str(cell))
    return text.replace("|", "\\|").replace("<", "&lt;")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)

"""The import report as Markdown for people and as a document for machines."""

from collections.abc import Iterator
from typing import Any

from lab.importing.oddity import printable
from lab.importing.report import QuestionReport, Report

NONE = "-"
# What the original's own raw data showed about its pipeline; no single value tells.
CAREFUL = (
    "tokens_total: on Claude Code every content block repeats its message's usage (median 1.74 "
    "times too much), and sub-agents are left out there and on OpenCode: compare within a harness.",
    "duration_seconds = wall_seconds: back-off of retries and installs are in both.",
    "tests_total: counted by text in one file, so too low on some runs.",
    "coverage_*_pct, context_utilization: cut to whole percent.",
    "completion: known only of runs without production code; the others do not tell.",
)


def markdown(report: Report) -> str:
    """Render the whole report; every odd run and every difference is named."""
    return (
        "\n".join(
            [
                "# Import report",
                "",
                f"{headline(report)}.",
                *_runs(report),
                *_odd(report),
                *_nulled(report),
                *_careful(),
                *_questions(report),
                *_differences(report),
                *_short(report),
            ]
        )
        + "\n"
    )


def headline(report: Report) -> str:
    """Say in one line what was compared and what is missing."""
    numbers = sum(one.numbers for one in report.compared)
    equal = sum(one.equal for one in report.compared)
    tables = sum(one.tables for one in report.compared)
    short = sum(1 for one in report.questions if one.missing)
    cells = sum(one.cells for one in report.questions)
    return (
        f"{report.runs} runs, {len(report.questions)} questions, {cells} cells; "
        f"under the original's rules {equal} of {numbers} printed numbers in {tables} tables are "
        f"reproduced; under ours {report.missing} replicates are missing over {short} questions"
    )


def document(report: Report) -> dict[str, Any]:
    """Return the same as JSON-ready values (schema import-report)."""
    return {
        "schema_version": 1,
        "source": report.source,
        "runs": report.runs,
        "generations": dict(report.generations),
        "unreadable": [{"run_id": name, "reason": why} for name, why in report.unreadable],
        "odd": [
            {"kind": odd.kind, "runs": [{"run_id": name, "what": text} for name, text in odd.runs]}
            for odd in report.odd
        ],
        "nulled": [
            {"rule": one.rule, "reason": one.reason, "runs": one.runs, "values": one.values}
            for one in report.nulled
        ],
        "is_reproduced": report.is_reproduced,
        "missing": report.missing,
        "questions": [_question_document(question) for question in report.questions],
    }


def _question_document(question: QuestionReport) -> dict[str, Any]:
    comparison = question.comparison
    return {
        "id": question.id,
        "cells": question.cells,
        "matched": question.matched,
        "ok": question.usable,
        "original": None
        if comparison is None
        else {
            "tables": comparison.tables,
            "numbers": comparison.numbers,
            "equal": comparison.equal,
            "statuses": comparison.statuses,
            "differences": [
                {"where": one.where, "printed": one.printed, "derived": one.derived}
                for one in comparison.differences
            ],
        },
        "fault": question.fault,
        "missing": question.missing,
        "short": [{"cell": key, "missing": count} for key, count in question.short],
    }


def _runs(report: Report) -> Iterator[str]:
    listed = ", ".join(f"{count} {name}" for name, count in report.generations)
    pipelines = f"Runs by the pipeline that wrote their metrics.json: {listed}."
    yield from ("", f"Source: `{report.source}`.", pipelines)
    if report.unreadable:
        yield from ("", "## Not counted: no runs", "")
        yield from (f"- `{printable(name)}`: {why}" for name, why in report.unreadable)


def _odd(report: Report) -> Iterator[str]:
    yield from ("", "## Odd files, counted as they are", "")
    for odd in report.odd:
        yield f"- {odd.kind}: {len(odd.runs)}"
        yield from (f"  - `{printable(name)}`: {text}" for name, text in odd.runs)
    if not report.odd:
        yield "None."


def _nulled(report: Report) -> Iterator[str]:
    yield from ("", "## Stood as 0, false or null; now null with a reason", "")
    if not report.nulled:
        yield "None."
        return
    yield from ("| rule | because | reason | runs | values |", "|---|---|---|---:|---:|")
    for one in report.nulled:
        yield f"| {one.rule} | {one.told} | {one.reason} | {one.runs} | {one.values} |"


def _careful() -> Iterator[str]:
    yield from ("", "## Carried as they stand: read with care", "")
    yield from (f"- {line}" for line in CAREFUL)


def _questions(report: Report) -> Iterator[str]:
    yield from (
        "",
        "## Questions",
        "",
        "Tables, numbers and equal: the original's summary.md against its own rules applied to the "
        "imported numbers (all matched runs, kinds guessed from values).",
        "Missing: replicates that our planner asks for (only `ok` runs count).",
        "",
        "| question | cells | runs | ok | tables | numbers | equal | differ | missing |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    )
    for question in report.questions:
        counts = (question.id, question.cells, question.matched, question.usable)
        cells = [*counts, *_compared(question), question.missing]
        yield f"| {' | '.join(map(str, cells))} |"
    yield f"| {' | '.join(map(str, _total(report)))} |"


def _compared(question: QuestionReport) -> tuple[int | str, ...]:
    one = question.comparison
    if one is None:
        return (NONE,) * 4
    return one.tables, one.numbers, one.equal, len(one.differences)


def _total(report: Report) -> tuple[int | str, ...]:
    compared = report.compared
    return (
        "all",
        sum(one.cells for one in report.questions),
        sum(one.matched for one in report.questions),
        sum(one.usable for one in report.questions),
        sum(one.tables for one in compared),
        sum(one.numbers for one in compared),
        sum(one.equal for one in compared),
        sum(len(one.differences) for one in compared),
        report.missing,
    )


def _differences(report: Report) -> Iterator[str]:
    faults = [f"- {one.id}: {one.fault}" for one in report.questions if one.fault]
    if faults:
        yield from ("", "## Not compared", "", *faults)
    differing = [one for one in report.questions if one.comparison and one.comparison.differences]
    if differing:
        yield from ("", "## Numbers that differ", "")
    for question in differing:
        assert question.comparison
        yield from (f"- {question.id}: {one}" for one in question.comparison.differences)


def _short(report: Report) -> Iterator[str]:
    short = [question for question in report.questions if question.missing]
    if short:
        yield from ("", "## Missing replicates under our rules", "")
    for question in short:
        yield f"- {question.id}: {question.missing}"
        yield from (f"  - {key}: {count}" for key, count in question.short)

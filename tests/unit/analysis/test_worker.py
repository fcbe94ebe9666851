"""The worker as it is started: a process of the analysis environment, JSON in and out."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from builders.analysis_jobs import make_job, write_files
from builders.local_launch import launch_local
from lab.analysis.one_run import AnalysisResult, analyse
from lab.domain.metric import Reason
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for
from lab.stacks import python_suite, python_tools
from lab.stacks.protocol import Tools
from lab.stacks.python_lint import Lint
from lab.stacks.python_pytest import path_class
from lab.stacks.python_tools import measure

pytestmark = pytest.mark.toolchain
CLI = "import json, sys\nprint(json.dumps(sum(json.load(sys.stdin))))\n"
SUITE = {
    "runner.json": '{"timeout_seconds": 20}',
    "scenarios/01-sum.input.json": "[1, 2]",
    "scenarios/01-sum.expected.json": "3.0",
    "scenarios/02-nothing.input.json": "[]",
    "scenarios/02-nothing.expected.json": "0",
}


def tools() -> Tools:
    return tools_for(LabPaths(REPOSITORY), "python-pytest")


def run(
    folder: Path, files: Mapping[str, str], suite: Mapping[str, str] | None = None
) -> AnalysisResult:
    suite_folder = write_files(folder / "suite", suite) if suite else None
    job = make_job(folder, files, tools=tools(), suite=suite_folder)
    return analyse(job, launch_local(job.tools))


def statuses(result: AnalysisResult) -> list[tuple[str, str]]:
    return [(one.name, one.status.value) for one in result.scenarios or ()]


def test_a_solution_is_started_by_its_stack(tmp_path: Path) -> None:
    result = run(tmp_path, {"src/cli.py": CLI}, SUITE)
    assert statuses(result) == [("01-sum", "pass"), ("02-nothing", "pass")]
    assert result.metrics["verification_pct"].value == 1.0
    assert result.failures == ()


def test_nothing_to_measure_is_no_failure_and_told_once(tmp_path: Path) -> None:
    result = run(tmp_path, {"README.md": "# Nothing\n"})
    assert result.failures == ()
    assert result.metrics["code_mass"].reason is Reason.NO_SOURCE
    report = (tmp_path / "run-1" / "analysis-report.md").read_text()
    assert report.count("\n    no-source\n") == 1


def test_a_solution_without_an_entry_point_fails_every_scenario(tmp_path: Path) -> None:
    result = run(tmp_path, {"src/other.py": CLI}, SUITE)
    assert statuses(result) == [("01-sum", "error"), ("02-nothing", "error")]
    assert result.metrics["verification_passed"].value == 0


def test_an_adapter_is_put_into_the_copy_only(tmp_path: Path) -> None:
    suite = {
        **SUITE,
        "runner.json": '{"command": "python .verification-adapter.py", "adapter": "adapter.py"}',
        "adapter.py": "import sys\nsys.path.insert(0, 'src')\nimport solution\n",
    }
    result = run(tmp_path, {"src/solution.py": CLI}, suite)
    assert statuses(result) == [("01-sum", "pass"), ("02-nothing", "pass")]
    assert os.listdir(tmp_path / "run-1" / "workspace") == ["src"]


def test_the_suite_is_nowhere_a_solution_could_read_it(tmp_path: Path) -> None:
    spy = (
        "import json, os, pathlib, sys\n"
        "sys.stdin.read()\n"
        "here = pathlib.Path.cwd().parent\n"
        "names = [p.name for p in here.rglob('*')]\n"
        "print(json.dumps([n for n in names if 'scenario' in n or 'expected' in n]))\n"
    )
    suite = {**SUITE, "scenarios/01-sum.expected.json": "[]"}
    result = run(tmp_path, {"src/cli.py": spy}, suite)
    assert statuses(result)[0] == ("01-sum", "pass")


def test_tests_that_write_files_change_neither_the_run_nor_the_acceptance(tmp_path: Path) -> None:
    files = {
        "src/cli.py": CLI,
        "tests/test_a.py": "def test_a():\n    open('src/cli.py', 'w').write('broken')\n",
    }
    result = run(tmp_path, files, SUITE)
    assert result.metrics["tests_passing"].value is True
    assert result.metrics["verification_pct"].value == 1.0
    assert (tmp_path / "run-1" / "workspace" / "src" / "cli.py").read_text() == CLI


def test_without_the_reporter_nothing_is_read_from_text(tmp_path: Path) -> None:
    files = {"src/a.py": "x = 1\n", "tests/test_a.py": "def test_a(): pass\n"}
    workspace = write_files(tmp_path / "w", files)
    image_like = replace(tools(), is_image=True)
    (tmp_path / "scratch").mkdir()
    lost = replace(image_like, analysis_python=str(tmp_path / "python"))
    (tmp_path / "python").write_text("#!/bin/sh\necho '1 passed in 0.01s'\n")
    (tmp_path / "python").chmod(0o755)
    found = measure(workspace, lost, tmp_path / "scratch", path_class)
    assert found.metrics["tests_passing"].reason is Reason.TOOL_FAILED
    assert found.metrics["tests_total"].reason is Reason.TOOL_FAILED
    assert found.metrics["coverage_statements_pct"].reason is Reason.TOOL_FAILED
    assert found.metrics["production_loc"].value == 1
    assert "1 passed" in found.details["python-suite"]["failure"]


def test_a_suite_that_does_not_end_is_red_and_its_size_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_suite, "SUITE_SECONDS", 4.0)
    files = {"src/a.py": "x = 1\n", "tests/test_a.py": "def test_a():\n    while True: pass\n"}
    (tmp_path / "scratch").mkdir()
    found = measure(write_files(tmp_path / "w", files), tools(), tmp_path / "scratch", path_class)
    assert found.metrics["tests_passing"].value is False
    assert found.metrics["tests_total"].reason is Reason.TOOL_FAILED
    assert found.metrics["coverage_statements_pct"].reason is Reason.TESTS_RED


@pytest.mark.parametrize(
    ("conftest", "second"),
    [
        ("", "    import pytest\n    pytest.exit('done', returncode=0)\n"),
        ("", "    raise KeyboardInterrupt\n"),
        (
            "def pytest_runtest_setup(item):\n"
            "    if item.name == 'test_b': item.session.shouldstop = 'enough'\n",
            "    pass\n",
        ),
    ],
    ids=["exit", "interrupt", "stop"],
)
def test_a_suite_that_stops_before_its_last_test_is_red_and_its_size_unknown(
    conftest: str, second: str, tmp_path: Path
) -> None:
    tests = f"def test_a(): pass\ndef test_b():\n{second}def test_c(): assert False\n"
    files = {"src/a.py": "x = 1\n", "conftest.py": conftest, "tests/test_a.py": tests}
    result = run(tmp_path, files)
    assert result.metrics["tests_passing"].value is False
    for name in ("tests_total", "todos_remaining"):
        assert result.metrics[name].reason is Reason.TOOL_FAILED
    assert result.metrics["coverage_statements_pct"].reason is Reason.TESTS_RED


def test_a_suite_whose_runner_failed_is_red_though_its_tests_passed(tmp_path: Path) -> None:
    conftest = (
        "def pytest_runtest_teardown(item, nextitem):\n"
        "    if nextitem is None: item.session.shouldfail = 'not good enough'\n"
    )
    files = {
        "src/a.py": "x = 1\n",
        "conftest.py": conftest,
        "tests/test_a.py": "def test_a(): pass\n",
    }
    result = run(tmp_path, files)
    assert result.metrics["tests_passing"].value is False


def test_a_suite_that_edits_its_own_report_is_red_and_named(tmp_path: Path) -> None:
    conftest = (
        "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
    )
    files = {
        "src/a.py": "x = 1\n",
        "conftest.py": conftest,
        "tests/test_a.py": "def test_a(): assert False\n",
    }
    result = run(tmp_path, files)
    assert result.metrics["tests_passing"].value is False
    assert result.details["python-suite"]["tampered"] == ["report outcome changed"]
    report = (tmp_path / "run-1" / "analysis-report.md").read_text()
    assert "The suite changed its own report: report outcome changed." in report


def test_a_tool_that_is_missing_costs_its_own_metrics(tmp_path: Path) -> None:
    files = {"src/a.py": "x = 1\n", "tests/test_a.py": "def test_a(): pass\n"}
    (tmp_path / "scratch").mkdir()
    partial = replace(tools(), analysis_bin="/nowhere")
    found = measure(write_files(tmp_path / "w", files), partial, tmp_path / "scratch", path_class)
    assert found.metrics["smell_total"].reason is Reason.TOOL_FAILED
    assert found.metrics["mccabe_max"].reason is Reason.TOOL_FAILED
    assert found.metrics["tests_passing"].value is True


def test_a_file_that_the_linter_cannot_read_is_no_code_without_smells(tmp_path: Path) -> None:
    workspace = write_files(tmp_path / "w", {"tests/test_a.py": "def test_a(): pass\n"})
    (workspace / "src").mkdir()
    text = "# coding: latin-1\nimport os\n\n\ndef f(x):\n    return x == 'caf\xe9' or x == 77\n"
    (workspace / "src" / "a.py").write_bytes(text.encode("latin-1"))
    (tmp_path / "scratch").mkdir()
    found = measure(workspace, tools(), tmp_path / "scratch", path_class).metrics
    for name in ("smell_total", "smell_code_quality", "functions", "mccabe_max"):
        assert found[name].reason is Reason.UNPARSABLE
    assert (found["unit_count"].value, found["production_loc"].value) == (1, 3)


def test_a_linter_that_overlooks_a_function_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"src/a.py": "def f():\n    return 1\n", "tests/test_a.py": "def test_a(): pass\n"}
    workspace = write_files(tmp_path / "w", files)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(python_tools, "lint", lambda *_: Lint((), ()))
    found = measure(workspace, tools(), tmp_path / "scratch", path_class)
    assert found.metrics["smell_total"].reason is Reason.TOOL_FAILED
    assert "it saw 0 of 1 functions" in found.details["python-lint"]["failure"]


def test_comments_for_tools_change_no_number(tmp_path: Path) -> None:
    plain = "import os\n\n\ndef f(a):\n    if a == 7:\n        return 1\n    return 2\n"
    silenced = (
        "import os  # noqa\n\n\ndef f(a):  # pragma: no cover  # complexipy: ignore\n"
        "    if a == 7:  # noqa: PLR2004  # pragma: no branch\n        return 1\n    return 2\n"
    )
    others = {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
        "tests/test_a.py": "import a\n\n\ndef test_f():\n    assert a.f(7) == 1\n",
    }
    first = run(tmp_path / "a", {"src/a.py": plain, **others})
    second = run(tmp_path / "b", {"src/a.py": silenced, **others})
    assert first.metrics == second.metrics
    assert first.metrics["smell_total"].value == 2
    assert first.metrics["coverage_branches_pct"].value == 0.5


def test_the_worker_needs_neither_yaml_nor_orjson_nor_click(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "for name in ('yaml', 'orjson', 'click', 'rich', 'jsonschema', 'pandas', 'docker'):\n"
        "    sys.modules[name] = None\n"
        "import lab.analysis.worker\n"
    )
    command = [tools().analysis_python, "-c", script]
    environment = {"PYTHONPATH": str(REPOSITORY / "experiments"), "PATH": "/usr/bin:/bin"}
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)

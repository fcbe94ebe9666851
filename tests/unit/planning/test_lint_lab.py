"""Lint of a whole lab: all files at once, the catalogue's own faults, forbidden terms."""

from pathlib import Path

import pytest
from builders.questions import FOLDER, QUESTION, small_lab
from lab.paths import LabPaths
from lab.planning.lint import Report, lint
from lab.planning.lint_catalogue import Known
from lab.planning.lint_words import Document, lint_words

KNOWN = Known(("calibration", "command"), ("python-pytest", "none"), need_command=("command",))
MANIFEST = "experiments/workflows/LINEAGE.yaml"


def report(paths: LabPaths, *references: str) -> Report:
    return lint(paths, references, KNOWN)


def messages(paths: LabPaths, rule: str) -> list[str]:
    return [remark.message for remark in report(paths).remarks if remark.rule == rule]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def add_workflow(paths: LabPaths, name: str, text: str, row: str = "") -> None:
    folder = paths.root / "experiments" / "workflows" / name
    folder.mkdir(parents=True)
    (folder / "rules.md").write_text(text)
    more = f", {row}" if row else ""
    line = (
        f"  {name.rsplit('/', 1)[-1]}: {{folder: {name}, harness: calibration, "
        f"prompts: [prose], description: d{more}}}\n"
    )
    manifest = paths.root / MANIFEST
    manifest.write_text(manifest.read_text() + line)


def test_faults_of_questions_and_catalogue_come_together(tmp_path: Path) -> None:
    paths = small_lab(tmp_path, QUESTION.replace("kata_base: life", "kata_base: lief"))
    broken = tmp_path / "research" / "tree" / "1.2-x" / "README.md"
    broken.parent.mkdir()
    broken.write_text("---\nid: RQ-x\nmodle: 1\n---\n")
    found = report(paths)
    rules = [(remark.file, remark.rule) for remark in found.errors]
    assert (f"{FOLDER}/README.md", "unknown-kata") in rules
    assert rules.count(("research/tree/1.2-x/README.md", "unreadable")) == 3
    assert found.questions == 1
    assert any(remark.file == MANIFEST for remark in found.warnings)


def test_a_broken_catalogue_is_reported_instead_of_its_names(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    change(tmp_path / "experiments" / "models.yaml", "family: f", "famly: f")
    found = report(paths)
    assert {remark.file for remark in found.errors} == {"experiments/models.yaml"}
    assert "did you mean family?" in found.errors[0].message


def test_a_question_named_alone_is_linted_alone(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    assert report(paths, "RQ-small").errors == ()
    assert not [remark for remark in report(paths, "RQ-small").remarks if remark.file == MANIFEST]


def test_an_unknown_question_is_an_error(tmp_path: Path) -> None:
    (found,) = report(small_lab(tmp_path), "RQ-smal").errors
    assert str(found) == (
        "error: no research question RQ-smal: did you mean RQ-small? [unreadable]"
    )


def test_the_text_of_a_workflow_corrects_its_row(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    assert messages(paths, "test-list") == [
        "listing-v1: its text asks for a test list: correct has_test_list"
    ]
    assert messages(paths, "named-metrics") == [
        "adhoc-v1: its text names the metrics code_mass: correct named_metrics"
    ]


def test_a_row_that_says_what_the_text_says_is_fine(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    row = "has_test_list: true, named_metrics: [code_mass]"
    add_workflow(paths, "good-v1", "Write a test list. Mind the code mass.", row)
    texts = [*messages(paths, "test-list"), *messages(paths, "named-metrics")]
    assert not [text for text in texts if text.startswith("good-v1")]


def test_a_number_for_something_measured_is_a_warning_at_its_line(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add_workflow(paths, "strict-v1", "Refactor.\nFunctions stay under 20 lines.\n")
    (found,) = [each for each in report(paths).warnings if each.rule == "numeric-threshold"]
    assert (found.file, found.line) == ("experiments/workflows/strict-v1/rules.md", 2)


def test_external_work_stays_as_it_is_but_keeps_its_licence(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add_workflow(paths, "external/theirs-v1", "Functions stay under 20 lines.\n")
    assert len(messages(paths, "licence")) == 1
    (tmp_path / "experiments/workflows/external/theirs-v1/LICENSE.upstream").write_text("MIT")
    assert messages(paths, "licence") == []
    assert messages(paths, "numeric-threshold") == []


@pytest.mark.parametrize(
    ("row", "rule", "words"),
    [
        ("parent: adhoc-v0", "unknown-parent", "did you mean adhoc-v1?"),
        ("named_metrics: [code_mas]", "unknown-metric", "did you mean code_mass?"),
    ],
)
def test_names_in_a_workflows_row_are_checked(
    tmp_path: Path, row: str, rule: str, words: str
) -> None:
    paths = small_lab(tmp_path)
    add_workflow(paths, "new-v1", "Solve it.", row)
    (message,) = messages(paths, rule)
    assert words in message


def test_a_row_that_permits_more_than_its_rule_is_a_warning(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    rules = "prompt_rules:\n- {workflows: [plain-*], prompts: [user-story], reason: so}\nworkflows:"
    change(tmp_path / MANIFEST, "workflows:", rules)
    assert messages(paths, "prompt-rule") == ["plain-v1: permits prose against the prompt rule: so"]


def test_rows_and_folders_belong_together(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    (tmp_path / "experiments" / "workflows" / "stray-v1").mkdir()
    add_workflow(paths, "gone-v1", "x")
    (tmp_path / "experiments/workflows/gone-v1/rules.md").unlink()
    (tmp_path / "experiments/workflows/gone-v1").rmdir()
    assert messages(paths, "unlisted-folder") == [
        "the folder stray-v1 has no row: no question can name it"
    ]
    assert messages(paths, "missing-folder") == [
        "gone-v1: there is no folder experiments/workflows/gone-v1"
    ]


def test_unknown_harnesses_and_stacks_are_errors(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    change(tmp_path / "experiments" / "models.yaml", "m1: {family: f, harnesses: [calibration]}",
           "m1: {family: f, harnesses: [calibraton]}")  # fmt: skip
    change(tmp_path / "experiments" / "katas" / "life.yaml", "python-pytest", "pyton-pytest")
    assert messages(paths, "unknown-harness") == [
        "m1: unknown harness calibraton: did you mean calibration?"
    ]
    assert "unknown stack pyton-pytest: did you mean python-pytest?" in messages(
        paths, "unknown-stack"
    )


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("The Complexity Peak fell.", "Complexity Peak"),
        ("Die Spitzen-Komplexität sank.", "Spitzen-Komplexität"),
        ("a lower code volume", "code volume"),
        ("the total code size", "total code size"),
        ("LoC size matters", "LoC size"),
        ("Korrektheit (innen) ist", "Korrektheit (innen)"),
        ("Korrektheit (außen) ist", "Korrektheit (außen)"),
        ("| Code-Mass (APP) | 12 |", "Code-Mass"),
        ("Smell-Summe: 3", "Smell-Summe"),
        ("Produktiv-LoC: 3", "Produktiv-LoC"),
        ("Test-LoC: 3", "Test-LoC"),
        ("Mutation-Score: 3", "Mutation-Score"),
    ],
)
def test_a_forbidden_term_is_a_warning_with_what_to_write(line: str, term: str) -> None:
    (found,) = lint_words(Document("f.md", f"# Title\n{line}\n"))
    assert (found.line, found.rule, found.is_error) == (2, "forbidden-term", False)
    assert found.message.startswith(f'"{term}" is a forbidden term: write ')


@pytest.mark.parametrize(
    "text",
    [
        "Code Mass (APP), Smell Total, Production LoC, Test LoC and Mutation Score",
        "the retired term `Complexity Peak`",
        "```\nComplexity Peak\n```",
        "unit-test-location",
    ],
)
def test_binding_terms_and_code_are_fine(text: str) -> None:
    assert list(lint_words(Document("f.md", text))) == []


def test_findings_are_read_for_forbidden_terms(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    (tmp_path / FOLDER / "findings.md").write_text("## F-1.1 — Code volume falls\n")
    (found,) = [each for each in report(paths).remarks if each.rule == "forbidden-term"]
    assert (found.file, found.line) == (f"{FOLDER}/findings.md", 1)


def test_the_repository_itself_has_no_errors() -> None:
    from lab.cli.lint import known
    from lab.paths import REPOSITORY

    assert lint(LabPaths(REPOSITORY), (), known()).errors == ()


def test_a_row_of_a_harness_that_runs_a_command_must_hold_one(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add_workflow(paths, "mine-v1", "Solve the task.")
    change(paths.root / MANIFEST, "mine-v1, harness: calibration", "mine-v1, harness: command")
    (message,) = messages(paths, "no-command")
    assert message.startswith("mine-v1: the harness command runs the row's command")
    change(paths.root / MANIFEST, "description: d}", "description: d, command: [sh, a.sh]}")
    assert messages(paths, "no-command") == []


def test_a_command_that_nobody_runs_is_a_warning(tmp_path: Path) -> None:
    paths = small_lab(tmp_path)
    add_workflow(paths, "mine-v1", "Solve the task.", "command: [sh, a.sh]")
    assert messages(paths, "unused-command") == [
        "mine-v1: calibration runs no command of a row; command does"
    ]

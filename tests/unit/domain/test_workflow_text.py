"""What a workflow's text says: named metrics, a test list first, numeric thresholds."""

import pytest
from lab.domain.workflow_text import TextFile, has_test_list, named_metrics, thresholds
from lab.paths import REPOSITORY, LabPaths
from lab.store.registry import read_registry

REGISTRY = read_registry(LabPaths(REPOSITORY))


def files(text: str, path: str = "rules/tdd.md") -> tuple[TextFile, ...]:
    return (TextFile(path, text),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reduce `cognitive_max` where you can.", {"cognitive_max"}),
        ("Keep the Code Mass (APP) low.", {"code_mass"}),
        ("keep the code mass low", {"code_mass"}),
        ("Watch the mutation\nscore.", {"mutation_score"}),
        ("Reduce cognitive complexity.",
         {"cognitive_max", "cognitive_avg", "cognitive_high_count"}),
        ("Write functions that read well; correctness comes first.", set()),
        ("Use code_massive and my-code-mass-thing.", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_a_metric_is_named_by_id_term_or_spoken_words(text: str, expected: set[str]) -> None:
    assert set(named_metrics(files(text), REGISTRY)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First write the complete test list as inactive tests.", True),
        ("Make a list of all tests.", True),
        ("Write one failing test. Then make it pass.", False),
        ("Do not write a test list.", False),
        ("Work without a test-list. Write a test list later.", True),
    ],
)
def test_a_test_list_is_recognised_unless_it_is_denied(text: str, expected: bool) -> None:
    assert has_test_list(files(text)) is expected


@pytest.mark.parametrize(
    "path", [".claude/commands/test-list.md", "skills/test-list/SKILL.md", "test_list.md"]
)
def test_a_file_called_test_list_says_so(path: str) -> None:
    assert has_test_list(files("Write names.", path))


@pytest.mark.parametrize(
    "line",
    [
        "Keep cognitive_max < 15.",
        "LoC < 50",
        "Functions stay under 20 lines.",
        "No function has more than 3 parameters.",
        "Branch coverage of at least 80 %.",
        "smell_total <= 2",
    ],
)
def test_a_number_for_something_measured_is_a_threshold(line: str) -> None:
    (found,) = thresholds(files(f"Intro.\n{line}\n"), REGISTRY)
    assert (found.path, found.line, found.text) == ("rules/tdd.md", 2, line)


@pytest.mark.parametrize(
    "line",
    ["Extract when a function grows long.", "Write at most 1 test at a time.", "Step 3 of 5.",
     "The grid is over 10 cells wide."],
)  # fmt: skip
def test_other_numbers_are_none(line: str) -> None:
    assert thresholds(files(line), REGISTRY) == ()

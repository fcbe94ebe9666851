"""lab init: whatever is left open, the new question lints clean and can be planned."""

from pathlib import Path

import pytest
from builders.declared import catalogue, kata, model, question_of, workflow
from builders.fresh_runs import rules
from lab.domain.coverage import group_runs
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths
from lab.planning.draft import Wish, draft
from lab.planning.init import create_question
from lab.planning.lint import lint
from lab.planning.lint_catalogue import Known
from lab.planning.plan import plan_questions
from lab.store.frontmatter import cut
from lab.store.questions import find_question
from lab.store.registry import read_registry

REGISTRY = read_registry(LabPaths(REPOSITORY))
ROWS = catalogue(
    kata("lite", carries_quality=False, has_suite=False),
    kata("life"),
    workflow("w-old", is_archived=True),
    workflow("w1"),
    workflow("w2", prompts=("prose",)),
    workflow("lone", harness="h3"),
    model("m-old", is_archived=True),
    model("m1"),
    model("m2"),
    model("single", "h3"),
)


def frontmatter(**wish: object) -> str:
    text = draft(Wish("my-question", **wish), ROWS, REGISTRY)  # type: ignore[arg-type]
    found = cut(text, "README.md")
    assert found is not None
    return found.text


@pytest.mark.parametrize(
    ("wish", "factors"),
    [
        ({}, ["model"]),
        ({"models": ("m1", "m2")}, ["model"]),
        ({"models": ("m1",)}, ["prompt"]),
        ({"prompts": ("prose", "user-story")}, ["prompt"]),
        ({"workflows": ("w1", "w2")}, ["workflow_x_prompt"]),
        ({"katas": ("life", "lite")}, ["kata_base"]),
        ({"workflows": ("lone",)}, ["prompt"]),
        ({"workflows": ("w1", "w2"), "models": ("m1", "m2"), "katas": ("life", "lite")},
         ["workflow_x_prompt", "kata_base", "model"]),
    ],
)  # fmt: skip
def test_something_varies_and_the_rest_is_held_constant(
    wish: dict[str, object], factors: list[str]
) -> None:
    question = question_of(frontmatter(**wish), head="")
    assert [factor.name for factor in question.factors] == factors
    planned = plan_questions([question], group_runs(()), rules(ROWS))
    assert all(cell.planned for cell in planned.questions[0].cells)


def test_the_kata_that_shows_most_is_chosen() -> None:
    assert "kata_base: life" in frontmatter()


def test_outcomes_follow_the_kata() -> None:
    outcomes = question_of(frontmatter(katas=("lite",)), head="").outcomes
    assert "verification_pct" not in outcomes
    assert "smell_total" not in outcomes
    assert "tests_passing" in outcomes


def test_the_authors_words_are_kept_whatever_they_hold() -> None:
    asked = 'Is it "so": #1 or ~?'
    assert question_of(frontmatter(question=asked), head="").question == asked


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        ({"katas": ("lifes",)}, "unknown kata lifes: did you mean life?"),
        ({"workflows": ("w",)}, "unknown workflow w"),
        ({"workflows": ("w-old",)}, "unknown workflow w-old"),
        ({"prompts": ("prosa",)}, "unknown prompt prosa: did you mean prose?"),
        ({"models": ("m1", "singel")}, "unknown model singel: did you mean single?"),
        ({"models": ("m-old",)}, "unknown model m-old"),
        ({"models": ("m1", "single")}, "no workflow can run m1 and single"),
        ({"workflows": ("w1", "lone")}, "no model runs on h1 and h3"),
        ({"workflows": ("lone",), "prompts": ("prose",)}, "nothing varies"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(wish: dict[str, object], fault: str) -> None:
    with pytest.raises(LabError) as caught:
        frontmatter(**wish)
    assert fault in caught.value.faults[0]


def known() -> Known:
    from lab.cli.lint import known

    return known()


def test_a_new_question_of_the_repository_lints_clean(tmp_path: Path) -> None:
    paths = LabPaths(tmp_path)
    created = create_question(paths, Wish("first"), "questions", known())
    assert created.readme == tmp_path / "research" / "questions" / "1.1-first" / "README.md"
    assert created.warnings == ()
    report = lint(paths, ("RQ-first",), known())
    assert report.remarks == ()
    assert find_question(paths, "RQ-first").min_replicates == 3


def test_chapters_are_continued(tmp_path: Path) -> None:
    (tmp_path / "research" / "tree" / "2.6-old").mkdir(parents=True)
    (tmp_path / "research" / "tree" / "1.9-older").mkdir()
    created = create_question(LabPaths(tmp_path), Wish("next"), "tree", known())
    assert created.readme.parent.name == "2.7-next"


def test_an_id_is_taken_once_only(tmp_path: Path) -> None:
    create_question(LabPaths(tmp_path), Wish("a"), "one", known())
    with pytest.raises(LabError, match=r"RQ-a is taken by research/one/1\.1-a/README\.md"):
        create_question(LabPaths(tmp_path), Wish("a"), "two", known())


@pytest.mark.parametrize(
    ("slug", "tree"), [("a b", "t"), ("RQ-a", "t"), ("../a", "t"), ("a", "../t"), ("a", "/tmp")]
)
def test_names_that_would_leave_their_place_are_refused(
    tmp_path: Path, slug: str, tree: str
) -> None:
    with pytest.raises(LabError):
        create_question(LabPaths(tmp_path), Wish(slug), tree, known())
    assert not (tmp_path / "research").exists()


def test_an_unknown_model_leaves_nothing_behind(tmp_path: Path) -> None:
    wish = Wish("a", workflows=("calibration-v1",), models=("calibration-oracel", "none"))
    with pytest.raises(LabError, match="did you mean calibration-oracle"):
        create_question(LabPaths(tmp_path), wish, "t", known())
    assert not (tmp_path / "research").exists()

"""Questions from frontmatter text, and a small catalogue to plan and lint them against."""

from pathlib import Path

from lab.domain.catalogue import Catalogue, Kata, Model, PromptRule, Workflow
from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.store.questions import QuestionSource, parse_source

ROOT = Path("/lab")
PROMPTS = ("prose", "user-story")
HEAD = "id: RQ-a\nquestion: q\noutcomes: [tests_passing]\n"


def source_of(body: str, head: str = HEAD, folder: str = "t/1.1-a") -> QuestionSource:
    """Parse frontmatter as if it stood in /lab/research/<folder>/README.md."""
    readme = ROOT / "research" / folder / "README.md"
    text = f"---\n{head}{body}---\n"
    source = parse_source(LabPaths(ROOT), readme, text, is_imported=False)
    assert source is not None
    return source


def question_of(body: str, head: str = HEAD) -> ResearchQuestion:
    return source_of(body, head).question


def kata(base: str = "life", **changes: object) -> Kata:
    facts: dict[str, object] = {
        "base": base,
        "stacks": ("python-pytest",),
        "prompts": PROMPTS,
        "has_suite": True,
        "carries_quality": True,
        "license": "MIT",
    }
    return Kata(**{**facts, **changes})  # type: ignore[arg-type]


def workflow(workflow_id: str, **changes: object) -> Workflow:
    facts: dict[str, object] = {
        "id": workflow_id,
        "folder": workflow_id,
        "harness": "h1",
        "prompts": PROMPTS,
        "description": "d",
    }
    return Workflow(**{**facts, **changes})  # type: ignore[arg-type]


def model(model_id: str, *harnesses: str, family: str = "f", is_archived: bool = False) -> Model:
    return Model(model_id, family, harnesses or ("h1",), is_archived=is_archived)


def catalogue(*rows: Kata | Workflow | Model, rules: tuple[PromptRule, ...] = ()) -> Catalogue:
    """Make a catalogue of these rows."""
    return Catalogue(
        tuple(row for row in rows if isinstance(row, Kata)),
        tuple(row for row in rows if isinstance(row, Workflow)),
        tuple(row for row in rows if isinstance(row, Model)),
        prompt_rules=rules,
    )


SMALL = catalogue(
    kata(),
    kata("life-old", is_archived=True),
    workflow("w1"),
    workflow("w2"),
    workflow("w3", harness="h2"),
    workflow("w-old", is_archived=True),
    model("m1"),
    model("m2"),
    model("m3", "h1", "h2"),
    model("m-old", is_archived=True),
)

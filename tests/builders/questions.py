"""A small lab root with a catalogue and a registry of its own, and questions in it."""

from pathlib import Path

from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.store.questions import find_question

FOLDER = "research/tree/1.1-slug"
REGISTRY = """\
schema_version: 1
metrics:
  green: {kind: boolean, unit: rate, direction: higher, scale: bounded, stacks: [python-pytest],
    group: correctness, version: 1, description: Tests pass., term: Correctness (internal)}
  share: {kind: fraction, unit: fraction, direction: higher, scale: bounded,
    stacks: [python-pytest], group: correctness, version: 1, description: Scenarios passed.}
  tokens: {kind: count, unit: tokens, direction: lower, scale: log, stacks: [python-pytest],
    group: run, version: 1, description: Tokens.}
  code_mass: {kind: count, unit: mass, direction: lower, scale: linear, stacks: [python-pytest],
    group: code-quality, version: 1, description: Mass., term: Code Mass (APP)}
  skips: {kind: count, unit: events, direction: lower, scale: linear, stacks: [python-pytest],
    group: discipline, version: 1, description: Skips., test_list_sensitive: true}
  guess_correct: {kind: count, unit: predictions, direction: higher, scale: linear,
    stacks: [python-pytest], group: predictions, version: 1, description: Right guesses.}
  guess_total: {kind: count, unit: predictions, direction: ambivalent, scale: linear,
    stacks: [python-pytest], group: predictions, version: 1, description: Guesses.}
  guess_correct_rate: {kind: pooled-rate, unit: rate, direction: higher, scale: bounded,
    stacks: [python-pytest], group: predictions, version: 1, description: Rate.,
    numerator: guess_correct, denominator: guess_total}
"""
KATA = "schema_version: 1\nstacks: [python-pytest]\nlicense: MIT\n"
WORKFLOWS = {
    "listing-v1": "Write the complete test list before the first test.",
    "adhoc-v1": "Write one failing test. Keep the code mass low.",
    "plain-v1": "Solve the task.",
    "_archive/old-v1": "Solve the task slowly.",
}
QUESTION = """\
---
id: RQ-small
question: "Which model?"
factors:
  model: [m1, {any: [m2, m2-routed]}]
controls:
  kata_base: life
  prompt: prose
  workflow: plain-v1
outcomes: [green, share, tokens, code_mass, guess_correct_rate]
min_replicates: 3
---

# Which model?
"""


def small_lab(root: Path, question: str = QUESTION) -> LabPaths:
    """Write a lab root with kata life, four workflows, three models and one question."""
    paths = LabPaths(root)
    experiments = root / "experiments"
    _write(experiments / "metrics-registry.yaml", REGISTRY)
    _write(experiments / "katas" / "life.yaml", KATA)
    _write(experiments / "katas" / "life-prose" / "prompt.md", "Play.\n")
    (experiments / "tapes" / "life" / "python-pytest").mkdir(parents=True)
    _write(experiments / "models.yaml", _models("m1", "m2", "m2-routed"))
    _write(experiments / "workflows" / "LINEAGE.yaml", _lineage())
    for folder, text in WORKFLOWS.items():
        _write(experiments / "workflows" / folder / "README.md", text)
    _write(root / FOLDER / "README.md", question)
    return paths


def small_question(paths: LabPaths) -> ResearchQuestion:
    return find_question(paths, str(paths.root / FOLDER))


def _models(*names: str) -> str:
    rows = "".join(f"  {name}: {{family: f, harnesses: [calibration]}}\n" for name in names)
    return f"schema_version: 1\nmodels:\n{rows}"


def _lineage() -> str:
    rows = "".join(
        f"  {folder.rsplit('/', 1)[-1]}: {{folder: {folder}, harness: calibration, "
        "prompts: [prose], description: For tests.}\n"
        for folder in WORKFLOWS
    )
    return f"schema_version: 1\nworkflows:\n{rows}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

"""Whatever stands in a frontmatter: a question, no question, or faults with file and line."""

import random
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.questions import parse_source

ROOT = Path("/lab")
FOLDER = ROOT / "research" / "a"
TEXT = """\
---
id: RQ-a
question: "Is it: so?"
factors:
  workflow_x_prompt:
    - {workflow: w1, prompt: prose}
    - {workflow: {any: [w2, w3]}, prompt: user-story}
  model: [m1, [m2, m3]]
controls:
  kata_base: life   # a comment
  harness_version: 2.10
power: {outcome: tests_passing, min_effect: 1}
outcomes: [tests_passing]
min_replicates: 3
---
# Title
---
"""
PIECES = (
    ":", "- ", "{", "}", "[", "]", "\n", "  ", "\t", "---\n", "null", "~", "any", "&a ", "*a", "<<",
    "!x ", "'", '"', "#", "|", "> ", ",", "model", "_x_", "workflow", "012", "\x00", "\ufeff",
    "\u2028", "é", "?", "%", "@", "`", "\r\n", '"\\ud800"', '"\\x00"', "= ", "...\n", "\x85",
)  # fmt: skip
MUTATIONS = 1000


def _mutated(chance: random.Random) -> str:
    text = TEXT
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(text))
        end = start + chance.choice([0, 0, 1, 1, 2, 5, 20])
        text = text[:start] + chance.choice(PIECES) * chance.choice([1, 1, 1, 2, 50]) + text[end:]
    return text


def test_no_mutation_of_a_question_ends_in_a_traceback() -> None:
    chance = random.Random(20261130)
    read = refused = 0
    for _ in range(MUTATIONS):
        try:
            source = parse_source(
                LabPaths(ROOT), FOLDER / "README.md", _mutated(chance), is_imported=False
            )
        except LabError as error:
            refused += 1
            assert error.faults
            assert all(fault.startswith("research/a/README.md:") for fault in error.faults)
            continue
        read += source is not None
    assert read > 30
    assert refused > 500

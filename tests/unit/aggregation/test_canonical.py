from builders.questions import small_lab, small_question
from lab.aggregation.canonical import frontmatter

EVERY_FORM = """\
---
id: RQ-forms
question: "A: `b`?"
factors:
  workflow_x_prompt:
    - {workflow: plain-v1, prompt: prose}
    - {workflow: {any: [adhoc-v1, listing-v1]}, prompt: prose}
  model: [m1, {any: [m2, m2-routed]}]
  harness_version: ["2.10", unrecorded]
controls:
  kata_base: life
outcomes: [green]
min_replicates: 2
closed: "ran out of money"
timeout_policy: worst
primary: green
power: {outcome: green, min_effect: 0.2}
---
"""


def test_the_frontmatter_is_carried_with_every_form_and_no_number_made_of_a_version(tmp_path):
    question = small_question(small_lab(tmp_path, EVERY_FORM))
    assert frontmatter(question) == {
        "id": "RQ-forms",
        "question": "A: `b`?",
        "factors": {
            "workflow_x_prompt": [
                {"workflow": "plain-v1", "prompt": "prose"},
                {"workflow": {"any": ["adhoc-v1", "listing-v1"]}, "prompt": "prose"},
            ],
            "model": ["m1", {"any": ["m2", "m2-routed"]}],
            "harness_version": ["2.10", "unrecorded"],
        },
        "controls": {"kata_base": "life"},
        "outcomes": ["green"],
        "min_replicates": 2,
        "timeout_policy": "worst",
        "closed": "ran out of money",
        "primary": "green",
        "power": {"outcome": "green", "min_effect": 0.2, "alpha": 0.05, "power": 0.8},
    }

"""A kata's prompt as the agent gets it."""

import json
from pathlib import Path

from builders.batches import KATA, lab_root, records, run_plan
from lab.harnesses import HARNESSES
from lab.runner.recipe import render_prompt
from lab.stacks import STACKS

AGENTS = (
    ("fake-v1", "fake-success"),
    ("calibration-v1", "calibration-nop"),
    ("command-example-v1", "none"),
)


def test_a_prompt_names_the_stacks_entry_point_and_test_command() -> None:
    text = render_prompt("{entry_point} {test_command} {other} {", STACKS["python-pytest"])
    assert text == "src/cli.py python -m pytest -q {other} {"


def test_the_prompt_is_the_same_on_every_harness(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    runs = [
        {"kata": KATA, "workflow": workflow, "model": model, "stack": "none"}
        for workflow, model in AGENTS
    ]
    plan = paths.plans / "plan.json"
    plan.write_text(json.dumps({"schema_version": 1, "name": "plan", "runs": runs}))
    run_plan(paths, plan, is_unsandboxed=True)
    found = records(paths)
    assert {record.identity.harness for record in found} == set(HARNESSES)
    places = [paths.run(record.identity.run_id) for record in found]
    texts = {place.prompt.read_bytes() for place in places}
    assert texts == {(place.workspace / "prompt.md").read_bytes() for place in places}
    hashes = {record.identity.hash_of("prompt_rendered_sha") for record in found}
    assert (len(texts), len(hashes)) == (1, 1)

"""A kata's prompt as the agent gets it."""

from lab.runner.recipe import render_prompt
from lab.stacks import STACKS


def test_a_prompt_names_the_stacks_entry_point_and_test_command() -> None:
    text = render_prompt("{entry_point} {test_command} {other} {", STACKS["python-pytest"])
    assert text == "src/cli.py python -m pytest -q {other} {"

"""What every kata must keep: three prompts of equal content, and a suite that stays hidden."""

import json
import re
from pathlib import Path

import pytest
from lab.paths import REPOSITORY
from lab.store.schema import check

KATAS = REPOSITORY / "experiments" / "katas"
BASES = sorted(path.stem for path in KATAS.glob("[!_.]*.yaml"))
STYLES = ("prose", "user-story", "example-mapping")
PLACEHOLDERS = {"{entry_point}", "{test_command}"}
every_kata = pytest.mark.parametrize("base", BASES)


def prompt(base: str, style: str) -> str:
    return (KATAS / f"{base}-{style}" / "prompt.md").read_text(encoding="utf-8")


def scenarios(base: str) -> list[tuple[Path, Path]]:
    inputs = sorted((KATAS / f"{base}-verification" / "scenarios").glob("*.input.json"))
    return [(path, path.with_name(path.name.replace(".input.", ".expected."))) for path in inputs]


def compact(document: object) -> str:
    return json.dumps(document, separators=(",", ":"))


@every_kata
@pytest.mark.parametrize("style", STYLES)
def test_a_prompt_uses_both_placeholders_and_no_other(base: str, style: str) -> None:
    assert set(re.findall(r"\{[a-z_]+\}", prompt(base, style))) == PLACEHOLDERS


@every_kata
def test_input_and_output_are_described_alike_in_every_style(base: str) -> None:
    described = {prompt(base, style).split("## Input and output")[1] for style in STYLES}
    assert len(described) == 1


@every_kata
def test_a_suite_has_about_fifteen_pairs_with_telling_names(base: str) -> None:
    pairs = scenarios(base)
    names = [path.name for path, _ in pairs]
    assert len(pairs) == 15
    assert all(expected.is_file() for _, expected in pairs)
    assert all(
        re.fullmatch(rf"{number:02}-[a-z-]+\.input\.json", name)
        for number, name in enumerate(names, 1)
    )


@every_kata
def test_a_runner_file_fits_its_schema(base: str) -> None:
    document = json.loads((KATAS / f"{base}-verification" / "runner.json").read_text())
    assert check("suite-runner", document, "runner.json") == ()


@every_kata
def test_no_prompt_gives_away_a_scenario(base: str) -> None:
    texts = [re.sub(r"\s", "", prompt(base, style)) for style in STYLES]
    for path, expected in scenarios(base):
        question, answer = json.loads(path.read_text()), json.loads(expected.read_text())
        for document in (question, answer):
            given = [compact(document), *(compact(value) for value in document.values())]
            shown = [text for text in given if len(text) > 12 and any(text in one for one in texts)]
            assert shown == [], path.name

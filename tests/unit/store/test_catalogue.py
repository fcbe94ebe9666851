"""The catalogue: rows with what lies beside them, and all faults at once."""

from pathlib import Path

import pytest
from lab.domain.catalogue import Kata, Model, PromptRule, Workflow
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths
from lab.store.catalogue import read_catalogue

KATA = "schema_version: 1\nstacks: [python-pytest, none]\nlicense: MIT\n"
LINEAGE = "schema_version: 1\nworkflows: {}\n"
MODELS = "schema_version: 1\nmodels: {}\n"


def lab(root: Path, **files: str) -> LabPaths:
    texts = {
        "models.yaml": MODELS,
        "workflows/LINEAGE.yaml": LINEAGE,
        "katas/life.yaml": KATA,
    } | {name.replace("__", "/"): text for name, text in files.items()}
    for name, text in texts.items():
        path = root / "experiments" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return LabPaths(root)


def add_prompt(root: Path, kata: str) -> None:
    path = root / "experiments" / "katas" / kata / "prompt.md"
    path.parent.mkdir(parents=True)
    path.write_text("Do it.\n")


def test_a_kata_has_the_prompts_and_the_suite_beside_it(tmp_path: Path) -> None:
    paths = lab(tmp_path)
    add_prompt(tmp_path, "life-prose")
    add_prompt(tmp_path, "life-example-mapping")
    (tmp_path / "experiments" / "katas" / "life-verification").mkdir()
    (kata,) = read_catalogue(paths).katas
    assert kata == Kata(
        base="life",
        stacks=("python-pytest", "none"),
        prompts=("example-mapping", "prose"),
        has_suite=True,
        carries_quality=False,
        license="MIT",
    )


def test_a_kata_whose_name_begins_like_another_keeps_its_prompts(tmp_path: Path) -> None:
    paths = lab(tmp_path, **{"katas/life-lite.yaml": KATA})
    for name in ("life-prose", "life-lite-prose"):
        add_prompt(tmp_path, name)
    prompts = {kata.base: kata.prompts for kata in read_catalogue(paths).katas}
    assert prompts == {"life": ("prose",), "life-lite": ("prose",)}


def test_a_leading_underscore_disables_a_kata(tmp_path: Path) -> None:
    paths = lab(tmp_path, **{"katas/_old.yaml": KATA})
    assert [kata.base for kata in read_catalogue(paths).katas] == ["life"]


def test_a_workflow_row_is_read_with_its_defaults(tmp_path: Path) -> None:
    row = "  w-v1: {harness: command, prompts: [prose], description: d, command: [sh, a.sh]}\n"
    old = "  old-v1: {folder: _archive/old-v1, harness: h, prompts: [], description: d}\n"
    rules = "prompt_rules:\n- {workflows: ['w-*'], prompts: [prose], reason: so}\n"
    text = f"schema_version: 1\n{rules}workflows:\n{row}{old}"
    catalogue = read_catalogue(lab(tmp_path, **{"workflows/LINEAGE.yaml": text}))
    assert catalogue.workflow("w-v1") == Workflow(
        id="w-v1",
        folder="w-v1",
        harness="command",
        prompts=("prose",),
        description="d",
        command=("sh", "a.sh"),
    )
    archived = catalogue.workflow("old-v1")
    assert archived is not None
    assert archived.is_archived
    assert catalogue.prompt_rule("w-v2") == PromptRule(("w-*",), ("prose",), "so")
    assert catalogue.prompt_rule("x-v2") is None


def test_a_model_row_is_read(tmp_path: Path) -> None:
    text = (
        "schema_version: 1\nmodels:\n  m-1: {family: m, harnesses: [a, b], context_window: 200}\n"
    )
    catalogue = read_catalogue(lab(tmp_path, **{"models.yaml": text}))
    assert catalogue.models == (Model("m-1", "m", ("a", "b"), context_window=200),)


def test_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    paths = lab(
        tmp_path,
        **{
            "models.yaml": "schema_version: 1\nmodels:\n  m: {family: f}\n",
            "workflows/LINEAGE.yaml": "schema_version: 1\nworkflow: {}\n",
            "katas/life.yaml": "schema_version: 1\nstacks: []\n",
        },
    )
    with pytest.raises(LabError) as caught:
        read_catalogue(paths)
    faults = " ".join(caught.value.faults)
    assert "experiments/models.yaml:3: models.m: the key harnesses is missing" in faults
    assert "unknown key workflow: did you mean workflows?" in faults
    assert "experiments/katas/life.yaml:2: stacks: the list is empty" in faults
    assert "the key license is missing" in faults


def test_the_first_declared_stack_is_the_default(tmp_path: Path) -> None:
    catalogue = read_catalogue(lab(tmp_path))
    assert catalogue.default_stack("life") == "python-pytest"
    assert catalogue.default_stack("unknown") is None


def test_an_imported_lab_has_one_stack_and_its_harnesses(tmp_path: Path) -> None:
    marker = (
        "schema_version: 1\nsource: old lab\nstack: typescript-vitest\n"
        "harnesses: {v1: claude-code, v0: pi}\narchived: [v0]\n"
    )
    catalogue = read_catalogue(lab(tmp_path, **{"imported.yaml": marker}))
    assert catalogue.is_imported
    assert catalogue.default_stack("anything") == "typescript-vitest"
    rows = [(row.id, row.harness, row.is_archived) for row in catalogue.workflows]
    assert rows == [("v1", "claude-code", False), ("v0", "pi", True)]


def test_the_repositorys_own_catalogue_is_read() -> None:
    catalogue = read_catalogue(LabPaths(REPOSITORY))
    assert {"game-of-life", "mars-rover"} <= {kata.base for kata in catalogue.katas}
    assert catalogue.workflow("calibration-v1") is not None
    assert not catalogue.is_imported

"""Research questions: every form of frontmatter, every fault with its line, and discovery."""

import os
from pathlib import Path

import pytest
from lab.domain.question import Factor, Power, ResearchQuestion, Setting
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.questions import find_question, find_source, parse_source, read_questions

MINIMAL = "id: RQ-a\nquestion: q\noutcomes: [tests_passing]\n"


def parse(body: str, root: Path = Path("/lab")) -> ResearchQuestion:
    text = f"---\n{MINIMAL}{body}---\n"
    readme = root / "research" / "t" / "1.1-a" / "README.md"
    source = parse_source(LabPaths(root), readme, text, is_imported=False)
    assert source is not None
    return source.question


def faults(body: str, start: str = MINIMAL) -> list[str]:
    readme = Path("/lab/research/a/README.md")
    with pytest.raises(LabError) as caught:
        parse_source(LabPaths(Path("/lab")), readme, f"---\n{start}{body}---\n", is_imported=False)
    prefix = "research/a/README.md:"
    assert all(fault.startswith(prefix) for fault in caught.value.faults)
    return [fault.removeprefix(prefix) for fault in caught.value.faults]


def add(root: Path, folder: str, text: str) -> Path:
    path = root / "research" / folder / "README.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def question_text(question_id: str) -> str:
    return f"---\nid: {question_id}\nquestion: q\noutcomes: [tests_passing]\n---\n"


def test_a_minimal_question_has_defaults() -> None:
    question = parse("")
    assert question == ResearchQuestion(
        id="RQ-a",
        question="q",
        factors=(),
        controls=(),
        outcomes=("tests_passing",),
        min_replicates=1,
        folder="research/t/1.1-a",
    )


def test_a_plain_factor_has_one_setting_per_level() -> None:
    question = parse("factors:\n  model: [a, b]\n")
    assert question.factors == (
        Factor("model", ((Setting("model", ("a",)),), (Setting("model", ("b",)),))),
    )


@pytest.mark.parametrize(
    ("name", "entry", "expected"),
    [
        ("workflow_x_prompt", "{workflow: w, prompt: p}",
         (("workflow", ("w",)), ("prompt", ("p",)))),
        ("model_x_workflow", "{model: m, workflow: w}", (("model", ("m",)), ("workflow", ("w",)))),
        ("kata_base_x_stack", "{stack: s, kata_base: k}",
         (("kata_base", ("k",)), ("stack", ("s",)))),
        ("prompt_sha_x_model", "{prompt_sha: 12, model: m}",
         (("prompt_sha", ("12",)), ("model", ("m",)))),
        ("model_x_workflow_x_prompt", "{model: m, workflow: w, prompt: p}",
         (("model", ("m",)), ("workflow", ("w",)), ("prompt", ("p",)))),
        ("model_x_workflow", "{model: {any: [m, n]}, workflow: [v, w]}",
         (("model", ("m", "n")), ("workflow", ("v", "w")))),
    ],
)  # fmt: skip
def test_a_paired_factor_sets_its_axes_in_the_order_of_its_name(
    name: str, entry: str, expected: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    question = parse(f"factors:\n  {name}:\n    - {entry}\n")
    settings = tuple(Setting(axis, values) for axis, values in expected)
    assert question.factors == (Factor(name, (settings,)),)


def test_alternatives_may_stand_in_a_factor_list() -> None:
    question = parse("factors:\n  model: [a, {any: [b, c]}, [d, e]]\n")
    values = [level[0].values for level in question.factors[0].levels]
    assert values == [("a",), ("b", "c"), ("d", "e")]


@pytest.mark.parametrize(
    ("text", "values"),
    [("a", ("a",)), ("[a, b]", ("a", "b")), ("{any: [a, b]}", ("a", "b")),
     ("\n    any:\n      - a\n      - b", ("a", "b"))],
)  # fmt: skip
def test_a_control_takes_a_value_a_bare_list_or_alternatives(
    text: str, values: tuple[str, ...]
) -> None:
    question = parse(f"controls:\n  workflow: {text}\n")
    assert question.controls == (Setting("workflow", values),)


@pytest.mark.parametrize("nothing", ["", "~", "null", "  # a comment only", "{}"])
def test_controls_and_factors_may_be_empty(nothing: str) -> None:
    question = parse(f"factors: {nothing}\ncontrols: {nothing}\n")
    assert (question.factors, question.controls) == ((), ())


@pytest.mark.parametrize("version", ["2.1", "2.10", "1e3", "2026-05-04", "no", "unrecorded"])
def test_a_version_stays_the_text_that_was_written(version: str) -> None:
    question = parse(f"controls:\n  harness_version: {version}\n")
    assert question.controls == (Setting("harness_version", (version,)),)


def test_all_further_keys_are_carried() -> None:
    question = parse(
        "min_replicates: 5\nclosed: the CLI is gone\ntimeout_policy: worst\n"
        "primary: tests_passing\n"
        "power: {outcome: tests_passing, min_effect: 0.2}\n"
    )
    assert question.min_replicates == 5
    assert question.closed == "the CLI is gone"
    assert question.timeout_policy == "worst"
    assert question.primary == "tests_passing"
    assert question.power == Power("tests_passing", 0.2, 0.05, 0.8)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("outcome: [a]\n", "5: unknown key outcome: did you mean outcomes?"),
        ("zzz: [a]\n", "5: unknown key zzz: allowed are closed, "),
        ("min_replicates: 3.\n", "5: min_replicates: found '3.', needed a whole number"),
        ("min_replicates: 1_000\n", "5: min_replicates: found '1_000', needed a whole number"),
        ("min_replicates: 012\n", "5: min_replicates: found '012', needed a whole number"),
        ("min_replicates: 0x1F\n", "5: min_replicates: found '0x1F', needed a whole number"),
        ("min_replicates: 0\n", "5: min_replicates: 0 is below 1"),
        ("min_replicates:\n", "5: min_replicates: found nothing, needed a whole number"),
        ("min_replicates: [3]\n", "5: min_replicates: found a list, needed a whole number"),
        ("timeout_policy: scores\n",
         "5: timeout_policy: 'scores' is not allowed: did you mean score?"),
        ("closed: yes\n", "5: closed: 'yes' is no reason"),
        ("closed: false\n", "5: closed: 'false' is no reason"),
        ("closed:\n", "5: closed: found nothing, needed text"),
        ("closed: '  '\n", "5: closed: is empty"),
        ("status: open\n", "5: status: is not declared but read off the data"),
        ("factors: [a]\n", "5: factors: found a list, needed a mapping"),
        ("factors: {}\ncontrols: x\n", "6: controls: found 'x', needed a mapping"),
        ("factors:\n  model: a\n", "6: factors.model: found 'a', needed a list"),
        ("factors:\n  model: []\n", "6: factors.model: the list is empty"),
        ("factors:\n  model: [a, ]\n  prompt: [~]\n", "7: factors.prompt.0: found nothing"),
        ("factors:\n  modle: [a]\n", "6: factors.modle: unknown axis modle: did you mean model?"),
        ("factors:\n  workflow_x_promt: [{workflow: a, promt: b}]\n",
         "6: factors.workflow_x_promt: unknown axis promt: did you mean prompt?"),
        ("factors:\n  workflow_x_prompt:\n  - {workflow: a, prompt: b}\n  - {workflow: a}\n",
         "8: factors.workflow_x_prompt.1: the key prompt is missing"),
        ("factors:\n  workflow_x_prompt: [a]\n",
         "6: factors.workflow_x_prompt.0: needs a mapping with workflow and prompt"),
        ("factors:\n  workflow_x_prompt: [{workflow: a, prompt: b, model: c}]\n",
         "6: factors.workflow_x_prompt.0: unknown key model"),
        ("factors:\n  model_x_model: [{model: a}]\n",
         "6: factors.model_x_model: names an axis twice"),
        ("factors:\n  prompt: [{any: [a, b]}]\n",
         "6: factors.prompt.0: alternatives are allowed on workflow and model only"),
        ("controls:\n  kata_base: [a, b]\n",
         "6: controls.kata_base: alternatives are allowed on workflow and model only"),
        ("controls:\n  model: {all: [a]}\n", "6: unknown key controls.model.all"),
        ("controls:\n  model: {any: a}\n", "6: controls.model.any: found 'a', needed a list"),
        ("controls:\n  model: {any: []}\n", "6: controls.model.any: the list is empty"),
        ("controls:\n  model: {any: [a, b, a]}\n", "6: controls.model: a stands here twice"),
        ("controls:\n  model: {any: [a, {any: [b]}]}\n",
         "6: controls.model.any.1: found a mapping"),
        ("controls:\n  model:\n", "6: controls.model: found nothing, needed text or a list"),
        ("controls:\n  model: ''\n", "6: controls.model: is empty"),
        ("controls:\n  modle: a\n", "6: controls.modle: unknown axis modle: did you mean model?"),
        ("controls:\n  1: a\n", "6: controls.1: unknown axis 1"),
        ("controls:\n  true: a\n", "6: controls.true: unknown axis true"),
        ("power: {outcome: a}\n", "5: power: the key min_effect is missing"),
        ("power: {outcome: a, min_effect: big}\n",
         "5: power.min_effect: found 'big', needed a number"),
        ("primary: [a]\n", "5: primary: found a list, needed text"),
        ("id: RQ-b\n", "5: the key id stands here twice (first in line 2)"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_and_what_is_allowed(body: str, fault: str) -> None:
    assert any(found.startswith(fault) for found in faults(body)), faults(body)


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        ("", "2: the file: the key id is missing"),
        ("id: a\nquestion: q\noutcomes: [a]\n", "2: id: 'a' is not allowed: RQ-<slug>"),
        ("id: RQ-a\nquestion: q\noutcomes: []\n", "4: outcomes: the list is empty"),
        ("id: RQ-a\nquestion: q\noutcomes: a\n", "4: outcomes: found 'a', needed a list"),
        ("id: RQ-a\nquestion: q\noutcomes: [a, b, a]\n", "4: outcomes: 'a' stands here twice"),
        ("id: RQ-a\nquestion:\noutcomes: [a]\n", "3: question: found nothing, needed text"),
        ("id: RQ-a\nquestion: Is it: so?\noutcomes: [a]\n", "3: not YAML"),
        ("- id\n", "2: the frontmatter needs keys"),
    ],
)
def test_required_keys_are_checked(start: str, fault: str) -> None:
    body = "controls: {}\n" if start == "" else ""
    assert any(found.startswith(fault) for found in faults(body, start)), faults(body, start)


def test_all_faults_of_a_file_come_at_once_and_in_order() -> None:
    found = faults(
        "min_replicates: x\nfactors:\n  modle: [a]\ncontrols:\n  prompt: [a, b]\ntags: 1\n"
    )
    assert [fault.split(":")[0] for fault in found] == ["5", "7", "9", "10"]


def test_lines_of_places_are_known(tmp_path: Path) -> None:
    text = "---\nid: RQ-a\nquestion: q\nfactors:\n  model:\n    - a\n    - b\noutcomes: [t]\n---\n"
    readme = add(tmp_path, "t/1.1-a", text)
    source = find_source(LabPaths(tmp_path), str(readme))
    assert source.at("factors/model/1") == "research/t/1.1-a/README.md:7"
    assert source.at("controls/prompt") == "research/t/1.1-a/README.md:1"
    assert source.line("factors/model/1/model") == 7


def test_questions_are_found_by_id_wherever_they_lie(tmp_path: Path) -> None:
    add(tmp_path, "b/2.1-x", question_text("RQ-x"))
    add(tmp_path, "a/deep/er/y", question_text("RQ-y"))
    add(tmp_path, "index", "# Only an index\n")
    add(tmp_path, ".hidden/z", question_text("RQ-z"))
    questions = read_questions(LabPaths(tmp_path))
    assert [(question.id, question.folder) for question in questions] == [
        ("RQ-y", "research/a/deep/er/y"),
        ("RQ-x", "research/b/2.1-x"),
    ]


def test_a_lab_without_research_has_no_questions(tmp_path: Path) -> None:
    assert read_questions(LabPaths(tmp_path)) == ()


def test_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    add(tmp_path, "a", question_text("a"))
    add(tmp_path, "b", "---\nid: RQ-b\n")
    add(tmp_path, "c", question_text("RQ-c"))
    (tmp_path / "research" / "d").mkdir()
    (tmp_path / "research" / "d" / "README.md").write_bytes(b"---\nid: RQ-d\nquestion: \x92\n---\n")
    with pytest.raises(LabError) as caught:
        read_questions(LabPaths(tmp_path))
    assert [fault.split(" ")[0] for fault in caught.value.faults] == [
        "research/a/README.md:2:",
        "research/b/README.md:1:",
        "research/d/README.md:3:",
    ]


def test_an_id_that_stands_twice_names_both_files(tmp_path: Path) -> None:
    add(tmp_path, "a", question_text("RQ-x"))
    add(tmp_path, "b", question_text("RQ-x"))
    with pytest.raises(LabError) as caught:
        read_questions(LabPaths(tmp_path))
    (fault,) = caught.value.faults
    assert "research/b/README.md:2" in fault
    assert "research/a/README.md:2" in fault
    with pytest.raises(LabError, match="ids are unique"):
        find_question(LabPaths(tmp_path), "RQ-x")


def test_a_question_is_found_by_id_folder_and_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = add(tmp_path, "t/1.1-x", question_text("RQ-x"))
    monkeypatch.chdir(tmp_path / "research" / "t")
    references = ["RQ-x", "1.1-x", "1.1-x/README.md", "research/t/1.1-x/", "t/1.1-x", str(readme)]
    assert {find_question(LabPaths(tmp_path), each).id for each in references} == {"RQ-x"}


def test_a_broken_neighbour_does_not_hide_a_question(tmp_path: Path) -> None:
    add(tmp_path, "a", "---\nid: RQ-b\n")
    add(tmp_path, "x", question_text("RQ-x"))
    assert find_question(LabPaths(tmp_path), "RQ-x").id == "RQ-x"


def test_an_unknown_reference_names_the_nearest_and_what_is_broken(tmp_path: Path) -> None:
    add(tmp_path, "a", "---\nid: RQ-b\n")
    add(tmp_path, "x", question_text("RQ-model-effect"))
    with pytest.raises(LabError) as caught:
        find_question(LabPaths(tmp_path), "RQ-modell-effect")
    assert caught.value.faults[0] == (
        "no research question RQ-modell-effect: did you mean RQ-model-effect?"
    )
    assert caught.value.faults[1].startswith("research/a/README.md:1:")


def test_a_folder_without_frontmatter_is_no_question(tmp_path: Path) -> None:
    readme = add(tmp_path, "a", "# Index\n")
    with pytest.raises(LabError, match="has no frontmatter"):
        find_question(LabPaths(tmp_path), str(readme.parent))


def test_line_ends_and_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "research" / "a" / "README.md"
    path.parent.mkdir(parents=True)
    body = question_text("RQ-x").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + body.encode())
    assert read_questions(LabPaths(tmp_path))[0].id == "RQ-x"


def test_a_status_is_read_in_an_imported_lab_only(tmp_path: Path) -> None:
    add(tmp_path, "a", question_text("RQ-x").replace("outcomes", "status: aktiv\noutcomes"))
    with pytest.raises(LabError, match="status"):
        read_questions(LabPaths(tmp_path))
    (tmp_path / "experiments").mkdir()
    marker = "schema_version: 1\nsource: old lab\nstack: typescript-vitest\nharnesses: {}\n"
    (tmp_path / "experiments" / "imported.yaml").write_text(marker)
    assert read_questions(LabPaths(tmp_path))[0].status == "aktiv"


@pytest.mark.data
def test_all_questions_of_the_original_are_read(original_pool: Path, tmp_path: Path) -> None:
    from lab.domain.cell import expand

    (tmp_path / "experiments").mkdir()
    marker = "schema_version: 1\nsource: old lab\nstack: typescript-vitest\nharnesses: {}\n"
    (tmp_path / "experiments" / "imported.yaml").write_text(marker)
    os.symlink(original_pool / "research", tmp_path / "research")
    questions = read_questions(LabPaths(tmp_path))
    cells = [expand(question, lambda _: "typescript-vitest") for question in questions]
    assert (len(questions), sum(map(len, cells))) == (44, 284)

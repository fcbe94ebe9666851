"""Where a README's frontmatter begins and ends, and when there is none."""

import pytest
from lab.errors import LabError
from lab.store.frontmatter import Frontmatter, cut


def test_the_text_between_two_fences_is_cut_with_its_line() -> None:
    assert cut("---\nid: RQ-a\n---\n# Title\n", "f") == Frontmatter("id: RQ-a\n", 2)


def test_a_fence_in_the_body_belongs_to_the_body() -> None:
    assert cut("---\nid: RQ-a\n---\ntext\n---\nmore\n", "f") == Frontmatter("id: RQ-a\n", 2)


def test_blank_lines_before_and_spaces_after_a_fence_are_fine() -> None:
    assert cut("\n\n---  \nid: RQ-a\n--- \n", "f") == Frontmatter("id: RQ-a\n", 4)


def test_an_indented_fence_is_part_of_the_text() -> None:
    found = cut("---\nquestion: |\n  a\n  ---\n  b\n---\n", "f")
    assert found == Frontmatter("question: |\n  a\n  ---\n  b\n", 2)


@pytest.mark.parametrize("text", ["", "\n\n", "# Index\n\nText.\n", "----\ntext\n----\n"])
def test_a_readme_without_frontmatter_is_no_question(text: str) -> None:
    assert cut(text, "f") is None


def test_a_frontmatter_without_an_end_is_a_fault() -> None:
    with pytest.raises(LabError) as caught:
        cut("---\nid: RQ-a\n# Title\n", "a/README.md")
    assert "a/README.md:1: the frontmatter" in caught.value.faults[0]


@pytest.mark.parametrize(
    "text",
    ["id: RQ-a\nquestion: q\n---\n", "# Title\n\n---\nid: RQ-a\n---\n", "----\nid: RQ-a\n----\n"],
)
def test_an_id_outside_of_frontmatter_is_a_fault_and_no_skip(text: str) -> None:
    with pytest.raises(LabError, match="an id outside of frontmatter"):
        cut(text, "a/README.md")


def test_an_example_in_a_code_block_is_no_question() -> None:
    assert cut("# How to\n\n```yaml\n---\nid: RQ-a\n---\n```\n", "f") is None

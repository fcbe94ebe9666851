from lab.domain.workflow_text import TextFile
from lab.paths import LabPaths
from lab.store.workflow_files import read_workflow_files


def test_a_workflows_words_are_its_text_files_without_licence_and_links(tmp_path):
    folder = tmp_path / "experiments" / "workflows" / "family" / "v1"
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "tdd.md").write_text("Write a test list.")
    (folder / "LICENSE.upstream").write_text("code_mass")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "link.md").symlink_to(folder / "rules" / "tdd.md")
    assert read_workflow_files(LabPaths(tmp_path), "family/v1") == (
        TextFile("latin.md", "caf\N{REPLACEMENT CHARACTER}"),
        TextFile("rules/tdd.md", "Write a test list."),
    )


def test_a_workflow_without_a_folder_has_no_words(tmp_path):
    (tmp_path / "experiments" / "workflows").mkdir(parents=True)
    assert read_workflow_files(LabPaths(tmp_path), "gone") is None

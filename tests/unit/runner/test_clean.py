import os
import subprocess

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, QUESTION, small_lab
from builders.repositories import IDENTITY, commit, git, repository
from lab.domain.metric import measured
from lab.errors import LabError
from lab.runner.broken import LEFTOVER, STUB, find_broken
from lab.runner.clean import clean
from lab.store.catalogue import read_catalogue
from lab.store.lock import live_batch
from lab.store.pool import Pool
from lab.store.questions import read_questions

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}
VALUES = {"green": measured(True, "pytest@1")}


def life(run_id, **changes):
    return identity(run_id, **{"model": "m1", **LIFE, **changes})


@pytest.fixture
def paths(tmp_path, monkeypatch):
    """Two ok runs, a timeout, a stub, a failed run of no question, and an archived question."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    paths = small_lab(tmp_path)
    archived = QUESTION.replace("RQ-small", "RQ-old").replace("plain-v1", "old-v1")
    (tmp_path / "research/tree/1.2-old").mkdir()
    (tmp_path / "research/tree/1.2-old/README.md").write_text(archived)
    add_run(paths, life("ok-1"), VALUES)
    add_run(paths, life("ok-2"), VALUES)
    add_run(paths, life("timeout-1", exit_reason="timeout"), VALUES)
    add_run(paths, life("stub-1", exit_reason=None))
    add_run(paths, life("elsewhere-1", exit_reason="error-3", model="m9"))
    add_run(paths, life("old-1", exit_reason="tampered", workflow="old-v1"))
    add_run(paths, life("_archive", exit_reason="timeout"))
    (tmp_path / ".gitignore").write_text(
        "experiments/runs/.*\nexperiments/runs/*/workspace/\n", encoding="utf-8"
    )
    repository(tmp_path)
    return paths


def broken(paths):
    return find_broken(paths, read_questions(paths), read_catalogue(paths))


def apply(paths, aggregate=lambda question: (), **options):
    return clean(paths, read_questions(paths), read_catalogue(paths), aggregate, **options)


def names(paths):
    return sorted(name for name in os.listdir(paths.runs) if name[0] != ".")


def committed(paths):
    """Return the paths that the last commit touched."""
    shown = git(paths.root, "show", "--name-only", "--format=", "HEAD")
    return sorted(shown.split())


def test_every_run_that_is_not_ok_is_listed_with_its_reason(paths):
    found = broken(paths)
    assert [(run.run_id, run.reason) for run in found.runs] == [
        ("elsewhere-1", "error-3"),
        ("old-1", "tampered"),
        ("stub-1", STUB),
        ("timeout-1", "timeout"),
    ]
    assert all(run.is_tracked for run in found.runs)
    assert [question.id for question in found.questions] == ["RQ-small"]
    assert [question.id for question in found.archived] == ["RQ-old"]


def test_listing_changes_nothing(paths):
    before = names(paths)
    head = git(paths.root, "rev-parse", "HEAD")
    broken(paths)
    assert names(paths) == before
    assert git(paths.root, "rev-parse", "HEAD") == head
    assert git(paths.root, "status", "--porcelain") == ""


def test_a_clean_leaves_the_ok_runs_and_one_commit_of_the_rest(paths):
    cleaned = apply(paths)
    assert names(paths) == ["_archive", "ok-1", "ok-2"]
    assert [run.run_id for run in Pool(paths).identities()] == ["ok-1", "ok-2"]
    assert {path.split("/")[2] for path in committed(paths)} == {
        "elsewhere-1",
        "old-1",
        "stub-1",
        "timeout-1",
    }
    assert cleaned.commit == git(paths.root, "rev-parse", "HEAD").strip()
    assert git(paths.root, "rev-list", "--count", "HEAD").strip() == "2"
    assert git(paths.root, "status", "--porcelain") == ""
    subject = git(paths.root, "log", "-1", "--format=%s").strip()
    assert subject == "data(runs): remove 4 broken runs"


def test_a_second_clean_does_nothing(paths):
    apply(paths)
    cleaned = apply(paths)
    assert (cleaned.broken.runs, cleaned.commit) == ((), None)
    assert git(paths.root, "rev-list", "--count", "HEAD").strip() == "2"


def test_questions_that_selected_a_removed_run_are_aggregated_after_the_removal(paths):
    seen = []

    def aggregate(question):
        seen.append((question.id, names(paths)))
        file = paths.root / question.folder / "summary.md"
        file.write_text("fresh")
        return (file,)

    cleaned = apply(paths, aggregate)
    assert seen == [("RQ-small", ["_archive", "ok-1", "ok-2"])]
    assert cleaned.files == (paths.root / FOLDER / "summary.md",)
    assert f"{FOLDER}/summary.md" in committed(paths)
    assert cleaned.notes == ("RQ-old is not re-aggregated: it names an archived workflow",)


def test_the_real_aggregation_fits(paths):
    from lab.cli.clean import _aggregate

    cleaned = apply(paths, lambda question: _aggregate(paths, question))
    assert cleaned.notes == ("RQ-old is not re-aggregated: it names an archived workflow",)
    assert [file.name for file in cleaned.files] == ["runs.csv", "summary.json", "summary.md"]
    assert {f"{FOLDER}/{file.name}" for file in cleaned.files} <= set(committed(paths))
    assert git(paths.root, "status", "--porcelain") == ""


def test_a_question_that_cannot_be_aggregated_is_noted_and_the_rest_committed(paths):
    def aggregate(question):
        raise LabError("no such outcome")

    cleaned = apply(paths, aggregate)
    assert "RQ-small is not re-aggregated: no such outcome" in cleaned.notes
    assert cleaned.commit is not None


def test_what_else_is_staged_or_changed_stays_out_of_the_commit(paths):
    (paths.root / "staged.txt").write_text("staged")
    git(paths.root, "add", "staged.txt")
    (paths.root / FOLDER / "README.md").write_text(QUESTION + "edited\n")
    add_run(paths, life("new-1"), VALUES)
    apply(paths)
    assert all(path.startswith("experiments/runs/") for path in committed(paths))
    status = git(paths.root, "status", "--porcelain", "--untracked-files=normal")
    assert sorted(status.splitlines()) == [
        " M research/tree/1.1-slug/README.md",
        "?? experiments/runs/new-1/",
        "A  staged.txt",
    ]


def test_a_live_batch_forbids_it(paths):
    with live_batch(paths, "b1"), pytest.raises(LabError, match=r"live \(b1\)"):
        apply(paths)
    assert "timeout-1" in names(paths)


def test_a_command_that_holds_the_pool_forbids_it(paths):
    holder = subprocess.Popen(
        ["flock", "--shared", str(paths.lock), "sh", "-c", "echo held; read stop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(LabError, match="using the pool"):
        apply(paths, patience_seconds=0.05)
    assert "timeout-1" in names(paths)
    holder.communicate(b"\n")
    apply(paths)
    assert "timeout-1" not in names(paths)


def test_leftover_folders_go_and_others_stay(paths):
    (paths.runs / "left" / "workspace").mkdir(parents=True)
    (paths.runs / "left" / "workspace" / "x.py").write_text("x")
    (paths.runs / "tracked").mkdir()
    (paths.runs / "tracked" / "notes.md").write_text("notes")
    commit(paths.root, "notes")
    (paths.runs / "foreign").mkdir()
    (paths.runs / "foreign" / "metrics.json").write_text("{}")
    torn = paths.runs / "torn"
    torn.mkdir()
    (torn / "run.json").write_text('{"schema_version": 99}')
    (paths.runs / "link").symlink_to("/nowhere")
    found = broken(paths)
    assert [run.run_id for run in found.runs if run.reason == LEFTOVER] == ["left"]
    assert [fault.run_id for fault in found.kept] == ["foreign", "link", "torn", "tracked"]
    apply(paths)
    assert names(paths) == [
        "_archive",
        "foreign",
        "link",
        "ok-1",
        "ok-2",
        "torn",
        "tracked",
    ]
    assert not any(path.split("/")[2] == "tracked" for path in committed(paths))


def test_a_failed_run_that_git_never_saw_goes_without_a_commit(paths):
    apply(paths)
    add_run(paths, life("late", exit_reason="stalled"))
    cleaned = apply(paths)
    assert [run.is_tracked for run in cleaned.broken.runs] == [False]
    assert "late" not in names(paths)
    assert cleaned.commit is None


def test_a_run_whose_files_an_agent_locked_is_removed_without_following_links(paths, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    outside.chmod(0o555)
    workspace = paths.runs / "timeout-1" / "workspace"
    (workspace / "deep").mkdir(parents=True)
    (workspace / "deep" / "file").write_text("x")
    (workspace / "link").symlink_to(outside)
    (workspace / "deep").chmod(0)
    workspace.chmod(0o500)
    apply(paths)
    assert "timeout-1" not in names(paths)
    assert (outside / "kept").read_text() == "kept"
    assert outside.stat().st_mode & 0o777 == 0o555


def test_names_that_look_like_patterns_hit_only_themselves(paths):
    add_run(paths, life("[ao]k-*", exit_reason="timeout"))
    commit(paths.root, "odd name")
    apply(paths)
    assert names(paths) == ["_archive", "ok-1", "ok-2"]
    assert not any("ok-1" in path for path in committed(paths))


def test_outside_a_repository_nothing_is_removed(tmp_path):
    paths = small_lab(tmp_path)
    add_run(paths, life("timeout-1", exit_reason="timeout"))
    with pytest.raises(LabError, match="not in a git repository"):
        apply(paths)
    assert names(paths) == ["timeout-1"]


def test_without_a_committer_nothing_is_removed(paths, monkeypatch):
    for name in ("GIT_COMMITTER_EMAIL", "GIT_COMMITTER_NAME"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    with pytest.raises(LabError, match="who commits"):
        apply(paths)
    assert "timeout-1" in names(paths)


def test_during_a_merge_nothing_is_removed(paths):
    head = git(paths.root, "rev-parse", "HEAD")
    (paths.root / ".git" / "MERGE_HEAD").write_text(head)
    with pytest.raises(LabError, match="merge or rebase"):
        apply(paths)
    assert "timeout-1" in names(paths)


def test_a_commit_that_a_hook_refuses_says_what_to_do(paths):
    hook = paths.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(LabError, match="not today.*commit by hand"):
        apply(paths)
    assert git(paths.root, "rev-list", "--count", "HEAD").strip() == "1"


def test_a_lab_root_that_git_ignores_is_cleaned_without_a_commit(paths):
    (paths.root / ".gitignore").write_text("/inner/\n")
    commit(paths.root, "ignore")
    inner = small_lab(paths.root / "inner")
    add_run(inner, life("timeout-1", exit_reason="timeout"))

    def aggregate(question):
        file = inner.root / question.folder / "summary.md"
        file.write_text("fresh")
        return (file,)

    cleaned = apply(inner, aggregate)
    assert names(inner) == []
    assert cleaned.commit is None
    assert git(paths.root, "rev-list", "--count", "HEAD").strip() == "2"


def test_a_clean_inside_a_bigger_repository_commits_its_own_part(tmp_path, monkeypatch):
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    inner = small_lab(tmp_path / "labs" / "one")
    add_run(inner, life("timeout-1", exit_reason="timeout"))
    repository(tmp_path)
    assert apply(inner).commit is not None
    assert {path.rsplit("/", 1)[0] for path in committed(inner)} == {
        "labs/one/experiments/runs/timeout-1"
    }

import json

import pytest
from builders.pools import add_run, identity
from builders.questions import FOLDER, small_lab
from builders.repositories import IDENTITY, git, repository
from lab.cli.boundary import guarded
from lab.cli.main import lab

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}


@pytest.fixture
def paths(tmp_path, monkeypatch):
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    paths = small_lab(tmp_path)
    add_run(paths, identity("ok-1", model="m1", **LIFE))
    add_run(paths, identity("slow-1", model="m1", exit_reason="timeout", **LIFE))
    (tmp_path / ".gitignore").write_text("experiments/runs/.*\n")
    repository(tmp_path)
    return paths


@pytest.fixture
def clean(paths, capsys):
    def call(*arguments):
        code = guarded(lab, ["--root", str(paths.root), "clean", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_without_apply_it_only_lists(clean, paths):
    add_run(paths, identity("new-1", model="m1", exit_reason="stalled", **LIFE))
    assert clean() == (
        0,
        "2 runs would be removed (1 stalled, 1 timeout):\n"
        "  new-1: stalled (not in git)\n"
        "  slow-1: timeout\n"
        "  then aggregated: RQ-small\n"
        "not in git, and cannot be brought back: 1 of them\n"
        f"next: lab --root {paths.root} clean --apply\n",
        "",
    )
    assert paths.run("slow-1").folder.exists()


def test_apply_removes_aggregates_and_commits(clean, paths):
    code, out, err = clean("--apply")
    head = git(paths.root, "rev-parse", "HEAD").strip()
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "removed 1 run (1 timeout)"
    assert out.splitlines()[-2:] == [
        f"committed {head[:12]}",
        f"next: lab --root {paths.root} plan --all",
    ]
    assert not paths.run("slow-1").folder.exists()
    assert (paths.root / FOLDER / "summary.json").exists()
    expected = f"nothing to remove\nnext: lab --root {paths.root} status\n"
    assert clean("--apply")[1] == expected


def test_json_says_the_same(clean):
    document = json.loads(clean("--json")[1])
    assert document["runs"] == [{"run_id": "slow-1", "reason": "timeout", "is_tracked": True}]
    assert document["questions"] == ["RQ-small"]
    applied = json.loads(clean("--apply", "--json")[1])
    assert len(applied["commit"]) == 40
    assert f"{FOLDER}/summary.json" in applied["files"]


def test_outside_git_it_is_one_line(tmp_path_factory, capsys):
    root = tmp_path_factory.mktemp("no-git")
    paths = small_lab(root)
    code = guarded(lab, ["--root", str(paths.root), "clean"])
    assert code == 1
    assert capsys.readouterr().err.startswith("error: ")

from pathlib import Path

import pytest
from lab.errors import LabError
from lab.store.suites import read_suite


def make_suite(folder: Path, runner: str = "{}", names: tuple[str, ...] = ("01-a",)) -> Path:
    (folder / "scenarios").mkdir(parents=True)
    (folder / "runner.json").write_text(runner)
    for name in names:
        (folder / "scenarios" / f"{name}.input.json").write_text("1\n")
        (folder / "scenarios" / f"{name}.expected.json").write_text("2\n")
    return folder


def test_scenarios_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    suite = read_suite(make_suite(tmp_path / "s", names=("02-b", "01-a")), "python-pytest")
    assert [one.name for one in suite.scenarios] == ["01-a", "02-b"]
    assert (suite.scenarios[0].input, suite.scenarios[0].expected) == ("1\n", "2\n")
    assert (suite.command, suite.adapter, suite.timeout_seconds) == (None, None, 30.0)


def test_a_stack_overrides_the_command(tmp_path: Path) -> None:
    runner = '{"command": "run it", "commands": {"one": ["a b", "c"]}, "timeout_seconds": 2.5}'
    folder = make_suite(tmp_path / "s", runner)
    assert read_suite(folder, "one").command == ("a b", "c")
    assert read_suite(folder, "other").command == ("run", "it")
    assert read_suite(folder, "other").timeout_seconds == 2.5


def test_an_adapter_gets_its_hidden_name(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s", '{"adapter": {"one": "adapter.py"}}')
    (folder / "adapter.py").write_text("print(1)\n")
    assert read_suite(folder, "one").adapter == (".verification-adapter.py", "print(1)\n")
    assert read_suite(folder, "other").adapter is None


def test_links_to_another_suite_are_followed(tmp_path: Path) -> None:
    real = make_suite(tmp_path / "real", '{"adapter": "adapter.py"}')
    (real / "adapter.py").write_text("x = 1\n")
    linked = tmp_path / "linked"
    linked.mkdir()
    for name in ("runner.json", "adapter.py", "scenarios"):
        (linked / name).symlink_to(real / name)
    assert read_suite(linked, "one") == read_suite(real, "one")
    whole = tmp_path / "whole"
    whole.symlink_to(real)
    assert read_suite(whole, "one") == read_suite(real, "one")


def test_a_story_is_no_scenario(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s")
    (folder / "scenarios" / "01-a.story.md").write_text("Once.\n")
    assert len(read_suite(folder, "one").scenarios) == 1


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda f: (f / "runner.json").unlink(), "runner.json"),
        (lambda f: (f / "runner.json").write_text("{"), "not JSON"),
        (lambda f: (f / "runner.json").write_text('{"comand": "x"}'), "comand"),
        (lambda f: (f / "runner.json").write_text('{"timeout_seconds": 0}'), "timeout_seconds"),
        (lambda f: (f / "runner.json").write_text('{"adapter": "../a.py"}'), "adapter"),
        (lambda f: (f / "runner.json").write_text('{"adapter": "no.py"}'), "no.py"),
        (lambda f: (f / "scenarios/01-a.input.json").unlink(), "01-a.input.json is missing"),
        (lambda f: (f / "scenarios/01-a.expected.json").unlink(), "01-a.expected.json is missing"),
        (lambda f: (f / "scenarios/01-a.expected.json").write_text("no"), "not JSON"),
    ],
)
def test_a_broken_suite_is_an_error(tmp_path: Path, break_it: object, told: str) -> None:
    folder = make_suite(tmp_path / "s")
    break_it(folder)  # type: ignore[operator]
    with pytest.raises(LabError, match=told):
        read_suite(folder, "one")


def test_a_suite_without_scenarios_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="no scenario"):
        read_suite(make_suite(tmp_path / "s", names=()), "one")


def test_a_link_that_leads_nowhere_is_an_error_and_names_its_target(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "runner.json").write_text("{}")
    (folder / "scenarios").symlink_to(tmp_path / "gone")
    with pytest.raises(LabError, match="gone"):
        read_suite(folder, "one")


def test_a_suite_that_is_a_link_to_nowhere_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "s").symlink_to(tmp_path / "gone")
    with pytest.raises(LabError, match="runner.json: No such file"):
        read_suite(tmp_path / "s", "one")

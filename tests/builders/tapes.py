"""Builds small solution tapes, in memory and as folders, and tells what a manner plays."""

from pathlib import Path

from lab.tapes.manner import Action, DeleteFile, RunSuite, WriteFile
from lab.tapes.tape import PARTS, Step, Tape


def step(number: int, **parts: str) -> Step:
    """Make a step of files named after part and number; test, inactive and code are always there.

    `parts` maps a part's name to its content; the production file is m<number>.
    """
    paths = {"test": f"t{number}", "inactive": f"t{number}", "passing": f"p{number}"}
    given = {"test": "test", "inactive": "inactive", "code": "code", **parts}
    files = {
        part: ((paths.get(part, f"m{number}"), given[part].encode()),) if part in given else ()
        for part in PARTS
    }
    return Step(f"{number:02}", **files)


def tape(*steps: Step, verification: str | None = None) -> Tape:
    extra = (("v", verification.encode()),) if verification else ()
    return Tape("kata", "stack", (), steps, extra)


def played(actions: tuple[Action, ...]) -> str:
    """Tell actions as text: "t1=test run m1=code run -t1 run"."""
    return " ".join(_told(action) for action in actions)


def _told(action: Action) -> str:
    match action:
        case WriteFile(path, content):
            return f"{path}={content.decode()}"
        case DeleteFile(path):
            return f"-{path}"
        case RunSuite():
            return "run"


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, making what folders they need; return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder

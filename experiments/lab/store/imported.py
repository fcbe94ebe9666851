"""The marker of a lab root that `lab import` made, and what it says in place of a catalogue."""

from dataclasses import dataclass

from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.coerce import coerce
from lab.store.yaml_text import load, read_text

NAME = "imported.yaml"


@dataclass(frozen=True, slots=True)
class Imported:
    """`stack` stands for runs and cells that name none; `harnesses` pairs workflow and harness.

    `archived` lists workflows that the original kept in its archive. `outcomes` pairs an outcome as
    the questions there spell it with the registry's id (or the id its values were carried under).
    """

    source: str
    stack: str
    harnesses: tuple[tuple[str, str], ...]
    archived: tuple[str, ...] = ()
    outcomes: tuple[tuple[str, str], ...] = ()


def read_imported(paths: LabPaths) -> Imported | None:
    """Return the marker of an imported lab root, None elsewhere."""
    path = paths.experiments / NAME
    if not path.exists():
        return None
    where = f"experiments/{NAME}"
    result = coerce(load(read_text(path, where), where), "imported", where)
    if result.messages:
        raise LabError(result.messages)
    value = result.value
    return Imported(
        source=value["source"],
        stack=value["stack"],
        harnesses=tuple((value["harnesses"] or {}).items()),
        archived=tuple(value.get("archived", ())),
        outcomes=tuple((value.get("outcomes") or {}).items()),
    )

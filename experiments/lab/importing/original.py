"""One metrics.json of the original lab, of any generation, as flat places with values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.domain.metric import Value
from lab.importing.columns import BY_PLACE, LEGACY, OCTOBER
from lab.store.foreign import Unreadable, parse, read_regular

Scalar = str | Value | None
FILE = "metrics.json"
REQUIRED = ("kata", "workflow", "model")
HEAD = frozenset(
    {
        *REQUIRED,
        *("cli_model", "thinking", "started_at", "ended_at", "duration_seconds", "batch_run"),
        *("plan_file", "analyze_status", "phases", "stack", "harness_version"),
        *("run_status.exit_code", "run_status.exit_reason", "run_status.rate_limited"),
    }
)


@dataclass(frozen=True, slots=True)
class Original:
    """A run as the original recorded it.

    `values` maps "section.key" or "key" to what stands there; `shapes` are the places that hold a
    list or something deeper; `content` is the file itself, so that nothing is lost.
    """

    run_id: str
    values: Mapping[str, Scalar]
    shapes: tuple[str, ...]
    content: bytes

    def text(self, place: str) -> str | None:
        value = self.values.get(place)
        return value if isinstance(value, str) and value else None

    def whole(self, place: str) -> int | None:
        value = self.values.get(place)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, place: str) -> Value | None:
        value = self.values.get(place)
        return None if isinstance(value, str) else value

    @property
    def sections(self) -> frozenset[str]:
        return frozenset(place.split(".")[0] for place in self.values if "." in place)

    @property
    def has_values(self) -> bool:
        """Tell whether an analysis ever wrote here."""
        return "summary_metrics" in self.sections or "code_smells" in self.sections

    @property
    def generation(self) -> str:
        """Say which of the original's pipelines wrote it: they measured differently."""
        if not self.has_values:
            return "skeleton"
        if "stack" in self.values or any(_is_october(place) for place in self.values):
            return "2026-10"
        return "2026-08" if "analyze_status" in self.values else "2026-05"

    @property
    def places(self) -> tuple[str, ...]:
        return (*self.values, *self.shapes)


def read_original(path: Path, run_id: str) -> Original:
    """Read a metrics.json; Unreadable where it is torn, foreign, or of a run that has not ended."""
    try:
        content = read_regular(str(path))
        document = parse(content)
    except ValueError as error:
        raise Unreadable(path, str(error)) from None
    values, shapes = _flatten(document)
    original = Original(run_id, values, shapes, content)
    lacking = [name for name in REQUIRED if original.text(name) is None]
    if lacking:
        raise Unreadable(path, f"no {' and no '.join(lacking)}: not a run of the original lab")
    if original.text("run_status.exit_reason") is None:
        raise Unreadable(path, "no run_status.exit_reason: the run was broken off")
    return original


def leaf(place: str) -> str:
    """Return the last part of a place."""
    return place.rpartition(".")[2]


def _flatten(document: Mapping[str, object]) -> tuple[dict[str, Scalar], tuple[str, ...]]:
    values: dict[str, Scalar] = {}
    shapes: list[str] = []
    for name, value in document.items():
        parts = value if isinstance(value, dict) else {"": value}
        for key, part in parts.items():
            place = f"{name}.{key}" if key else name
            if part is None or isinstance(part, (str, bool, int, float)):
                values[place] = part
            else:
                shapes.append(place)
    return values, tuple(shapes)


def _is_october(place: str) -> bool:
    name = leaf(place)
    is_renamed = name in OCTOBER and place not in BY_PLACE
    return is_renamed or name.startswith((LEGACY, "chain_"))

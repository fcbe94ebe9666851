"""What a calibration agent must measure, and how a run compares with it."""

from dataclasses import dataclass

from lab.domain.metric import Measurement, Reason, Value

TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Expected:
    """One manner on one kata, written by hand. `missing` pairs a column with why it is null."""

    kata_base: str
    manner: str
    exit_reason: str
    completion: str
    labels: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, Value], ...]
    missing: tuple[tuple[str, Reason], ...]

    @property
    def facts(self) -> int:
        """Count what is compared: exit reason, completion, labels, cycles, every column."""
        return 4 + len(self.columns) + len(self.missing)


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that is not as expected, both sides as a person reads them."""

    what: str
    expected: str
    measured: str


def differs(wanted: Value | Reason, found: Measurement | None) -> bool:
    """Compare one column: true is not 1, a null needs its reason, fractions agree to 1e-6."""
    if found is None:
        return True
    if isinstance(wanted, Reason):
        return found.value is not None or found.reason is not wanted
    if found.value is None or isinstance(wanted, bool) != isinstance(found.value, bool):
        return True
    return abs(wanted - found.value) > TOLERANCE


def told(value: Value | Reason | Measurement | None) -> str:
    """Tell a value: a number, true or false, "null (reason)", or "absent"."""
    if isinstance(value, Measurement):
        value = value.reason if value.value is None else value.value
    if value is None:
        return "absent"
    if isinstance(value, Reason):
        return f"null ({value.value})"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}"

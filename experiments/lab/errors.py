"""What can go wrong, in two kinds: what the user can mend, and a foreign tool that failed."""

from collections.abc import Iterable


class LabError(Exception):
    """Say what the user can mend: where, what is wrong, what is allowed or what to run.

    Carries one line per fault, so that all faults of a file are reported together.
    """

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))


class ToolFailed(Exception):
    """A foreign tool ended in a way that gives no result; carries what it printed."""

    def __init__(self, tool: str, output: str, exit_code: int | None = None) -> None:
        self.tool = tool
        self.output = output
        self.exit_code = exit_code
        super().__init__(f"{tool} failed (exit {exit_code}): {output.strip()[-500:]}")

"""Numbers of things, as they are said."""


def counted(number: int, noun: str) -> str:
    """Return "1 run", "2 runs", "1,850 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""Run the benchmarks and print each figure beside its rival or floor from the same run.

Usage: tests/bench/run.py [NAME ...] [--json FILE]; NAME is a module without its bench_ prefix.
A module offers rows() -> list of {name, figure, unit, rival, rival_figure, budget}; budget is the
largest allowed figure or None. Absolute times depend on the machine; the ratio says more.
"""

import argparse
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
COLUMNS = ("name", "figure", "unit", "rival_figure", "rival", "budget", "within")


def main() -> int:
    available = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", help=f"default: all of {', '.join(available)}")
    parser.add_argument("--json", type=Path, default=HERE.parents[1] / ".lab" / "bench.json")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in available]
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    rows: list[dict[str, Any]] = []
    for name in options.names or available:
        print(f"running {name} ...", file=sys.stderr, flush=True)
        rows += [judged(row) for row in load(available[name]).rows()]
    print(table(rows))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(f"\nas JSON: {options.json}")
    return 0


def load(path: Path) -> Any:
    for folder in (HERE, HERE.parent, HERE.parents[1] / "experiments"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judged(row: dict[str, Any]) -> dict[str, Any]:
    budget, figure = row.get("budget"), row.get("figure")
    within = None if budget is None or figure is None else figure <= budget
    return {**row, "within": within}


def table(rows: list[dict[str, Any]]) -> str:
    cells = [COLUMNS, *(tuple(shown(row.get(column)) for column in COLUMNS) for row in rows)]
    widths = [max(len(line[index]) for line in cells) for index in range(len(COLUMNS))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())

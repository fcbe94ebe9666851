"""The alias table: where the original kept a column, how it spelled it, and what we call it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One column of August: its name in runs.csv and questions, its place in metrics.json.

    `id` is the registry's id, or `legacy_<name>` for what nothing computes any more.
    """

    name: str
    place: str
    id: str


def _same(section: str, *names: str) -> tuple[Column, ...]:
    return tuple(Column(name, f"{section}.{name}", name) for name in names)


def _legacy(section: str, *names: str) -> tuple[Column, ...]:
    return tuple(Column(name, f"{section}.{name}", f"legacy_{name}") for name in names)


COLUMNS: tuple[Column, ...] = (
    Column("duration_seconds", "duration_seconds", "duration_seconds"),
    Column("total_tokens", "summary_metrics.total_tokens", "tokens_total"),
    Column(
        "context_utilization_pct", "summary_metrics.context_utilization_pct", "context_utilization"
    ),
    *_legacy(
        "summary_metrics",
        "cycle_count",
        "avg_cycle_seconds",
        "avg_red_seconds",
        "avg_green_seconds",
        "avg_refactor_seconds",
        "refactorings_applied",
        "tests_passed_immediately",
    ),
    *_same("summary_metrics", "predictions_correct", "predictions_total"),
    *_same("final_metrics", "tests_passing", "tests_total", "todos_remaining", "test_lines"),
    *_legacy("final_metrics", "lines_of_code", "cli_built"),
    *_same("final_metrics", "code_mass", "mutation_score", "cost_usd"),
    *_same("final_metrics", "mccabe_max", "mccabe_avg", "mccabe_high_count"),
    *_same("final_metrics", "cognitive_max", "cognitive_avg", "cognitive_high_count"),
    *_same("final_metrics", "verification_total", "verification_passed", "verification_pct"),
    Column("coverage_statements_pct", "coverage.statements_pct", "coverage_statements_pct"),
    Column("coverage_branches_pct", "coverage.branches_pct", "coverage_branches_pct"),
    Column("cc_loc", "clean_code.loc", "production_loc"),
    Column("cc_functions", "clean_code.functions", "functions"),
    Column("cc_longest_function", "clean_code.longest_function", "longest_function"),
    Column("cc_avg_loc_per_function", "clean_code.avg_loc_per_function", "avg_loc_per_function"),
    Column(
        "cc_median_loc_per_function",
        "clean_code.median_loc_per_function",
        "median_loc_per_function",
    ),
    Column("cc_imports", "clean_code.imports", "legacy_cc_imports"),
    Column("smell_total", "code_smells.total", "smell_total"),
    Column("smell_complexity", "code_smells.complexity", "smell_complexity"),
    Column("smell_duplication", "code_smells.duplication", "smell_duplication"),
    Column("smell_magic_numbers", "code_smells.magic_numbers", "smell_magic_numbers"),
    Column("smell_code_quality", "code_smells.code_quality", "smell_code_quality"),
)

# October spelled some columns anew, and kept older spellings readable.
OCTOBER = {
    "tokens_total": "tokens_total",
    "context_utilization": "context_utilization",
    "production_loc": "production_loc",
    "functions": "functions",
    "longest_function": "longest_function",
    "avg_loc_per_function": "avg_loc_per_function",
    "median_loc_per_function": "median_loc_per_function",
    "java_methods": "unit_count",
    "java_method_ncss_max": "unit_size_max",
    "java_method_ncss_avg": "unit_size_avg",
    "java_method_ncss_median": "unit_size_median",
}
LEGACY = "legacy_"

# The original wrote these as 0..100, cut to whole numbers; the registry's unit is a fraction.
PERCENT = frozenset({"context_utilization", "coverage_statements_pct", "coverage_branches_pct"})

BY_NAME = {column.name: column for column in COLUMNS}
BY_PLACE = {column.place: column.id for column in COLUMNS}

# How the folder that the original copied into a workspace names the harness.
HARNESSES = {
    ".claude": "claude-code",
    ".opencode": "opencode",
    ".pi": "pi",
    ".cursor": "cursor-agent",
}
# On these the original's parsers had neither a context window nor a phase clock.
WITHOUT_WINDOW = frozenset({"opencode", "pi", "cursor-agent"})
STACK = "typescript-vitest"
PROMPTS = ("prose", "user-story", "example-mapping")


def outcome_names() -> dict[str, str]:
    """Return how a question's outcome is spelled there, to how its values are called here."""
    spelled = {column.name: column.id for column in COLUMNS} | OCTOBER
    return {name: ours for name, ours in spelled.items() if name != ours}


def split_kata(kata: str) -> tuple[str, str | None]:
    """Split "<base>-<prompt>" by the original's three prompt styles."""
    for prompt in PROMPTS:
        if kata.endswith(f"-{prompt}"):
            return kata.removesuffix(f"-{prompt}"), prompt
    return kata, None

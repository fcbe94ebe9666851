"""Katas, workflows and models: the rows of the catalogue with what lies beside them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.domain.catalogue import Catalogue, Kata, Model, PromptRule, Workflow
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.coerce import coerce
from lab.store.imported import Imported, read_imported
from lab.store.yaml_text import load, read_text

PROMPT = "prompt.md"
SUITE = "verification"
ARCHIVE = "_archive"


def read_catalogue(paths: LabPaths) -> Catalogue:
    """Return the whole catalogue; LabError with all faults of all its files.

    In an imported lab root it holds what the marker says, and no katas or models.
    """
    imported = read_imported(paths)
    if imported:
        return _imported_catalogue(imported)
    faults: list[str] = []
    katas = _collect(faults, lambda: _katas(paths))
    rules, workflows = _collect(faults, lambda: _lineage(paths)) or ((), ())
    models = _collect(faults, lambda: _models(paths))
    if faults:
        raise LabError(faults)
    return Catalogue(katas, workflows, models, prompt_rules=rules)


def _collect(faults: list[str], read: Callable[[], Any]) -> Any:
    try:
        return read()
    except LabError as error:
        faults.extend(error.faults)
        return ()


def _imported_catalogue(imported: Imported) -> Catalogue:
    workflows = tuple(
        Workflow(
            id=workflow,
            folder=workflow,
            harness=harness,
            prompts=(),
            description="",
            is_archived=workflow in imported.archived,
        )
        for workflow, harness in imported.harnesses
    )
    return Catalogue((), workflows, (), fallback_stack=imported.stack, is_imported=True)


def _read(path: Path, name: str, where: str) -> Any:
    result = coerce(load(read_text(path, where), where), name, where)
    if result.messages:
        raise LabError(result.messages)
    return result.value


def _where(path: Path, paths: LabPaths) -> str:
    for base in (paths.root, paths.repository):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return path.as_posix()


def _katas(paths: LabPaths) -> tuple[Kata, ...]:
    folder = paths.katas
    faults: list[str] = []
    katas = []
    for path in sorted(folder.glob("[!_.]*.yaml")):
        try:
            value = _read(path, "kata", _where(path, paths))
        except LabError as error:
            faults.extend(error.faults)
            continue
        katas.append(_kata(paths, path.stem, value))
    if faults:
        raise LabError(faults)
    return tuple(katas)


def _kata(paths: LabPaths, base: str, value: Any) -> Kata:
    folder = paths.katas
    prompts = sorted(
        path.parent.name.removeprefix(f"{base}-")
        for path in folder.glob(f"{base}-*/{PROMPT}")
        if not _is_longer_base(folder, base, path.parent.name)
    )
    return Kata(
        base=base,
        stacks=tuple(value["stacks"]),
        prompts=tuple(prompts),
        has_suite=(folder / f"{base}-{SUITE}").is_dir(),
        carries_quality=value.get("carries_quality", False),
        license=value["license"],
        notes=value.get("notes", ""),
        is_archived=value.get("is_archived", False),
        tapes=tuple(sorted(path.name for path in paths.tapes.glob(f"{base}/[!_.]*/"))),
    )


def _is_longer_base(folder: Path, base: str, name: str) -> bool:
    """Tell whether <name> belongs to another kata, such as claim-office-lite to claim-office."""
    others = (path.stem for path in folder.glob(f"{base}-*.yaml"))
    return any(name == other or name.startswith(f"{other}-") for other in others)


def _lineage(paths: LabPaths) -> tuple[tuple[PromptRule, ...], tuple[Workflow, ...]]:
    value = _read(paths.lineage, "lineage", _where(paths.lineage, paths))
    rules = tuple(
        PromptRule(tuple(rule["workflows"]), tuple(rule["prompts"]), rule["reason"])
        for rule in value.get("prompt_rules", ())
    )
    return rules, tuple(_workflow(name, row) for name, row in value["workflows"].items())


def _workflow(workflow_id: str, row: Any) -> Workflow:
    folder = row.get("folder", workflow_id)
    return Workflow(
        id=workflow_id,
        folder=folder,
        harness=row["harness"],
        prompts=tuple(row["prompts"]),
        description=row["description"],
        parent=row.get("parent"),
        has_test_list=row.get("has_test_list", False),
        named_metrics=tuple(row.get("named_metrics", ())),
        is_archived=row.get("is_archived", False) or folder.split("/")[0] == ARCHIVE,
        command=tuple(row.get("command", ())),
    )


def _models(paths: LabPaths) -> tuple[Model, ...]:
    rows = _read(paths.models, "models", _where(paths.models, paths))["models"]
    return tuple(_model(model_id, row) for model_id, row in rows.items())


def _model(model_id: str, row: Any) -> Model:
    return Model(
        id=model_id,
        family=row["family"],
        harnesses=tuple(row["harnesses"]),
        thinking=row.get("thinking", "native"),
        manner=row.get("manner"),
        context_window=row.get("context_window"),
        price_key=row.get("price_key"),
        is_archived=row.get("is_archived", False),
    )

"""Measuring a published run again: the pool is locked for the writing alone."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from builders.analysis_jobs import NO_TOOLS, make_record
from builders.batches import lab_root
from lab.errors import LabError, ToolFailed
from lab.paths import LabPaths
from lab.runner.analysis_step import Measuring, measure_again
from lab.runner.executor import AnalysisPlace, Launch
from lab.runner.local_executor import LocalExecutor
from lab.stacks.protocol import Tools
from lab.store.lock import pool_lock
from lab.store.registry import read_registry
from lab.store.run_files import read_metrics, write_record


class Watching(LocalExecutor):
    """Its worker measures nothing, but looks whether somebody else could use the pool."""

    def __init__(self, paths: LabPaths) -> None:
        super().__init__(paths)
        self.paths = paths
        self.was_free: bool | None = None

    def tools(self, stack_id: str) -> Tools:
        return NO_TOOLS

    def launch(self, place: AnalysisPlace) -> Launch:
        def send(request: Mapping[str, object]) -> Mapping[str, object]:
            with ThreadPoolExecutor(1) as other:
                self.was_free = other.submit(is_free, self.paths).result()
            raise ToolFailed("worker", "measures nothing")

        return send


def is_free(paths: LabPaths) -> bool:
    try:
        with pool_lock(paths, exclusive=False, patience_seconds=0):
            return True
    except LabError:
        return False


def published(paths: LabPaths) -> str:
    run = paths.run("run-1")
    run.workspace.mkdir(parents=True)
    write_record(run, make_record())
    return "run-1"


def test_others_use_the_pool_while_a_run_is_measured_again(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    executor = Watching(paths)
    result = measure_again(
        Measuring(paths, executor, "test", read_registry(paths)), published(paths)
    )
    executor.close()
    assert executor.was_free is True
    assert len(result.failures) == 1
    assert read_metrics(paths.run("run-1"))["tests_total"].value is None


def test_nothing_is_written_while_somebody_else_holds_the_pool(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_id, executor = published(paths), Watching(paths)
    measuring = Measuring(paths, executor, "test", read_registry(paths))
    with pool_lock(paths, exclusive=False), ThreadPoolExecutor(1) as other:
        again = other.submit(measure_again, measuring, run_id, patience_seconds=0)
        found = again.exception()
    executor.close()
    assert isinstance(found, LabError) and "using the pool" in str(found)
    assert sorted(path.name for path in paths.run(run_id).folder.iterdir()) == [
        "run.json",
        "workspace",
    ]

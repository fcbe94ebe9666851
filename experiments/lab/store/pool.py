"""The pool: which runs are published, what they are, and what was measured on them.

`identities()` looks at the disk each time; the other methods answer from that look (or take the
first one). For aggregation: `generation()` changes whenever any run's run.json or metrics.json
changed, appeared or went, `fingerprint(run_ids)` only when one of these did; both cost no file
reads, so "nothing changed" can be decided before any heavy import. They are facts of this machine
(inodes, times): keep them in a cache, never in a file that is compared or committed. Start with
`refresh_with_metrics()` where metrics will be asked for: a cold index then reads no file twice.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.domain.metric import Measurement
from lab.domain.run import RunIdentity
from lab.paths import LabPaths
from lab.store.foreign import Document
from lab.store.index import Index, paused_collection, refresh
from lab.store.metrics_text import RunMetrics
from lab.store.run_files import read_run_metrics


@dataclass(frozen=True, slots=True)
class PoolFault:
    """A folder in the pool that is not counted as a run, and why."""

    run_id: str
    reason: str

    def __str__(self) -> str:
        """Tell it in one line; what a terminal would obey in a folder's name is escaped."""
        name = "".join(one if one.isprintable() else repr(one)[1:-1] for one in self.run_id)
        return f"runs/{name} is not counted: {self.reason}"


@dataclass(frozen=True, slots=True)
class AlikeRuns:
    """Runs that differ only in id, start and metrics, so that one match decides for all of them.

    `first` is the identity of the first one; `runs` are pairs (run id, started_at), sorted.
    """

    first: RunIdentity
    runs: tuple[tuple[str, str | None], ...]


class Pool:
    """All published runs of a lab root, by way of the index."""

    def __init__(self, paths: LabPaths) -> None:
        self.paths = paths
        self._index: Index | None = None
        self._metrics: dict[str, Document] = {}

    def refresh(self) -> None:
        """Look at the disk again."""
        self._metrics = {}
        self._index = refresh(self.paths)

    def refresh_with_metrics(self) -> None:
        """Look at the disk again and keep the metrics of runs that had to be read anyway.

        A cold aggregation then reads no file twice; 20,000 runs are about 100 MB.
        """
        self._metrics = {}
        self._index = refresh(self.paths, self._metrics)

    @property
    def index(self) -> Index:
        if self._index is None:
            self.refresh()
        assert self._index is not None
        return self._index

    def identities(self) -> tuple[RunIdentity, ...]:
        """Return every run that can be trusted, sorted by run id; refreshes first."""
        self.refresh()
        return self.index.identities(self.run_ids())

    def run_ids(self) -> tuple[str, ...]:
        """Return the ids of all runs that can be trusted, sorted."""
        return tuple(run_id for run_id, row in self.index.rows.items() if row[1] is not None)

    def faults(self) -> tuple[PoolFault, ...]:
        """Return the folders that are not counted, sorted by name, each with the reason."""
        rows = self.index.rows.items()
        return tuple(PoolFault(run_id, row[2]) for run_id, row in rows if row[1] is None)

    def alike(self) -> tuple[AlikeRuns, ...]:
        """Return all runs by what selects and counts them, in order of each first run.

        What status needs of 20,000 runs, at a tenth of the price of their identities.
        """
        index = self.index
        runs: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
        for run_id, row in index.rows.items():
            if row[1] is not None:
                runs[row[1]].append((run_id, row[2]))
        firsts = index.identities(members[0][0] for members in runs.values())
        return tuple(
            AlikeRuns(first, tuple(members))
            for first, members in zip(firsts, runs.values(), strict=True)
        )

    def metrics(self, run_ids: Iterable[str]) -> dict[str, Mapping[str, Measurement]]:
        """Read the metrics of these runs; a run without metrics.json has none."""
        with paused_collection():
            return dict(self.each_metrics(run_ids))

    def each_metrics(
        self, run_ids: Iterable[str]
    ) -> Iterator[tuple[str, Mapping[str, Measurement]]]:
        """Yield the metrics run by run, so that a big pool need not fit in memory."""
        rows = self.index.rows
        runs = os.fspath(self.paths.runs)
        for run_id in run_ids:
            if run_id in self._metrics:
                yield run_id, RunMetrics(self._metrics[run_id])
            elif rows[run_id][3] is not None:
                yield run_id, read_run_metrics(runs, run_id)
            else:
                yield run_id, {}

    def measured_by(self, run_id: str) -> Mapping[str, tuple[str, ...]]:
        """Return which code ("<id>@<version>") measured which metrics of a run."""
        number = self.index.rows[run_id][3]
        codes = {} if number is None else self.index.codes[number]
        return {code: tuple(names) for code, names in codes.items()}

    def by_code(
        self, run_ids: Iterable[str]
    ) -> tuple[tuple[Mapping[str, Sequence[str]], tuple[str, ...]], ...]:
        """Group runs by what measured them: pairs of (code to metric ids, run ids)."""
        index = self.index
        runs: dict[int, list[str]] = defaultdict(list)
        for run_id in run_ids:
            number = index.rows[run_id][3]
            if number is not None:
                runs[number].append(run_id)
        return tuple((index.codes[number], tuple(members)) for number, members in runs.items())

    def generation(self) -> str:
        """Return a token that is equal as long as nothing in the pool changed."""
        return self.index.digest

    def fingerprint(self, run_ids: Iterable[str]) -> str:
        """Return a token that is equal as long as none of these runs changed."""
        rows = self.index.rows
        text = "\n".join(f"{run_id} {rows[run_id][0]}" for run_id in run_ids)
        return hashlib.sha256(text.encode()).hexdigest()

"""Run ids: when, what, and a number where two would be the same."""

import os
import re
from collections import Counter
from datetime import datetime

from lab.domain.plan import PlannedRun
from lab.paths import LabPaths
from lab.store.atomic import writing

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
LONGEST = 200


def base_id(planned: PlannedRun, now: datetime) -> str:
    """Return YYYY-MM-DD_HH-MM-SS_<kata>_<workflow>_<model>; `now` is UTC."""
    parts = (planned.kata, planned.workflow, planned.model)
    named = "_".join(_UNSAFE.sub("-", part) for part in parts)
    return f"{now:%Y-%m-%d_%H-%M-%S}_{named}"[:LONGEST]


class RunIds:
    """Hands out ids that no run of the pool has; making the staging folder is the reservation."""

    def __init__(self, paths: LabPaths) -> None:
        self._paths = paths
        self._runs, self._staging = str(paths.runs), str(paths.staging)
        self._used: Counter[str] = Counter()

    def reserve(self, planned: PlannedRun, now: datetime) -> str:
        """Return a new id and make its staging folder, which no other coordinator then gets."""
        base = planned.run_id or base_id(planned, now)
        while True:
            self._used[base] += 1
            number = self._used[base]
            run_id = base if number == 1 else f"{base}-{number}"
            if self._make(run_id):
                return run_id

    def _make(self, run_id: str) -> bool:
        folder = f"{self._staging}/{run_id}"
        with writing(self._paths.staging):
            try:
                os.mkdir(folder)
            except FileExistsError:
                return False
        if os.path.lexists(f"{self._runs}/{run_id}"):
            os.rmdir(folder)
            return False
        return True

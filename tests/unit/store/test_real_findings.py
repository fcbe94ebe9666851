from collections import Counter
from pathlib import Path

import pytest
from lab.store.findings import read_findings

pytestmark = pytest.mark.data


def test_every_finding_of_the_original_lab_is_read(original_pool: Path) -> None:
    files = sorted(original_pool.rglob("findings.md"))
    read = [read_findings(path.parent) for path in files]
    ids = Counter(finding.id for one in read for finding in one.findings)
    assert len(files) == 43
    assert sum(ids.values()) == 219
    assert len(ids) == 130
    assert (ids["F-1.1"], ids["F-1.2"]) == (21, 20)
    assert [warning for one in read for warning in one.warnings] == []

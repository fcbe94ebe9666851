"""The local executor's analysis launch, for tests that measure a folder."""

import tempfile
from pathlib import Path

from lab.analysis.request import Document, Launch
from lab.process import owner
from lab.process.mark import Mark
from lab.runner.local_analysis import launch
from lab.stacks.protocol import Tools


def launch_local(tools: Tools) -> Launch:
    """Return a launch in a scratch folder that goes away, labelled as this test's."""
    label = Mark("test", "run-1", str(owner.current()))

    def send(request: Document) -> Document:
        with tempfile.TemporaryDirectory(prefix="lab-analysis-") as scratch:
            return launch(Path(scratch), tools, label, request)

    return send

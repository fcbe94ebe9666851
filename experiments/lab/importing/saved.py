"""The import report, kept in the lab root that it is about."""

from lab.importing.render import document, markdown
from lab.importing.report import Report
from lab.paths import LabPaths
from lab.store.atomic import to_bytes, write_bytes
from lab.store.schema import check

JSON = "import-report.json"
MARKDOWN = "import-report.md"


def save_report(paths: LabPaths, report: Report) -> None:
    """Write import-report.json and import-report.md into the root."""
    laid_out = document(report)
    faults = check("import-report", laid_out, JSON)
    if faults:
        raise ValueError("\n".join(faults))
    write_bytes(paths.root / JSON, to_bytes(laid_out))
    write_bytes(paths.root / MARKDOWN, markdown(report).encode())

"""Where `lab setup` put a stack's tools: one folder per stack and hash of what is installed."""

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths, cache_root
from lab.stacks import STACKS
from lab.stacks.protocol import Tools

IMAGE_AGENT_BIN = "/usr/local/bin"
IMAGE_ANALYSIS_BIN = "/opt/lab/analysis/bin"
NO_TOOLS = Tools("", "", sys.executable, "", is_image=False)


@dataclass(frozen=True, slots=True)
class ToolFolder:
    """The drawing of one stack's tool folder.

    <folder>/agent/      environment of the agent (test runner, reporter inside)
    <folder>/analysis/   environment of the analysis
    <folder>/reporter/   the reporter's files, for interpreters that are not ours
    <folder>/*.done      one per finished step
    <folder>/setup.log   what the installers printed
    """

    folder: Path

    @property
    def agent(self) -> Path:
        return self.folder / "agent"

    @property
    def analysis(self) -> Path:
        return self.folder / "analysis"

    @property
    def reporter(self) -> Path:
        return self.folder / "reporter"

    @property
    def done(self) -> Path:
        return self.folder / "all.done"

    @property
    def log(self) -> Path:
        return self.folder / "setup.log"

    def step(self, name: str) -> Path:
        return self.folder / f"{name}.done"


def source_files(stack_folder: Path) -> tuple[Path, ...]:
    """Return what decides about a tool folder's content: the locks and the reporter."""
    reporter = stack_folder / "reporter"
    found = [*stack_folder.glob("*.txt"), *reporter.rglob("*.py"), *reporter.rglob("*.pth")]
    return tuple(sorted(found))


def tool_folder(paths: LabPaths, stack_id: str) -> ToolFolder:
    """Return where a stack's tools belong: the name holds the hash of all that decides on them."""
    stack_folder = paths.stacks / stack_id
    digest = hashlib.sha256(repr((sys.base_prefix, sys.version_info[:3])).encode())
    for file in source_files(stack_folder):
        digest.update(file.relative_to(stack_folder).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return ToolFolder(cache_root() / "tools" / f"{stack_id}-{digest.hexdigest()[:12]}")


def tools_for(paths: LabPaths, stack_id: str) -> Tools:
    """Return where a stack's tools lie; LabError names `lab setup` when they are not there."""
    if stack_id not in STACKS:
        raise LabError(f"{stack_id}: no such stack; there are {', '.join(STACKS)}")
    if not STACKS[stack_id].IS_ANALYSED:
        return NO_TOOLS
    tools = tool_folder(paths, stack_id)
    if not tools.done.exists():
        raise LabError(f"{stack_id}: its tools are not installed; run: lab setup {stack_id}")
    return Tools(
        agent_bin=str(tools.agent / "bin"),
        analysis_bin=str(tools.analysis / "bin"),
        analysis_python=str(tools.analysis / "bin" / "python"),
        reporter=str(tools.reporter),
        is_image=False,
    )


def image_tools() -> Tools:
    """Return where the tools lie inside every image; the reporter is in its interpreter."""
    return Tools(
        agent_bin=IMAGE_AGENT_BIN,
        analysis_bin=IMAGE_ANALYSIS_BIN,
        analysis_python=f"{IMAGE_ANALYSIS_BIN}/python",
        reporter="/opt/lab/reporter",
        is_image=True,
    )

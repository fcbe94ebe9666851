"""Hostile agents: each is contained and named, and the pool and the host stay as they were."""

import os
import re
import secrets
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders.batches import Listener, records, run_plan
from builders.hostile_agents import AGENTS, LIMITS, SCRIPTS, Says, hostile_lab
from lab.domain.run import RunRecord
from lab.paths import LabPaths
from lab.process import mark
from lab.runner.session import End

ON_DOCKER = tuple(AGENTS)
ON_LOCAL = tuple(name for name, agent in AGENTS.items() if agent.local)
BYSTANDER = "an-earlier-run"


@dataclass(frozen=True, slots=True)
class Played:
    """A batch of hostile agents after its end, and the machine around it before and after."""

    paths: LabPaths
    batch_id: str
    runs: Mapping[str, RunRecord]
    end: End
    canary: str
    host_file: Path
    connections: int
    clock_drift_seconds: float

    def words(self, name: str) -> str:
        record = self.runs[name]
        return "\n".join((record.evidence or "", *record.detections, *record.warnings))

    def log(self, name: str) -> str:
        run = self.paths.run(self.runs[name].identity.run_id)
        return run.log.read_bytes().decode("utf-8", "replace")


class Ears:
    """Sockets of the host that no agent may reach, and how often one did."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.name = f"lab-{secrets.token_hex(6)}"
        self.abstract.bind(f"\0{self.name}")
        self.abstract.listen()

    def heard(self) -> int:
        count = 0
        for one in (self.tcp, self.abstract):
            one.setblocking(False)
            try:
                one.accept()[0].close()
                count += 1
            except BlockingIOError:
                pass
            one.close()
        return count


def play(folder: Path, names: tuple[str, ...], executor: str) -> Played:
    """Run the agents as one batch, two at a time, beside a run that was there before."""
    canary, ears = f"canary-{secrets.token_hex(6)}", Ears()
    host_file = folder / "host-file"
    host_file.write_text(canary)
    facts = {
        "HOST_FILE": str(host_file),
        "BYSTANDER": BYSTANDER,
        "ADDRESS": "127.0.0.2",
        "PORT": str(ears.tcp.getsockname()[1]),
        "ABSTRACT": ears.name,
    }
    paths, plan = hostile_lab(folder / "lab", names, facts)
    bystander = paths.runs / BYSTANDER / "workspace" / "secret"
    bystander.parent.mkdir(parents=True)
    bystander.write_text(canary)
    before = _fingerprint(bystander)
    drift = time.time() - time.monotonic()
    os.environ["LAB_CANARY"] = canary
    try:
        options = {"executor": executor, "is_unsandboxed": executor == "local"}
        ended = run_plan(paths, plan, LIMITS | {"LAB_BREAKER": "1000"}, Listener(), **options)
    finally:
        del os.environ["LAB_CANARY"]
    assert _fingerprint(bystander) == before
    shutil.rmtree(paths.runs / BYSTANDER)
    return Played(
        paths=paths,
        batch_id=ended.batch.id,
        runs={one.identity.workflow.removeprefix("hostile-"): one for one in records(paths)},
        end=ended.end,
        canary=canary,
        host_file=host_file,
        connections=ears.heard(),
        clock_drift_seconds=abs(time.time() - time.monotonic() - drift),
    )


def _fingerprint(file: Path) -> tuple[bytes, int]:
    return file.read_bytes(), file.stat().st_mtime_ns


@pytest.fixture(scope="module")
def in_containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    yield from _played(tmp_path_factory.mktemp("hostile"), ON_DOCKER, "docker")


@pytest.fixture(scope="module")
def on_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    yield from _played(tmp_path_factory.mktemp("hostile"), ON_LOCAL, "local")


def _played(folder: Path, names: tuple[str, ...], executor: str) -> Iterator[Played]:
    played = play(folder, names, executor)
    yield played
    shutil.rmtree(played.paths.runs)  # whoever started the batch can delete all of it
    assert not played.paths.runs.exists()


def check(played: Played, name: str, says: Says) -> None:
    record = played.runs[name]
    words, log = played.words(name), played.log(name)
    assert record.identity.exit_reason == says.reason, (words, log[-2000:])
    assert re.search(says.told, words), words
    assert re.search(says.log, log), log[-2000:]


@pytest.mark.docker
@pytest.mark.parametrize("name", ON_DOCKER)
def test_a_container_holds_and_its_run_tells(in_containers: Played, name: str) -> None:
    check(in_containers, name, AGENTS[name].docker)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", ON_LOCAL)
def test_what_the_machine_alone_promises_holds(on_this_machine: Played, name: str) -> None:
    says = AGENTS[name].local
    assert says is not None
    check(on_this_machine, name, says)


@pytest.mark.docker
def test_nothing_of_the_host_reached_a_container(in_containers: Played) -> None:
    found = [file for file in files(in_containers) if in_containers.canary in text(file)]
    assert found == []
    assert in_containers.connections == 0
    assert in_containers.clock_drift_seconds < 5
    log = in_containers.log("reads-what-is-not-its-own")
    assert BYSTANDER not in log and "-verification" not in log
    assert "written" not in in_containers.log("writes-outside-its-workspace")


@pytest.mark.docker
def test_no_container_outlives_the_batch(in_containers: Played) -> None:
    command = ["docker", "ps", "-aq", "--filter", f"label=lab.batch={in_containers.batch_id}"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b""


@pytest.mark.docker
def test_the_pool_of_containers_is_whole(in_containers: Played) -> None:
    whole(in_containers, ON_DOCKER)


@pytest.mark.toolchain
def test_the_pool_of_this_machine_is_whole(on_this_machine: Played) -> None:
    assert [one for _, one in mark.marked() if one.batch_id == on_this_machine.batch_id] == []
    whole(on_this_machine, ON_LOCAL)


def whole(played: Played, names: tuple[str, ...]) -> None:
    """Every agent's run is published with plain contents, and its folder can be deleted."""
    paths = played.paths
    assert played.end is End.COMPLETE and set(played.runs) == set(names)
    assert list(paths.staging.iterdir()) == []
    assert played.host_file.read_text() == played.canary
    kinds = {stat.S_IFMT(os.lstat(file).st_mode) for file in everything(paths.runs)}
    assert kinds <= {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
    assert {os.lstat(file).st_uid for file in everything(paths.runs)} == {os.geteuid()}
    assert not any(os.lstat(file).st_mode & 0o6000 for file in everything(paths.runs))
    assert {"run.json", "metrics.json"} <= set(os.listdir(workspace(played, "writes-results")))
    names_kept = set(os.listdir(os.fsencode(workspace(played, "odd-names"))))
    assert {b"a\nb", "\N{BUG}".encode(), b"n" * 255, b"\xff\xfe", b"-rf", b" "} <= names_kept
    assert (workspace(played, "closes-its-files") / "locked" / "a").read_text() == "x\n"


def workspace(played: Played, name: str) -> Path:
    return played.paths.run(played.runs[name].identity.run_id).workspace


def everything(folder: Path) -> Iterator[bytes]:
    for place, folders, names in os.walk(os.fsencode(folder)):
        yield from (os.path.join(place, name) for name in (*folders, *names))


def files(played: Played) -> Iterator[Path]:
    for file in everything(played.paths.runs):
        if stat.S_ISREG(os.lstat(file).st_mode):
            yield Path(os.fsdecode(file))


def text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def test_every_script_has_a_row_in_the_table() -> None:
    assert {file.stem for file in SCRIPTS.glob("*.sh")} == set(AGENTS)

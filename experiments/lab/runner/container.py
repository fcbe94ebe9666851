"""The door to the Docker engine: one container from request to removal, through its API."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.types import LogConfig, Mount, Ulimit
from docker.utils import kwargs_from_env
from requests.exceptions import RequestException

import docker
from lab.domain.attempt import Limits

Engine = docker.APIClient
EngineRefusal = APIError
EngineFault = (DockerException, RequestException, OSError)
LABEL = "lab.owner"


@dataclass(frozen=True, slots=True)
class Bind:
    """A host path and where it is inside the container."""

    host: str
    inside: str
    is_writable: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One container: strict by construction, only what varies is said here."""

    image: str
    command: tuple[str, ...]
    user: str
    workdir: str
    environment: tuple[tuple[str, str], ...]
    binds: tuple[Bind, ...]
    tmpfs: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]
    limits: Limits


@dataclass(frozen=True, slots=True)
class State:
    """How the engine saw the end, and the limits it really set."""

    exit_code: int
    is_oom_seen: bool
    effective: tuple[tuple[str, str], ...]


class Container:
    """A created container whose output is read in the background; `remove` ends it for real."""

    def __init__(self, engine: Engine, request: Request) -> None:
        self._engine = engine
        self.id: str = _create(engine, request)
        self._ended = threading.Event()
        self._reader: threading.Thread | None = None
        self.stream_fault: str | None = None

    def start(self, take: Callable[[bytes, bool], None]) -> None:
        """Start it; `take(data, is_stderr)` gets its output as it comes, in another thread."""
        stream = self._engine.attach(
            self.id, stdout=True, stderr=True, stream=True, logs=False, demux=True
        )
        self._engine.start(self.id)
        self._reader = threading.Thread(target=self._read, args=(stream, take), daemon=True)
        self._reader.start()

    def _read(
        self,
        stream: Iterator[tuple[bytes | None, bytes | None]],
        take: Callable[[bytes, bool], None],
    ) -> None:
        try:
            for output, complaint in stream:
                for data, is_complaint in ((output, False), (complaint, True)):
                    if data:
                        take(data, is_complaint)
        except EngineFault as error:
            self.stream_fault = str(error)
        finally:
            self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of its output at most so long; True = the output has ended."""
        return self._ended.wait(seconds)

    def is_running(self) -> bool:
        return bool(self._engine.inspect_container(self.id)["State"]["Running"])

    def signal(self, name: str) -> None:
        """Send a signal to its first process; one that has ended already needs none."""
        try:
            self._engine.kill(self.id, signal=name)
        except (APIError, NotFound) as error:
            if getattr(error, "status_code", None) not in (404, 409):
                raise

    def state(self, seconds: int) -> State:
        """Wait for its end and read the state; raises an EngineFault when the engine is lost."""
        answer = self._engine.wait(self.id, timeout=seconds)
        found = self._engine.inspect_container(self.id)
        return State(
            exit_code=int(answer["StatusCode"]),
            is_oom_seen=bool(found["State"]["OOMKilled"]),
            effective=_effective(found["HostConfig"]),
        )

    def remove(self) -> None:
        """Kill and remove it, whatever state it is in."""
        remove(self._engine, self.id)
        if self._reader is not None:
            self._reader.join(timeout=5)


def connect() -> Engine:
    """Return a client of the local engine; raises an EngineFault when none answers."""
    client = docker.APIClient(version="auto", timeout=60, **kwargs_from_env())
    client.ping()
    return client


def image_of(engine: Engine, name: str) -> tuple[str, dict[str, str]] | None:
    """Return an image's digest and labels; None when the engine has no such image."""
    try:
        found = engine.inspect_image(name)  # type: ignore[no-untyped-call]  # stubs lack it
    except ImageNotFound:
        return None
    return str(found["Id"]), dict(found["Config"].get("Labels") or {})


def labelled(engine: Engine) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield id and labels of every container that some coordinator of the lab started."""
    for found in engine.containers(all=True, filters={"label": [LABEL]}):
        yield str(found["Id"]), dict(found["Labels"])


def remove(engine: Engine, container: str) -> None:
    """Kill and remove a container by id; one that is gone already is fine."""
    try:
        engine.remove_container(container, force=True, v=True)
    except NotFound:
        return


def _create(engine: Engine, request: Request) -> str:
    limits = request.limits
    host = engine.create_host_config(
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        pids_limit=limits.pids,
        mem_limit=limits.memory_bytes,
        memswap_limit=limits.memory_bytes,
        nano_cpus=int(limits.cpus * 1e9),
        init=True,
        tmpfs=dict(request.tmpfs),
        ulimits=[
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="fsize", soft=limits.disk_bytes, hard=limits.disk_bytes),
        ],
        log_config=LogConfig(type="none"),
        mounts=[
            Mount(bind.inside, bind.host, type="bind", read_only=not bind.is_writable)
            for bind in request.binds
        ],
    )
    created = engine.create_container(
        image=request.image,
        command=list(request.command),
        user=request.user,
        working_dir=request.workdir,
        environment=dict(request.environment),
        labels=dict(request.labels),
        host_config=host,
        network_disabled=True,
        stdin_open=False,
        hostname="lab",
    )
    return cast(str, created["Id"])


def _effective(host: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return (
        ("cpus", f"{host['NanoCpus'] / 1e9:g}"),
        ("memory_bytes", str(host["Memory"])),
        ("memory_swap_bytes", str(host["MemorySwap"])),
        ("pids", str(host["PidsLimit"])),
        ("network", str(host["NetworkMode"])),
        ("root", "read-only" if host["ReadonlyRootfs"] else "writable"),
        ("capabilities dropped", ",".join(host["CapDrop"] or ())),
        ("security", ",".join(host["SecurityOpt"] or ())),
    )

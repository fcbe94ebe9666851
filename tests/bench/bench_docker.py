"""Wall clock per container: the executor beside the same engine calls made raw, interleaved."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from builders.attempts import attempt
from lab.runner.container import Container
from lab.runner.docker_executor import DockerExecutor

ROUNDS = 15


def rows() -> list[dict[str, Any]]:
    try:
        executor = DockerExecutor()
        executor.image("none")
    except Exception as error:  # noqa: BLE001  a benchmark without an engine says so and goes on
        return [_row(None, None, f"not measured: {error}")]
    ours, raw = [], []
    with tempfile.TemporaryDirectory(prefix="lab-b-") as folder:
        Path(folder).chmod(0o755)
        for index in range(ROUNDS + 1):
            spec = attempt(Path(folder) / str(index), "true\n")
            started = time.perf_counter()
            executor.run(spec)
            ours.append(time.perf_counter() - started)
            started = time.perf_counter()
            _raw(executor, spec)
            raw.append(time.perf_counter() - started)
    executor.close()
    floor = statistics.median(raw[1:])
    return [_row(statistics.median(ours[1:]) / floor, floor, "raw engine calls, seconds")]


def _raw(executor: DockerExecutor, spec: Any) -> None:
    """Create, attach, start, wait, inspect, remove: what any client has to ask for."""
    passwd = spec.state.parent / "passwd"
    passwd.write_text("agent:x:1000:1000::/home/agent:/bin/sh\n", encoding="utf-8")
    engine = executor._engine
    created = Container(engine, executor._request(spec, passwd))
    stream = engine.attach(created.id, stream=True, logs=False, demux=True)
    engine.start(created.id)
    for _ in stream:
        pass
    engine.wait(created.id)
    engine.inspect_container(created.id)
    engine.remove_container(created.id, force=True, v=True)


def _row(figure: float | None, floor: float | None, rival: str) -> dict[str, Any]:
    return {
        "name": "container: executor / raw engine calls",
        "figure": figure,
        "unit": "ratio of wall",
        "rival": rival,
        "rival_figure": floor,
        "budget": 1.15,
    }

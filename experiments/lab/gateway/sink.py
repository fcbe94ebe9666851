"""The event sink: one asyncio process, a unix socket per run, one JSON line per connection.

Started by `lab.gateway.client.Gateway`, which sends one JSON request per line on stdin and reads
one answer per line from stdout. The process ends when its stdin ends.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.gateway.event_file import EventFile
from lab.gateway.peer import peer_of

LINE_BYTES = 4 * 2**20
RUN_BYTES = 256 * 2**20
LINE_SECONDS = 5.0
CLOSE_SECONDS = 0.5
CONNECTIONS = 128
STORED = b"k"
REFUSED = b"f"
EXCERPT = 200


class RunSink:
    """One run's socket and its event file."""

    def __init__(self, events: Path) -> None:
        self.events = EventFile(events)
        self.connected = 0
        self.received_bytes = 0
        self.refused = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self.server: asyncio.Server | None = None

    async def listen(self, path: Path) -> None:
        """Bind the socket; connecting needs write permission, hence 0666 in a closed folder."""
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self.server = await asyncio.start_unix_server(
            self._accept, path, limit=LINE_BYTES, backlog=256
        )
        path.chmod(0o666)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connected += 1
        try:
            if self.connected > CONNECTIONS or self.received_bytes > RUN_BYTES:
                self.refused += 1
                writer.write(REFUSED)
            else:
                writer.write(await self._answer(reader, writer))
            await asyncio.wait_for(writer.drain(), LINE_SECONDS)
        except (ConnectionError, TimeoutError):
            pass  # the sender vanished; what it sent is written already
        finally:
            self.connected -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        peer = peer_of(writer.get_extra_info("socket"))
        body = await receive(reader)
        if body is None:
            return REFUSED
        self.received_bytes += len(json.dumps(body))
        return STORED if self.events.append(body, peer) else REFUSED

    async def close(self) -> dict[str, object]:
        """Stop listening, finish what is being received, and say what was stored.

        Who is still silent then is cut off: nothing may be written after the answer.
        """
        assert self.server is not None
        self.server.close()
        if self.tasks:
            _, silent = await asyncio.wait(tuple(self.tasks), timeout=CLOSE_SECONDS)
            for task in silent:
                task.cancel()
        self.events.flush()
        faults = list(self.events.faults)
        if self.events.pending:
            faults.append(f"{len(self.events.pending)} lines could not be written")
        if self.refused:
            faults.append(f"{self.refused} connections refused: too many at once or too much")
        return {"lines": self.events.lines, "faults": faults}


async def receive(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Read one line and return its object; oversize and garbage as a body that says so.

    None = nothing was sent.
    """
    try:
        line = await asyncio.wait_for(reader.readline(), LINE_SECONDS)
    except TimeoutError:
        return _unread("garbage", "no whole line in time", b"")
    except ValueError:
        return _unread("oversize", f"more than {LINE_BYTES} bytes", b"")
    except ConnectionError:
        return None
    return parse(line) if line.strip() else None


def parse(line: bytes) -> dict[str, Any]:
    """Return the object in a line, or a body of kind "garbage" with the line's beginning."""
    try:
        body = json.loads(line)
        line.decode("utf-8")
    except (ValueError, RecursionError):
        return _unread("garbage", "not JSON", line)
    if not isinstance(body, dict) or not isinstance(body.get("kind"), str):
        return _unread("garbage", "no object with a kind", line)
    return body


def _unread(kind: str, reason: str, line: bytes) -> dict[str, Any]:
    excerpt = line[:EXCERPT].decode("utf-8", "replace").rstrip("\n")
    return {"schema_version": 1, "kind": kind, "reason": reason, "excerpt": excerpt}


class Control:
    """Answers the requests of the process that started this one."""

    def __init__(self) -> None:
        self.runs: dict[str, tuple[Path, RunSink]] = {}

    async def answer(self, request: Mapping[str, str]) -> dict[str, object]:
        command = {"open": self.open, "close": self.close}[request["command"]]
        try:
            return await command(request)
        except OSError as error:
            return {"error": f"{request['run_id']}: {error}"}

    async def open(self, request: Mapping[str, str]) -> dict[str, object]:
        path = Path(request["socket"])
        sink = RunSink(Path(request["events"]))
        await sink.listen(path)
        self.runs[request["run_id"]] = (path, sink)
        return {}

    async def close(self, request: Mapping[str, str]) -> dict[str, object]:
        if request["run_id"] not in self.runs:
            return {"error": f"{request['run_id']}: its socket belonged to an earlier process"}
        path, sink = self.runs.pop(request["run_id"])
        summary = await sink.close()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return summary


async def serve() -> None:
    """Answer requests until stdin ends, then close every socket."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    control = Control()
    while line := await reader.readline():
        answer = await control.answer(json.loads(line))
        os.write(1, json.dumps(answer).encode() + b"\n")
    for run_id in tuple(control.runs):
        await control.close({"run_id": run_id})


if __name__ == "__main__":
    asyncio.run(serve())

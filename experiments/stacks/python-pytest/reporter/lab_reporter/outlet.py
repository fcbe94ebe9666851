"""How a line leaves the process: to the sink's socket, else to the spool, else nowhere."""

import json
import os
import time

from lab_reporter import place, route

WAIT_SECONDS = 0.4
SCHEMA_VERSION = 1

_state = {"place": None, "is_loaded_told": False, "is_sink_dead": False}


def _place():
    if _state["place"] is None:
        _state["place"] = place.find()
    return _state["place"]


def workspace():
    """Return the absolute path of the workspace."""
    return place.workspace_of(_place()[2])


def tell(kind, body):
    """Send one event body; a sink that does not answer in time costs that wait once."""
    line = {"schema_version": SCHEMA_VERSION, "kind": kind, "at": round(time.time(), 6)}
    line.update(body)
    data = json.dumps(line, separators=(",", ":"), default=str).encode() + b"\n"
    socket_path, spool, _ = _place()
    if not (socket_path and _post(socket_path, data)) and spool:
        _append(spool, data)


def _post(path, data):
    """Return whether the sink has stored the line.

    `_socket`, not `socket`: a module of that name in the workspace would shadow it.
    """
    if _state["is_sink_dead"]:
        return False
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(WAIT_SECONDS)
        connection.connect(path)
        connection.sendall(data)
        connection.shutdown(_socket.SHUT_WR)
        return connection.recv(1) == b"k"
    except OSError as error:
        _state["is_sink_dead"] = isinstance(error, TimeoutError) or "timed out" in str(error)
        return False
    finally:
        connection.close()


def _append(path, data):
    """Append to the spool, which exists already or may be made; a refusal changes nothing."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o622)
    except OSError:
        return
    try:
        os.write(file, data)
    except OSError:
        pass
    finally:
        os.close(file)


def tell_loaded(is_preflight=False):
    """Say once per process that the reporter is at work in it."""
    if not _state["is_loaded_told"]:
        _state["is_loaded_told"] = True
        body = {"pid": os.getpid(), "route": route(), "preflight": is_preflight}
        tell("loaded", body)


def tell_fault(where, error):
    """Make a fault of the reporter itself visible; if even that fails there is no more to do."""
    try:
        told = f"{type(error).__name__}: {error}"
        tell("reporter-fault", {"pid": os.getpid(), "where": where, "error": told[:500]})
    except Exception:
        pass

"""Content hashes of the workspace's candidate files: what may be test, code or configuration."""

import os

SUFFIXES = (".py", ".toml", ".ini", ".cfg")
SKIPPED = {"__pycache__", "venv", "env", "node_modules", "site-packages", "build", "dist"}
FILES = 5000
FILE_BYTES = 4 * 2**20


def _sha256():
    """Return the plain C function: hashlib would load OpenSSL, 3 ms of an agent's run."""
    for name in ("_sha2", "_sha256"):
        try:
            return __import__(name).sha256
        except ImportError:
            continue
    import hashlib

    return hashlib.sha256


def hashes(root):
    """Return {path relative to root, with forward slashes: sha256 of its normalised content}."""
    sha256 = _sha256()
    found = {}
    for path in _candidates(root):
        try:
            with open(os.path.join(root, path), "rb") as file:
                content = file.read(FILE_BYTES)
        except OSError:
            continue
        normalised = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        found[path.replace(os.sep, "/")] = sha256(normalised).hexdigest()
        if len(found) >= FILES:
            break
    return found


def _candidates(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_searched(name))
        for name in sorted(names):
            if name.endswith(SUFFIXES) or _is_requirements(name):
                yield os.path.relpath(os.path.join(folder, name), root)


def _is_searched(name):
    return not (name.startswith(".") or name in SKIPPED or name.endswith(".egg-info"))


def _is_requirements(name):
    return name.startswith("requirements") and name.endswith(".txt")

"""What every test may ask for: markers that skip with a reason, goldens, the real data."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ("lab-python-pytest", "lab-python-pytest-analysis")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")
    parser.addoption("--run-paid", action="store_true", help="run tests that cost money")
    parser.addoption(
        "--full-crash-matrix", action="store_true", help="200 kill points instead of a few"
    )


@cache
def _missing_docker() -> str | None:
    if shutil.which("docker") is None:
        return "docker: no client (apt install docker.io)"
    engine = subprocess.run(["docker", "version"], capture_output=True, check=False)
    if engine.returncode:
        return "docker: no engine answers (start dockerd)"
    listed = subprocess.run(
        ["docker", "image", "ls", "--format", "{{.Repository}}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    absent = [image for image in IMAGES if image not in listed]
    return f"docker: images missing: {', '.join(absent)} (docker/build.sh)" if absent else None


@cache
def _missing_toolchain() -> str | None:
    from lab.errors import LabError
    from lab.paths import LabPaths
    from lab.runner.toolcache import tools_for

    try:
        tools_for(LabPaths(ROOT), "python-pytest")
    except LabError as error:
        return str(error)
    return None


def _missing_data() -> str | None:
    folder = os.environ.get("LAB_TEST_DATA")
    if not folder:
        return "data: LAB_TEST_DATA names no folder with acl-pool.tar.xz"
    return None if (Path(folder) / "acl-pool.tar.xz").exists() else f"data: nothing in {folder}"


NEEDS: dict[str, Callable[[], str | None]] = {
    "docker": _missing_docker,
    "toolchain": _missing_toolchain,
    "data": _missing_data,
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("paid") and not item.config.getoption("--run-paid"):
        pytest.skip("costs money: --run-paid")
    for marker, lacking in NEEDS.items():
        if item.get_closest_marker(marker) is None:
            continue
        reason = lacking()
        if reason and os.environ.get("LAB_REQUIRE") == "all":
            pytest.fail(reason, pytrace=False)
        if reason:
            pytest.skip(reason)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with tests/golden/<name>; --update-golden rewrites it.

    On a mismatch the actual text is kept beside it as <name>.actual.
    """

    def compare(name: str, actual: str) -> None:
        path = ROOT / "tests" / "golden" / name
        kept = path.with_name(path.name + ".actual")
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else None
        if actual != expected:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(actual, encoding="utf-8")
        else:
            kept.unlink(missing_ok=True)
        assert actual == expected, f"differs from {path}; see {kept}"

    return compare


@pytest.fixture(scope="session")
def original_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The original lab's pool, unpacked: a folder with experiments/, research/ and expected/."""
    archive = Path(os.environ["LAB_TEST_DATA"]) / "acl-pool.tar.xz"
    folder = tmp_path_factory.mktemp("original")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    yield folder / "acl"
    shutil.rmtree(folder, ignore_errors=True)

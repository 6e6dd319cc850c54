"""A PostgreSQL server of our own for as long as a block lasts, on a unix socket only.

It is the system's PostgreSQL (Debian: `postgresql`), because Prefect needs its extension `pg_trgm`, which the servers
that come inside Python packages lack. PostgreSQL refuses to run as root, so then it runs as the user `postgres`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLACES: Final = (Path("/usr/lib/postgresql"), Path("/usr/pgsql"))
_USER: Final = "postgres"
_START_S: Final = 30
_STOP_S: Final = 20


def database_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL's programs, or None when there is none with what Prefect needs."""
    found = [path.parent for place in _PLACES for path in place.glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    found += [Path(on_path).resolve().parent] if on_path else []
    return max(found, key=_version, default=None)


def _version(programs: Path) -> list[int]:
    return [int(part) for part in programs.parent.name.split(".") if part.isdigit()]


@contextmanager
def database(folder: Path) -> Iterator[tuple[str, int]]:
    """Run PostgreSQL with its data below a folder; give the URL under which Prefect reaches it, and its process id.

    Raises:
        RuntimeError: when there is no PostgreSQL, or it does not come up.
    """
    programs = database_programs()
    if programs is None:
        raise RuntimeError("there is no PostgreSQL on this machine; on Debian: apt-get install postgresql")
    data, sockets = folder / "database", folder / "socket"
    folder.chmod(0o711)
    for each in (data, sockets):
        each.mkdir(mode=0o700)
        if _user():
            shutil.chown(each, _USER, _USER)
    sockets.chmod(0o711)
    _run(programs, "initdb", "--auth=trust", "--encoding=utf8", "--username=postgres", "--no-sync", "-D", str(data))
    with (folder / "database.log").open("wb") as log:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", sockets, "-h", ""], stdout=log, stderr=log, cwd="/", **_user()
        )
        try:
            _wait(programs, sockets, server)
            yield f"postgresql+asyncpg://postgres:@/postgres?host={sockets}", server.pid
        finally:
            server.terminate()
            try:
                server.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _user() -> dict[str, Any]:
    """Return what makes a subprocess run as PostgreSQL's user when we are root."""
    return {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}


def _run(programs: Path, name: str, *arguments: str) -> None:
    shown = subprocess.run(
        [programs / name, *arguments], capture_output=True, text=True, check=False, cwd="/", **_user()
    )
    if shown.returncode:
        raise RuntimeError(f"{name} failed: {shown.stdout}{shown.stderr}")


def _wait(programs: Path, sockets: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    command = [programs / "pg_isready", "--quiet", "--host", sockets]
    while server.poll() is None and time.monotonic() < deadline:
        if subprocess.run(command, check=False).returncode == 0:
            return
        time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not come up; its log is database.log")

"""What a hostile pack could harm: files, processes, ports, our own process. Looked at before and after."""

from __future__ import annotations

import gc
import hashlib
import os
import secrets
import signal
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

MIB = 1024**2
ENVIRONMENT_SECRET = f"secret-{'of-the-environment'}"


class Surroundings:
    """A home, another pack, a store with something in it, open ports: all with marks by which they are known again.

    Args:
        folder: where to make all that; processes that carry its name on their command line belong to this test.

    Attributes:
        secret: a word that stands in files which no pack may read, and must turn up nowhere.
        signals: how often our process was signalled.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secret = f"secret-{secrets.token_hex(8)}"
        self.home, self.neighbour = folder / "home", folder / "neighbour"
        self.store, self.pack, self.output = folder / "store", folder / "pack", folder / "output"
        self.secret_file = self.home / ".ssh" / "id_ed25519"
        self.signals = 0
        self._undo = ExitStack()
        self.pack.mkdir()
        for file in (
            self.secret_file,
            self.neighbour / "backend.py",
            self.store / "stage=load" / "kept.parquet",
            self.store / "snapshots" / "other" / "backend.py",
        ):
            file.parent.mkdir(parents=True)
            file.write_text(f"{self.secret}\n")

    def __enter__(self) -> Self:
        """Open the ports, count signals and note how things stand."""
        self._servers = [self._undo.enter_context(each) for each in _servers(self._abstract)]
        port = self._servers[0].getsockname()[1]
        datagrams = self._undo.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", port))
        self._servers.append(datagrams)
        for server in self._servers:
            server.setblocking(False)
            server.set_inheritable(True)
        self._undo.callback(signal.signal, signal.SIGURG, signal.signal(signal.SIGURG, self._count_signal))
        self._files = self._hashes()
        self._facts = _facts_of_ours()
        self._descriptors = _descriptors()
        _reset_peak()
        self._memory = _status("VmRSS")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    @property
    def target(self) -> str:
        """Source of a module that tells where to aim."""
        places = {
            "HOME": str(self.home),
            "SECRET_FILE": str(self.secret_file),
            "NEIGHBOUR": str(self.neighbour),
            "STORE": str(self.store),
            "PACK": str(self.pack),
            "PORT": self._servers[0].getsockname()[1],
            "ABSTRACT": self._abstract,
            "PARENT": os.getpid(),
            "GROUP": os.getpgrp(),
        }
        lines = [f"{name} = {value!r}" for name, value in places.items()]
        return "\n".join(['"""Where to aim."""', "", *lines, 'ROOT = __file__.rpartition("/")[0]', ""])

    @property
    def grown_mib(self) -> float:
        """By how much our process has grown at most."""
        return (_status("VmHWM") - self._memory) / MIB

    def note_files(self) -> None:
        """Note the pack's files, once they are written."""
        self._files = self._hashes()

    def require_unharmed(self) -> None:
        """Fail when anything has changed, survived, been reached or been told.

        Raises:
            AssertionError: with what it was.
        """
        changed = {file for file, digest in self._files.items() if self._hashes().get(file) != digest}
        assert not changed, f"changed: {changed}"
        assert not self._new_outside_the_store(), "something new"
        assert not survivors(self.folder), "a process survived"
        assert _facts_of_ours() == self._facts, "limits or priority of our process"
        left = [each for each in _descriptors() if each not in self._descriptors and not each.startswith("/proc/")]
        assert not left, f"open descriptors of our process: {left}"
        assert self.signals == 0, "our process was signalled"
        assert not any(map(_was_reached, self._servers)), "a port was reached"
        assert not self.told(), "a secret was told"

    def told(self) -> list[Path]:
        """Return the files of the store and of the output folder in which a secret stands."""
        known = (self.secret.encode(), ENVIRONMENT_SECRET.encode())
        ours = [each for folder in (self.store, self.output) for each in folder.rglob("*") if each.is_file()]
        return [file for file in ours if file not in self._files and any(word in file.read_bytes() for word in known)]

    @property
    def _abstract(self) -> str:
        return f"\0assay-test-{self.secret[-8:]}"

    def _hashes(self) -> dict[Path, str]:
        """Return the digest and the facts of every file that nobody has any business changing."""
        found = {}
        for place in (self.home, self.neighbour, self.pack, *self.store.glob("stage=load/kept*"), *self._other()):
            for file in (place, *place.rglob("*")):
                facts = file.lstat()
                content = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
                found[file] = f"{content} {facts.st_mode} {facts.st_uid} {facts.st_mtime_ns} {facts.st_nlink}"
        return found

    def _other(self) -> tuple[Path, ...]:
        return (self.store / "snapshots" / "other",)

    def _new_outside_the_store(self) -> set[Path]:
        places = (self.home, self.neighbour, self.pack, Path("/dev/shm"), Path("/etc"))
        return {file for place in places for file in place.rglob("assay-hostile*")} | (
            self._hashes().keys() - self._files.keys()
        )

    def _count_signal(self, number: int, frame: object) -> None:
        self.signals += 1


def survivors(folder: Path) -> list[str]:
    """Return the command lines of all living processes that carry the name of a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
            if f"{folder}/".encode() in command and state not in "ZX" and entry.name != str(os.getpid()):
                found.append(command.decode("utf-8", "replace"))
    return found


def _servers(abstract: str) -> list[socket.socket]:
    hidden = socket.socket(socket.AF_UNIX)
    hidden.bind(abstract)
    hidden.listen()
    return [socket.create_server(("127.0.0.1", 0)), hidden]


def _was_reached(server: socket.socket) -> bool:
    try:
        server.recv(1) if server.type == socket.SOCK_DGRAM else server.accept()
    except BlockingIOError:
        return False
    return True


def _facts_of_ours() -> tuple[object, ...]:
    import resource

    limits = [resource.getrlimit(each) for each in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU)]
    return (limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0))


def _descriptors() -> list[str]:
    """Return what is open, where it has a name of its own that does not change."""
    gc.collect()
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(str(entry.readlink()))
    return sorted(found)


def _reset_peak() -> None:
    """Have the kernel count the peak of our memory anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> int:
    """Return a figure of our process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))

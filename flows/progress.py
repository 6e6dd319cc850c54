"""What people are told while packs are being proven.

Whoever runs a flow in this process may watch it: a function in a context variable is told of each stage and each pack
as it ends. A function cannot be an argument of a flow, because arguments of flows are JSON.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flows.naming import PackName
    from flows.outcome import PackOutcome, StageOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStarting:
    """The embedded server is being started. At its first start ever it creates a database, which takes a while."""

    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchBegun:
    """A batch is about to prove its packs.

    Attributes:
        batch_id: the batch in the ledger.
        packs: how many there are.
        page: URL of its flow run on Prefect's page; None when nobody serves that page.
    """

    batch_id: str
    packs: int
    page: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEnded:
    """A stage of a pack has ended.

    Attributes:
        run_id: the run, as in the request.
        name: what people call the pack.
    """

    run_id: str
    name: PackName
    stage: StageOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PackEnded:
    """Nothing more will happen to a pack in this run."""

    outcome: PackOutcome


Progress: TypeAlias = "ServerStarting | BatchBegun | StageEnded | PackEnded"
Observer: TypeAlias = "Callable[[Progress], None]"


def _nobody(progress: Progress) -> None:
    """Take no notice."""


_observer: ContextVar[Observer] = ContextVar("observer", default=_nobody)


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Let a function watch the flows that run within the block, in this thread."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def tell(progress: Progress) -> None:
    """Tell whoever is watching."""
    _observer.get()(progress)

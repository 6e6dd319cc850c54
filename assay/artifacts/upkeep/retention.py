"""Which runs of a ledger are kept, and what the kept ones refer to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.layout import file_at, place_of
from assay.artifacts.ledger import ERROR, RUNNING, Ledger
from assay.artifacts.lifesigns import is_under_way, last_sign
from assay.artifacts.store import read_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_DAY_S: Final = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How much history is kept. A run is kept when either says so.

    Attributes:
        keep_days: runs that ended within so many days.
        keep_runs: the newest so many of each pack.
    """

    keep_days: int
    keep_runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """What stays.

    Attributes:
        runs: ids of runs and batches.
        artifacts: (stage, folder of the pack, key) of the final ones.
        fingerprints: of packs.
    """

    runs: frozenset[str]
    artifacts: frozenset[tuple[str | None, str | None, str | None]]
    fingerprints: frozenset[str]

    @property
    def keys(self) -> frozenset[str | None]:
        """The keys of the artifacts."""
        return frozenset(key for _, _, key in self.artifacts)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """The runs that may still be writing and reading.

    Attributes:
        runs: their ids.
        packs: folders of their packs.
        is_known: the pack of each is known; otherwise it may be any.
    """

    runs: frozenset[str]
    packs: frozenset[str]
    is_known: bool

    def may_use(self, pack: str | None) -> bool:
        """Say whether one of them may be served what lies in a pack's folder."""
        return not self.is_known or pack in self.packs


def runs_under_way(ledger: Ledger, now: float) -> UnderWay:
    """Return the runs that have not ended."""
    runs = [run["run_id"] for run in ledger.runs() if is_under_way(ledger, run, now)]
    packs = [_pack_folder(ledger, run_id) for run_id in runs]
    return UnderWay(
        runs=frozenset(runs), packs=frozenset(each for each in packs if each is not None), is_known=None not in packs
    )


def retained(ledger: Ledger, policy: Policy, now: float) -> Retained:
    """Return what a policy keeps.

    Args:
        ledger: the ledger.
        policy: how much is kept.
        now: seconds since the epoch.
    """
    runs = {run["run_id"]: run for run in _kept_runs(ledger, policy, now)}
    batches = (
        batch["batch_id"]
        for batch in ledger.batches()
        if runs.keys() & set(batch.get("runs") or ()) or now - last_sign(ledger, batch["batch_id"]) < _DAY_S
    )
    places = {place for run_id in runs for place in _places(ledger, run_id)}
    files = [file_at(place) for place in places]
    named = (run.get("pack_fingerprint") for run in runs.values())
    fingerprints = {each for each in (*named, *(_fingerprint(ledger.root, place) for place in places)) if each}
    return Retained(
        runs=frozenset([*runs, *batches]),
        artifacts=frozenset((file.stage, file.pack, file.key) for file in files if file.run is None),
        fingerprints=frozenset(fingerprints),
    )


def _kept_runs(ledger: Ledger, policy: Policy, now: float) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    judged: set[str] = set()
    runs = list(ledger.runs())
    packs = _packs_of(ledger, runs)
    for run in runs:
        pack = packs[run["run_id"]]
        has_verdict = run.get("status") not in {RUNNING, ERROR}
        is_newest_verdict = has_verdict and pack not in judged
        seen[pack] += 1
        if has_verdict:
            judged.add(pack)
        if (
            seen[pack] <= policy.keep_runs
            or is_newest_verdict
            or now - _ended(ledger, run) < policy.keep_days * _DAY_S
            or is_under_way(ledger, run, now)
        ):
            yield run


def _packs_of(ledger: Ledger, runs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return run -> its pack. One that left nothing has the pack that others found in the same place."""
    folders = {run["run_id"]: _pack_folder(ledger, run["run_id"]) for run in runs}
    found_at = {_pack_asked_for(run): folders[run["run_id"]] for run in reversed(runs) if folders[run["run_id"]]}
    return {
        run["run_id"]: folders[run["run_id"]] or found_at.get(_pack_asked_for(run)) or _pack_asked_for(run)
        for run in runs
    }


def _ended(ledger: Ledger, run: Mapping[str, Any]) -> float:
    """Return when a run ended or last showed a sign of life, in seconds since the epoch."""
    try:
        return datetime.fromisoformat(run.get("finished") or "").timestamp()
    except ValueError:
        return last_sign(ledger, run["run_id"])


def _places(ledger: Ledger, run_id: str) -> list[str]:
    found = (place_of(record["path"]) for record in ledger.read_stages(run_id).values() if record.get("path"))
    return [place for place in found if place is not None]


def _pack_folder(ledger: Ledger, run_id: str) -> str | None:
    """Return the name of the folder of a run's pack; None as long as it has not left any artifact."""
    return next((file_at(place).pack for place in _places(ledger, run_id)), None)


def _pack_asked_for(run: Mapping[str, Any]) -> str:
    request = run.get("request") or {}
    return str(request.get("pack") or request.get("config"))


def _fingerprint(root: Path, place: str) -> str | None:
    """Return the fingerprint of the pack that an artifact was made from."""
    if file_at(place).stage != "load":
        return None  # all stages of a run have the same
    parts = read_parts(root / place)
    return None if parts is None else parts["pack"].get("tree")

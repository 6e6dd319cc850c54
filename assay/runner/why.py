"""Why each stage of a run was computed or served from the store: `assay why RUN`.

A stage is held against the last earlier run of the same pack that came as far as that stage, if possible one with the
same options; so a run that crashed in between hides nothing. What only the run itself could know (the artifact was
there but damaged, it was asked to compute again) it has written in its record; the rest follows from the keys' parts,
which the artifacts hold. An artifact that is gone takes its part of the answer with it, and that is then said.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay.artifacts.key_changes import Change, changes
from assay.artifacts.layout import place_of
from assay.artifacts.places import ledger_at, store_at
from assay.artifacts.store import read_parts
from assay.pipeline import PIPELINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from assay.artifacts.ledger import Ledger
    from assay.artifacts.store import Store

Cause: TypeAlias = Literal[
    "first_run",
    "changed",
    "same",
    "missing",
    "damaged",
    "asked",
    "provisional",
    "crashed",
    "not_reached",
    "unknown",
]

_NO_OPTION: Final = frozenset({"pack", "root", "output_dir", "run_id", "retry_of", "recompute_from"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReason:
    """Why one stage is what it is.

    Attributes:
        status: `cached`, `computed`, `crashed`, or `not_reached` when the run did not come so far.
        cause: the kind of reason.
        text: the reason in words.
        changes: what differs from the key of the earlier run, causes first.
        compared_with: the earlier run; None when there is none.
        final: False when its result rests on a deadline or a dead worker; None when it has none.
    """

    stage: str
    status: str
    cause: Cause
    text: str
    changes: tuple[Change, ...] = ()
    compared_with: str | None = None
    final: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reason as a JSON object."""
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "changes": [each.to_json() for each in self.changes],
        }


def explain_run(root: str | Path, run_id: str) -> list[StageReason]:
    """Return the reason of each stage, in the order of the pipeline.

    Raises:
        KeyError: when the ledger has no such run.
        StoreError: when a shared root does not answer.
    """
    store, ledger = store_at(root), ledger_at(root).at_hand()
    run = ledger.read_run(run_id)
    if run is None:
        raise KeyError(run_id)
    stages = ledger.read_stages(run_id)
    earlier = _earlier_records(store, ledger, run)
    return [_reason(store, stage.name, stages, earlier.get(stage.name)) for stage in PIPELINE]


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The record of a stage in an earlier run."""

    run_id: str
    record: Mapping[str, Any]


def _earlier_records(store: Store, ledger: Ledger, run: Mapping[str, Any]) -> dict[str, _Earlier]:
    """Return stage -> its record in the last earlier run of the same pack, with the same options where there is one."""
    same: dict[str, _Earlier] = {}
    other: dict[str, _Earlier] = {}
    for each in _earlier_runs(store, ledger, run):
        found = same if _options(each) == _options(run) else other
        for stage, record in ledger.read_stages(each["run_id"]).items():
            if record.get("key") and stage not in found:
                found[stage] = _Earlier(each["run_id"], record)
        if len(same) >= len(PIPELINE):
            break
    return other | same


def _earlier_runs(store: Store, ledger: Ledger, run: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    pack = _pack_of(store, ledger, run)
    before = (each for each in ledger.runs() if _started(each) < _started(run))
    yield from sorted((each for each in before if _pack_of(store, ledger, each) == pack), key=_started, reverse=True)


def _started(run: Mapping[str, Any]) -> str:
    return run.get("started") or ""


def _pack_of(store: Store, ledger: Ledger, run: Mapping[str, Any]) -> str:
    """Return the folder of a run's pack in the store; the place of the pack itself when the run left nothing there."""
    if run.get("pack_id") is not None:
        return store.folder("load", run["pack_id"]).name
    records = ledger.read_stages(run["run_id"]).values()
    places = [PurePosixPath(record["path"]) for record in records if record.get("path")]
    request = run.get("request") or {}
    return places[0].parent.name if places else str(request.get("pack") or request.get("config"))


def _options(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (run.get("request") or {}).items() if name not in _NO_OPTION}


def _reason(store: Store, stage: str, stages: Mapping[str, Any], earlier: _Earlier | None) -> StageReason:
    record = stages.get(stage)
    if record is None:
        text = "the run did not come so far"
        return StageReason(stage=stage, status="not_reached", cause="not_reached", text=text)
    if record["status"] == "crashed":
        return StageReason(stage=stage, status="crashed", cause="crashed", text=str(record["error"]))
    found = _changes(store, record, earlier)
    cause, text = _why(record, earlier, found)
    if not record["final"]:
        cause = "provisional" if cause in {"same", "missing"} else cause
        text = f"{text}; {_rests_on(stage, stages)}"
    return StageReason(
        stage=stage,
        status=record["status"],
        cause=cause,
        text=text,
        changes=tuple(found or ()),
        compared_with=None if earlier is None else earlier.run_id,
        final=record["final"],
    )


def _rests_on(stage: str, stages: Mapping[str, Any]) -> str:
    inputs = next(each.inputs for each in PIPELINE if each.name == stage)
    provisional = [name for name in inputs if not stages.get(name, {}).get("final", True)]
    where = f", as {', '.join(provisional)} does" if provisional else ""
    return f"provisional: rests on a deadline or a dead worker{where}, so it is not kept"


def _changes(store: Store, record: Mapping[str, Any], earlier: _Earlier | None) -> list[Change] | None:
    """Return what differs between two keys; None when an artifact that would say so is gone."""
    if earlier is None or earlier.record["key"] == record["key"]:
        return []
    before, after = _parts(store, earlier.record), _parts(store, record)
    return None if before is None or after is None else changes(before, after, store.snapshots)


def _parts(store: Store, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the parts of a key, from its artifact in this store, wherever the store was when that was recorded."""
    place = place_of(record["path"])
    if place is None:
        return None
    store.fetch(store.root / place)
    return read_parts(store.root / place)


def _why(record: Mapping[str, Any], earlier: _Earlier | None, found: list[Change] | None) -> tuple[Cause, str]:
    """Return the kind of reason and the words for it."""
    is_cached = record["status"] == "cached"
    if earlier is None:
        return "first_run", "first run of this pack" + ("; the artifact was there" if is_cached else "")
    if found is None:
        return "unknown", "its key changed; the artifact that would say why is gone"
    if found:
        return "changed", ("an older run left it; " if is_cached else "") + _in_words(found)
    if is_cached:
        return "same", "nothing changed"
    return _why_computed_again(record.get("reason"), was_final=earlier.record["final"])


def _why_computed_again(reason: str | None, *, was_final: bool) -> tuple[Cause, str]:
    """Say why a stage was computed although its key is that of an earlier run."""
    if reason == "asked":
        return "asked", "computed again because it was asked for; the bytes are the same"
    if reason == "damaged":
        return "damaged", "its artifact was damaged or incomplete"
    if not was_final or reason == "provisional_input":
        return "provisional", "the result before rested on a deadline or a dead worker, so it was not kept"
    return "missing", "nothing changed, but its artifact was missing"


def _in_words(found: list[Change]) -> str:
    """Name the causes; changed inputs follow from those, and are named only where there is nothing else."""
    causes = [str(each) for each in found if each.part != "input"]
    return "; ".join(causes) or f"what it reads changed: {', '.join(each.name for each in found)}"

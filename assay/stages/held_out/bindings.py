"""What binding withheld: the ledger, its report `held_out_bindings.json`, and reading that report back.

Whoever publishes rows reads the report that binding left and trusts nothing in it: it must be about the very policy of
the run and about as many tasks as there are. The format is that of `reference/bind-plan-render.md` 1.9.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.stages.held_out.contract import CONTRACT_VERSION, HeldOutLeakError
from assay.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Collection

    from assay.stages.held_out.contract import HeldOutContract
    from assay.values import JsonObject

BINDINGS_FILE: Final = "held_out_bindings.json"

_COUNTS: Final = ("bind_attempts", "templates_blocked", "fixture_refs_blocked", "tasks_expanded")
_KEYS: Final = ("contract_version", "policy", "blocked_templates", "blocked_fixture_refs", "counts")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutLedger:
    """What binding withheld, for `held_out_bindings.json`.

    Attributes:
        bind_attempts: rows that fixture sources of bindable templates matched, reserved ones included.
        blocked_templates: reserved templates, sorted.
        blocked_fixture_refs: reserved rows that would otherwise have been candidates, sorted.
        tasks_expanded: public instances.
    """

    bind_attempts: int
    blocked_templates: tuple[str, ...]
    blocked_fixture_refs: tuple[str, ...]
    tasks_expanded: int


def binding_report(contract: HeldOutContract, ledger: HeldOutLedger) -> JsonObject:
    """Return the content of `held_out_bindings.json`."""
    return {
        "contract_version": CONTRACT_VERSION,
        "policy": contract.lineage,
        "blocked_templates": [*ledger.blocked_templates],
        "blocked_fixture_refs": [*ledger.blocked_fixture_refs],
        "counts": {
            "bind_attempts": ledger.bind_attempts,
            "templates_blocked": len(ledger.blocked_templates),
            "fixture_refs_blocked": len(ledger.blocked_fixture_refs),
            "tasks_expanded": ledger.tasks_expanded,
        },
    }


def verify_binding_report(text: str | None, contract: HeldOutContract, expanded: int) -> HeldOutLedger:
    """Read a binding report back.

    Args:
        text: content of `held_out_bindings.json`; None when binding left none.
        contract: of the policy that rows are about to be published under.
        expanded: public instances that binding left.

    Raises:
        HeldOutLeakError: when the report is absent, malformed, about another policy or about other tasks.
    """
    report = _read(text)
    _require(set(report) == set(_KEYS), f"has the keys {_listed(report)} instead of {_listed(_KEYS)}")
    _require(report["contract_version"] == CONTRACT_VERSION, f"does not follow the contract {CONTRACT_VERSION}")
    _require_same_policy(report["policy"], contract.lineage)
    templates = _names(report, "blocked_templates", contract.template_ids)
    refs = _names(report, "blocked_fixture_refs", contract.fixture_refs)
    counts = _counts(report["counts"])
    for name, listed in (("templates_blocked", templates), ("fixture_refs_blocked", refs)):
        _require(counts[name] == len(listed), f"says `{name}` {counts[name]}, but lists {len(listed)}")
    tasks = counts["tasks_expanded"]
    _require(tasks == expanded, f"says `tasks_expanded` {tasks}, but binding left {expanded}")
    return HeldOutLedger(
        bind_attempts=counts["bind_attempts"],
        blocked_templates=templates,
        blocked_fixture_refs=refs,
        tasks_expanded=tasks,
    )


def _read(text: str | None) -> dict[str, Any]:
    if text is None:
        raise HeldOutLeakError(f"binding left no {BINDINGS_FILE}, so nobody can say what it withheld")
    try:
        report = json.loads(text, object_pairs_hook=_object, parse_float=_refuse_number, parse_constant=_refuse_number)
    except (ValueError, RecursionError) as error:
        raise HeldOutLeakError(f"{BINDINGS_FILE} is no JSON: {error}") from error
    _require(isinstance(report, dict), "is no object")
    return dict(report)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, unless it says one thing twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a key twice")
    return made


def _refuse_number(text: str) -> None:
    """Refuse what no field of the report holds: a fraction, `NaN`, an infinity."""
    raise ValueError(f"{text} is no whole number")


def _require_same_policy(told: Any, lineage: JsonObject) -> None:
    _require(isinstance(told, dict), "needs an object under `policy`")
    other = [name for name in {*told, *lineage} if not _agree(told.get(name, ABSENT), lineage.get(name, ABSENT))]
    _require(not other, f"is about another policy, which differs in {_listed(other)}")


def _agree(told: Any, ours: Any) -> bool:
    """Compare types too, because 1 and true are equal in Python."""
    return type(told) is type(ours) and told == ours


def _names(report: dict[str, Any], key: str, reserved: Collection[str]) -> tuple[str, ...]:
    names = report[key]
    is_fit = isinstance(names, list) and all(isinstance(each, str) for each in names) and names == sorted(set(names))
    _require(is_fit, f"needs sorted texts under `{key}`, each once")
    foreign = sorted(set(names).difference(reserved))
    _require(not foreign, f"lists under `{key}` what the policy does not reserve: {_listed(foreign)}")
    return tuple(names)


def _counts(counts: Any) -> dict[str, int]:
    is_fit = (
        isinstance(counts, dict)
        and set(counts) == set(_COUNTS)
        and all(type(each) is int and each >= 0 for each in counts.values())
    )
    _require(is_fit, f"needs whole numbers from 0 under {_listed(_COUNTS)} of `counts`, and nothing else there")
    return dict(counts)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise HeldOutLeakError(f"{BINDINGS_FILE} {what}")


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{each}`" for each in sorted(names)[:12]) or "nothing"

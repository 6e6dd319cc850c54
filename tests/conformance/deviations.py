"""Where we do not do what a case expects: because a ruling says otherwise, or because it is not built yet.

Every check of every case is driven unless it stands in `LATER`. For one that stands in `RULED_OTHERWISE` the driver is
handed our own expectation instead of the case's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ruling(NamedTuple):
    """What replaces a check's expectation.

    Attributes:
        source: the ruling, or the design note, that decides.
        reason: what is different, and why.
        expect: what holds instead, in the driver's words.
    """

    source: str
    reason: str
    expect: Mapping[str, Any]


_ALL_BUT_LOAD = [
    *("probe", "bind", "plan", "render", "trace", "schema_check", "replay", "assert", "strength", "compare", "report"),
]
_STORE = "design.md, `Artifacts are the cache`"
_NO_STAGE_IS_NAMED = Ruling(
    "ruling 6; " + _STORE,
    "Nobody names a stage to resume from: a run takes every artifact from the store whose key still holds. The "
    "reference's key for it is unknown to a run config, and unknown keys there are refused, whatever their value.",
    {"refused": "Nothing reads the key `skip_until`."},
)

RULED_OTHERWISE: Final[Mapping[str, Ruling]] = {
    "C41 smoke lineage": Ruling(
        "contract/README, `Write everything anew`",
        "The built-in prompt is text of our own inside the package, named by its digest; it has no path.",
        {
            "surface_language": "sw",
            "system_prompt": "built in",
            "warnings": ["default_system_prompt_in_other_language"],
        },
    ),
    "C51 before and after": Ruling(
        "ruling 28",
        "Pack code never runs in our process, so a thread worker is a process as well. All that the case expects of "
        "our process holds, and asking for a thread is told, because the contract does not accept it for Gold.",
        {
            "outputs_after_reset": [{"depth": 12}],
            "host_env_after": {"PORT_HOST_VAR": "stay"},
            "unchanged": ["sys.path", "sys.dont_write_bytecode"],
            "absent_from_sys_modules": ["quay_helper_only"],
            "told_of_the_worker": ["process_worker_required_for_gold"],
        },
    ),
    "C58 seed changed": Ruling(
        _STORE,
        "Another seed is another key, so what depends on it is computed anew: nothing is taken, nothing refused.",
        {"computed": _ALL_BUT_LOAD},
    ),
    "C58 state file one blank longer": Ruling(
        _STORE,
        "An artifact that is not what was written counts as absent: it is computed again, with the same result.",
        {"computed": ["replay"], "rows": "identical to the first run"},
    ),
    "C58 pack README edited": Ruling(
        "ruling 11; " + _STORE,
        "The fingerprint covers every file, and a pack of another fingerprint has artifacts of its own.",
        {"computed": ["load", *_ALL_BUT_LOAD]},
    ),
    "C58 stage switched off": _NO_STAGE_IS_NAMED,
    "C58 stage in capitals": _NO_STAGE_IS_NAMED,
    "C58 no such stage": _NO_STAGE_IS_NAMED,
}

_PUBLICATION = "Publication (reference stage 12) is not built: there is no benchmark table, "
_MESSAGES = _PUBLICATION + "so no messages are made of turns, calls and results."
_SCAN = _PUBLICATION + "so there are no files for a leak to keep away. The scan: tests/runner/test_held_out.py."
_DEDUPLICATION = "Surface quality and deduplication (reference stages 10 and 11) are not built; they rest on models."

LATER: Final[Mapping[str, str]] = {
    "C48 messages: a calls step without calls": _MESSAGES,
    "C48 messages: calls without results": _MESSAGES,
    "C55 binding ignored the policy, caught at publication": _SCAN,
    "C60 languages": _DEDUPLICATION,
    "C60 edges and tools": _DEDUPLICATION,
    "C60 cleanest, then source": _DEDUPLICATION,
    "C60 source order reversed": _DEDUPLICATION,
    "C60 turn limit": _DEDUPLICATION,
    "C60 annotate only": _DEDUPLICATION,
    "C60 parts of one": _DEDUPLICATION,
}

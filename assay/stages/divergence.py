"""How two runs of the same episode differ, and why.

The cause is found by doing the same again, alone in fresh processes, and changing one thing at a time (ruling 29). What
can be held still is held, the wall clock too, so that a clock gets the same cause whatever its resolution is:

* two runs under one and the same set of conditions differ: `unstable` (randomness, addresses, process ids, timing);
* another hash seed makes the difference: `hash_order`;
* another time zone, locale, environment, working directory or wall clock does: `ambient`;
* none of these does: then only what ran before in the same process is left, `state_leak`.

Any answer but the first is confirmed by one more steady run, before the last one after a moment: a clock that cannot be
held (C code that asks the system) looks steady within its own resolution. Read in days, it can hide.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from assay.oracle.engine import Variation
from assay.values import ABSENT, canonical_json, differences, path_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Episode, Failure, Judgement
    from assay.values import Difference, JsonObject

HASH_ORDER: Final = "hash_order"
AMBIENT: Final = "ambient"
STATE_LEAK: Final = "state_leak"
UNSTABLE: Final = "unstable"

MAX_DIFFERENCES: Final = 20
_MOMENT_S: Final = 1.1


def first_differences(parts: Iterable[tuple[str, Any, Any]]) -> tuple[Difference, ...]:
    """Return the places at which two pieces of evidence differ, the first few of them.

    Args:
        parts: named parts of the evidence with both values, in the order in which to tell them.
    """
    found = (each for name, left, right in parts for each in differences(left, right, (name,)))
    return tuple(islice(found, MAX_DIFFERENCES))


def difference_facts(found: tuple[Difference, ...]) -> list[JsonObject]:
    """Return differences as JSON facts: path and both values, each bounded; a missing value has no entry."""
    return [
        {
            "path": path_text(each.path),
            **({} if each.left is ABSENT else {"first": shown(each.left)}),
            **({} if each.right is ABSENT else {"second": shown(each.right)}),
        }
        for each in found
    ]


def differences_in_words(facts: Sequence[JsonObject]) -> str:
    """Say where two pieces of evidence differ: the first place with both values, and how many more there are."""
    first = facts[0]
    values = f"{first.get('first', 'nothing')} against {first.get('second', 'nothing')}"
    others = len(facts) - 1
    more = f" and {others} more {'place' if others == 1 else 'places'}" if others else ""
    return f"at {first['path']} ({values}){more}"


def name_cause(observe: Callable[[Variation], str]) -> str:
    """Return why something that pack code does gives different evidence when it is done twice.

    Costs two to five fresh workers and up to about a second; callers bound how often they ask.

    Args:
        observe: does it once, alone in a fresh worker, and returns all that it showed as one text.
    """
    steady = Variation()
    first = observe(steady)
    if observe(steady) != first:
        return UNSTABLE
    for cause, varied in ((HASH_ORDER, Variation(hash_seed=True)), (AMBIENT, Variation(ambient=True))):
        if observe(varied) != first:
            return cause if observe(steady) == first else UNSTABLE
    time.sleep(_MOMENT_S)
    return STATE_LEAK if observe(steady) == first else UNSTABLE


def cause_in_episode(engine: Engine, episode: Episode) -> str:
    """Return why an episode diverges."""

    def observe(variation: Variation) -> str:
        evidence = engine.run_alone(episode, variation)
        return canonical_json([list(evidence.results), _ending(evidence.failure)])

    return name_cause(observe)


def cause_in_judgement(engine: Engine, judgement: Judgement) -> str:
    """Return why assertions over the same evidence diverge."""

    def observe(variation: Variation) -> str:
        outcomes = engine.judge_alone(judgement, variation)
        return canonical_json([[each.status, each.detail, _ending(each.failure)] for each in outcomes])

    return name_cause(observe)


def _ending(failure: Failure | None) -> list[str] | None:
    return None if failure is None else [str(failure.kind), failure.op, failure.message]

"""From outcomes to the named states in which flow runs end.

A verdict is a completed run, whatever it says, so that automatic retries and failure alerts fire for crashes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from prefect.states import Completed, Failed

from flows.outcome import worst
from flows.summary import headline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prefect.client.schemas.objects import State

    from flows.outcome import PackOutcome

GOLD: Final = "Gold"
NOT_GOLD: Final = "NotGold"


class NoVerdict(Exception):
    """Why a flow run failed: a pack came to no verdict, or there was none to prove. The text is for people."""


def state_for(outcomes: Sequence[PackOutcome], data: Any = None) -> State[Any]:
    """Return `Completed` as `Gold` or `NotGold`; `Failed` when a pack has no verdict or there was none to prove.

    Args:
        outcomes: of all packs of the run.
        data: what a completed run returns.
    """
    status = worst(outcomes)
    errors = [f"{each.pack_id}: {each.error} ({each.resume})" for each in outcomes if each.error is not None]
    if errors or not outcomes:
        message = "; ".join(errors) or "no pack was found"
        return Failed(message=message, data=NoVerdict(message))
    return Completed(name=GOLD if status == "gold" else NOT_GOLD, message=headline(outcomes), data=data)

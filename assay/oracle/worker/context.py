"""The `ctx` that pack code receives.

A plain class, because `dataclasses` costs a worker 15 ms to import. It copies, prints and compares like a frozen one.
"""

from __future__ import annotations

from datetime import datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class RunContext:
    """A frozen record of what the run owns (ruling 30).

    Attributes:
        clock: the frozen time, with its UTC offset.
        seed: 0 .. 2**64 - 1.
        timeout_s: the tool limit in seconds.
        task_id: the instance's id, or a probe's name.
        turn_index: the assistant turn of the call under way.
    """

    clock: datetime
    seed: int
    timeout_s: float
    task_id: str
    turn_index: int

    __match_args__ = ("clock", "seed", "timeout_s", "task_id", "turn_index")

    def __init__(self, facts: Mapping[str, Any], turn_index: int) -> None:
        self.__dict__.update(facts, clock=datetime.fromisoformat(facts["clock"]), turn_index=turn_index)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"ctx cannot be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"ctx cannot be changed: {name}")

    def _facts(self) -> tuple[Any, ...]:
        return (self.clock, self.seed, self.timeout_s, self.task_id, self.turn_index)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, RunContext) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts())

    def __repr__(self) -> str:
        facts = zip(self.__match_args__, self._facts(), strict=True)
        return f"RunContext({', '.join(f'{name}={value!r}' for name, value in facts)})"

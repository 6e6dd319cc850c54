"""How long a template's overruns are waited for.

Every overrun of a deadline costs its whole length. A template that hangs once mostly hangs in each of its instances, so
after a few overruns the rest of its instances are not run: they count as overrun as well. That bounds the time which
one hanging template can cost a run of many thousand instances (ruling 40). Results that rest on it are never final, so
a later run, with a longer deadline perhaps, tries all of them again.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from assay.oracle.evidence import Failure, FailureKind

MOST_OVERRUNS: Final = 3


class Patience:
    """Counts the overruns of each template."""

    def __init__(self) -> None:
        self._overruns: Counter[str] = Counter()
        self._last: dict[str, Failure] = {}

    def note(self, template_id: str, failure: Failure | None) -> None:
        """Take note of how an episode of a template ended."""
        if failure is not None and failure.kind is FailureKind.TIMEOUT:
            self._overruns[template_id] += 1
            self._last[template_id] = failure

    def is_spent(self, template_id: str) -> bool:
        """Say whether no more episodes of a template should be run."""
        return self._overruns[template_id] >= MOST_OVERRUNS

    def failure(self, template_id: str) -> Failure:
        """Return the failure of an episode that is not run any more.

        Raises:
            KeyError: for a template that never overran.
        """
        last = self._last[template_id]
        return Failure(
            kind=last.kind,
            op=last.op,
            message=f"not run, because {MOST_OVERRUNS} episodes of {template_id} overran a deadline: {last.message}",
            limit=last.limit,
            limit_s=last.limit_s,
            place=last.place,
        )

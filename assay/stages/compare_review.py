"""What the verdicts say about the pack: replays that diverged, each with paths, both values and the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Finding, Place, finding
from assay.stages.divergence import AMBIENT, HASH_ORDER, STATE_LEAK, UNSTABLE, differences_in_words
from assay.stages.replay_review import call_place
from assay.stages.tally import FindingTally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.pack.model import Pack, Template
    from assay.stages.records import InstanceVerdict

CAUSES_IN_WORDS: Final[Mapping[str, str]] = {
    HASH_ORDER: "the hash seed: the order of a set, or hash() of a text",
    AMBIENT: "the surroundings: time zone, locale, environment, working directory or wall clock",
    STATE_LEAK: "what ran before: something survives from one episode or assertion to the next",
    UNSTABLE: "nothing that can be held still: randomness, addresses, process ids or timing",
}
FIXES: Final[Mapping[str, str]] = {
    HASH_ORDER: "Sort before a set or a dict of hashed texts becomes a list; do not use hash() for values or seeds.",
    AMBIENT: "Take the time from ctx.clock and everything else from arguments and fixtures, not from the surroundings.",
    STATE_LEAK: (
        "Build the whole state anew in reset: module globals, counters, caches and files as well. "
        "Let assertions keep nothing."
    ),
    UNSTABLE: "Derive randomness and ids from ctx.seed; do not tell addresses, process ids or durations.",
}

_ONE_SIDED: Final = "in that one came to its end and the other did not"


class CompareReview:
    """Collects findings from verdicts. Divergences are told once per template and cause."""

    def __init__(self, pack: Pack) -> None:
        self._templates = {each.template_id: each for each in reversed(pack.templates)}
        self._tally = FindingTally()

    def watch(self, verdicts: Iterable[InstanceVerdict]) -> Iterator[InstanceVerdict]:
        """Pass verdicts through, looking at each."""
        for verdict in verdicts:
            self.look_at(verdict)
            yield verdict

    def look_at(self, verdict: InstanceVerdict) -> None:
        """Look at one verdict."""
        template = self._templates.get(verdict.template_id)
        if verdict.cause is not None and template is not None:
            self._add_divergence(verdict, template, verdict.cause)

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far, in order of first occurrence."""
        return self._tally.findings()

    def _add_divergence(self, verdict: InstanceVerdict, template: Template, cause: str) -> None:
        differences = verdict.detail.get("differences", [])
        where = differences_in_words(differences) if differences else _ONE_SIDED
        told = finding(
            "nondeterministic_replay",
            f"Two replays of {template.template_id} differ {where}; it depends on {CAUSES_IN_WORDS[cause]}.",
            at=_place(template, verdict.paths),
            fix=FIXES[cause],
            template_id=verdict.template_id,
            task_id=verdict.task_id,
            detail={
                "cause": cause,
                "diverged": list(verdict.diverged),
                "paths": list(verdict.paths),
                "differences": differences,
            },
        )
        self._tally.add(told, apart=cause)


def _place(template: Template, paths: tuple[str, ...]) -> Place:
    """Return the call whose result differs first, else the template."""
    prefix = "$.results["
    if paths and paths[0].startswith(prefix):
        return call_place(template, int(paths[0][len(prefix) :].partition("]")[0]))
    return template.at.place()

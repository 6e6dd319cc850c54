"""Why a probe may have found nothing: it names a row that the held-out policy keeps from the oracle.

Told only where rows are removed from the oracle's state and the oracle says `not_found` (`reference/validation.md`
6.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.stages.results import error_code
from assay.values import canonical_json

if TYPE_CHECKING:
    from assay.checks.case_runs import CaseRun
    from assay.pack.model import Pack
    from assay.values import JsonObject

_NOT_FOUND: Final = "not_found"


def reserved_arguments(pack: Pack, run: CaseRun) -> list[JsonObject]:
    """Return the top-level arguments of a case whose text equals a reserved id, with the row each names."""
    policy, arguments = pack.held_out, run.case.arguments
    if policy is None or policy.fixtures_in_backend_state or error_code(run.result) != _NOT_FOUND:
        return []
    if not isinstance(arguments, dict):
        return []
    return [
        {
            "argument": name,
            "value": value,
            "collection": collection,
            "fixture_ref": canonical_json([collection, str(value)]),
        }
        for name, value in arguments.items()
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
        for collection, ids in policy.fixtures.items()
        if str(value) in ids
    ]

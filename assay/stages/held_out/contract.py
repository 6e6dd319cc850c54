"""The held-out contract: what a policy reserves, in the form that bindings, rows and reports are held against.

A `HeldOut` is what the policy's file says; a `HeldOutContract` is what follows from it for rows: canonical references
and template ids, and one hash that tells whether two runs kept the same things back. Loading has told what is wrong
with the file; what a contract refuses here is our own fault, or evidence that somebody has touched.

Source: `reference/loading.md` 3.4.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.pack.keys import fixture_ref
from assay.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.pack.model import HeldOut
    from assay.values import JsonObject

CONTRACT_VERSION: Final = "1.0"
"""Version of the held-out contract and of both its reports."""


class HeldOutContractError(ValueError):
    """A policy, a reference or a verdict that the held-out contract does not allow."""


class HeldOutLeakError(RuntimeError):
    """Held-out material would be published, or nobody can say that it would not. The text is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutContract:
    """Everything that a policy reserves. Made without surprises: what is wrong is refused, the rest is normalised.

    Attributes:
        version: of the policy, without blanks around it; never empty.
        fixture_refs: canonical `["collection","id"]` references, sorted.
        template_ids: sorted.
        fixtures_in_backend_state: whether the oracle has the reserved rows.
        seed: of the private evaluation.
        source: where the policy was read from; it says nothing about what is reserved and is not hashed.
        contract_version: `CONTRACT_VERSION`, the only one there is.

    Raises:
        HeldOutContractError: for a blank version, a blank or repeated entry, a reference that is not in canonical form,
            a flag or a seed of another type, another contract version.
    """

    version: str
    fixture_refs: tuple[str, ...] = ()
    template_ids: tuple[str, ...] = ()
    fixtures_in_backend_state: bool = True
    seed: int = 0
    source: str | None = None
    contract_version: str = CONTRACT_VERSION

    def __post_init__(self) -> None:
        require_contract_version(self.contract_version)
        object.__setattr__(self, "version", _text(self.version, "the version of a held-out policy").strip())
        object.__setattr__(self, "fixture_refs", _sorted_names(self.fixture_refs, "a fixture reference"))
        object.__setattr__(self, "template_ids", _sorted_names(self.template_ids, "a template id"))
        for ref in self.fixture_refs:
            require_canonical_ref(ref)
        if type(self.fixtures_in_backend_state) is not bool:
            raise HeldOutContractError("`fixtures_in_backend_state` must be true or false")
        if type(self.seed) is not int:
            raise HeldOutContractError("`seed` must be a whole number")
        if self.source is not None and not isinstance(self.source, str):
            raise HeldOutContractError("`source` must be a path")

    @classmethod
    def of(cls, policy: HeldOut) -> HeldOutContract:
        """Return the contract of a policy.

        Raises:
            HeldOutContractError: for a policy that loading could not read in full.
        """
        try:
            refs = tuple(fixture_ref(name, row_id) for name, ids in policy.fixtures.items() for row_id in ids)
        except ValueError as error:
            raise HeldOutContractError(str(error)) from error
        return cls(
            version=policy.version,
            fixture_refs=refs,
            template_ids=policy.templates,
            fixtures_in_backend_state=policy.fixtures_in_backend_state,
            seed=policy.seed,
            source=policy.source,
        )

    @property
    def reserves_nothing(self) -> bool:
        """Whether nothing at all is reserved. Such a policy is recorded and scanned for all the same."""
        return not (self.fixture_refs or self.template_ids)

    def blocks_template(self, template_id: str) -> bool:
        """Say whether a template is reserved."""
        return template_id in self.template_ids

    def blocks_fixture(self, ref: str) -> bool:
        """Say whether a row is reserved."""
        return ref in self.fixture_refs

    def matched_fixture_refs(self, refs: Iterable[str]) -> tuple[str, ...]:
        """Return those of some references that are reserved, each once, sorted."""
        return tuple(sorted(set(refs).intersection(self.fixture_refs)))

    @property
    def lineage(self) -> JsonObject:
        """What identifies the policy in reports; the hash covers everything but where the policy was read from."""
        identity: JsonObject = {
            "contract_version": self.contract_version,
            "version": self.version,
            "fixtures_in_backend_state": self.fixtures_in_backend_state,
            "seed": self.seed,
        }
        terms = {**identity, "fixture_refs": [*self.fixture_refs], "template_ids": [*self.template_ids]}
        return {
            **identity,
            "source": self.source,
            "policy_hash": f"sha256:{digest(terms)}",
            "fixture_ref_count": len(self.fixture_refs),
            "template_count": len(self.template_ids),
        }


def contract_of(policy: HeldOut | None) -> HeldOutContract | None:
    """Return the contract of a pack's policy; None without a policy, or when loading has told that it is incomplete."""
    if policy is None:
        return None
    try:
        return HeldOutContract.of(policy)
    except HeldOutContractError:
        return None


def require_contract_version(version: Any) -> None:
    """Refuse any version of the contract but ours.

    Raises:
        HeldOutContractError: for another one.
    """
    if version != CONTRACT_VERSION:
        raise HeldOutContractError(f"the held-out contract has version {CONTRACT_VERSION}, not {version!r}")


def require_canonical_ref(ref: str) -> None:
    """Refuse a fixture reference that is not written exactly as `fixture_ref` writes it.

    Raises:
        HeldOutContractError: for any other text.
    """
    try:
        parts = json.loads(ref)
    except (ValueError, TypeError, RecursionError) as error:
        raise HeldOutContractError(f"{ref!r} is no fixture reference") from error
    if not isinstance(parts, list) or [type(part) for part in parts] != [str, str]:
        raise HeldOutContractError(f"{ref!r} is no fixture reference: it needs a collection and an id, both texts")
    if not all(part.strip() for part in parts) or fixture_ref(*parts) != ref:
        raise HeldOutContractError(f"{ref!r} is not the canonical form of a fixture reference")


def _sorted_names(names: Any, what: str) -> tuple[str, ...]:
    if not isinstance(names, (list, tuple)):
        raise HeldOutContractError(f"{what} must stand in a list")
    told = [_text(name, what) for name in names]
    if len(set(told)) < len(told):
        raise HeldOutContractError(f"{what} is listed twice: {next(n for n in told if told.count(n) > 1)!r}")
    return tuple(sorted(told))


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise HeldOutContractError(f"{what} must be a text that is not blank, not {value!r}")
    return value

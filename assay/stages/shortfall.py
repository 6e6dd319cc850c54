"""Categories that cannot be filled: because the budget is too small, the pack too poor, or too much is reserved.

A shortfall counts as caused by the held-out policy when the category would have met its budget without it (ruling 16);
named are the reservations that took something away from it. Any other shortfall is only noted. A category with a faulty
template is not judged: what it lacks is that template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import Finding, finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.findings import Place
    from assay.pack.model import Pack
    from assay.stages.bindable import Bindable
    from assay.stages.budget import Category


def check_policy_leaves_templates(pack: Pack, reserved: frozenset[str]) -> Iterator[Finding]:
    """Report a policy that reserves every template there is."""
    if reserved and all(template.template_id in reserved for template in pack.templates):
        message = f"All {len(pack.templates)} templates are reserved, so nothing is left for a public benchmark."
        yield _starved(message, "every_template_reserved", _policy_place(pack), sorted(reserved))


def check_category(pack: Pack, category: Category, bindable: Mapping[int, Bindable], drawn: int) -> Iterator[Finding]:
    """Report what is wrong with one category's filling.

    Args:
        pack: the pack.
        category: the category.
        bindable: by index of the template.
        drawn: how many instances it got.
    """
    if not category.templates:
        message = f"Every template of the category `{category.name}` is reserved, so it has no instance."
        names = sorted(template.template_id for template in category.reserved)
        yield _starved(message, "category_reserved", _policy_place(pack), names)
        return
    if category.is_too_small:
        yield _too_small(category)
    sound = all(bindable[template.index].combinations is not None for template in category.templates)
    if category.setting is not None and sound and drawn < category.budget:
        yield _underfilled(pack, category, bindable, drawn)


def _too_small(category: Category) -> Finding:
    first_without = category.templates[category.budget]
    message = (
        f"The category `{category.name}` has {len(category.templates)} templates, but `{category.setting}` gives it"
        f" {category.budget} instances, so `{first_without.template_id}` would have none."
    )
    return finding(
        "category_budget_too_small",
        message,
        at=first_without.at.place("category"),
        fix=f"Raise `{category.setting}` to at least {len(category.templates)}.",
        template_id=first_without.template_id,
        detail={"category": category.name, "budget": category.budget, "templates": len(category.templates)},
    )


def _underfilled(pack: Pack, category: Category, bindable: Mapping[int, Bindable], drawn: int) -> Finding:
    first = category.templates[0]
    message = f"The category `{category.name}` yields {drawn} of the {category.budget} instances of its budget"
    causes = _causes(category, bindable)
    if causes:
        told = ", ".join(causes[:5]) + (", ..." if len(causes) > 5 else "")
        return _starved(f"{message}; reserved are {told}.", "category_underfilled", _policy_place(pack), causes)
    return finding(
        "category_underfilled",
        f"{message}; its templates have no further combinations.",
        at=first.at.place("category"),
        detail={"category": category.name, "budget": category.budget, "drawn": drawn},
    )


def _causes(category: Category, bindable: Mapping[int, Bindable]) -> list[str]:
    """Return the reservations without which the category would have met its budget; empty when it would not have."""
    everyone = [bindable[template.index] for template in (*category.templates, *category.reserved)]
    budget = category.budget
    possible = sum(each.unrestricted.count(budget) for each in everyone if each.unrestricted is not None)
    if possible < budget:
        return []
    templates = sorted(each.template_id for each in category.reserved if bindable[each.index].unrestricted is not None)
    refs = sorted({ref for template in category.templates for ref in bindable[template.index].lost})
    return [*(f"template:{name}" for name in templates), *(f"fixture:{ref}" for ref in refs)]


def _starved(message: str, kind: str, at: Place | None, causes: list[str]) -> Finding:
    return finding("held_out_binding_starved", message, at=at, detail={"kind": kind, "causes": [*causes]})


def _policy_place(pack: Pack) -> Place | None:
    return None if pack.held_out is None else pack.held_out.at.place("templates")

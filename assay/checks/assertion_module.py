"""Check 4: can every assertion that a template names be imported, called, and used on replays?

Each fault is told where it is mended: a missing name at the template's entry, a signature at the function, a capability
at its key. What several templates suffer from alike has one root.

Sources: the seed on assertions; `reference/validation.md` 5.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.checks.capabilities import Capabilities, read_capabilities
from assay.findings import Finding, Place, finding
from assay.findings.spelling import did_you_mean
from assay.oracle.failures import failure_finding
from assay.stages.assertion_review import import_failure_finding
from assay.stages.python_source import definition_of, parse_python, place_of
from assay.values import storable

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from assay.oracle.evidence import AssertionModule, DiscoveredAssertion
    from assay.pack.model import Pack, Template


def check_assertion_module(pack: Pack, file: str, module: AssertionModule) -> tuple[Finding, ...]:
    """Hold the templates' references against what the module exports.

    Args:
        pack: the loaded pack.
        file: path of the assertions module within the pack.
        module: what its own process reported.
    """
    if module.failure is not None:
        return _import_failed(pack, module)
    tree = parse_python(pack.root, file)
    capabilities = Capabilities()
    if tree is not None:
        capabilities = read_capabilities(tree, file, tuple(module.assertions), bound=module.has_capabilities)
    return (
        *_missing(pack, module, None),
        *_bad_signatures(pack, file, tree, module),
        *capabilities.findings,
        *_not_executable(pack, capabilities),
    )


def _import_failed(pack: Pack, module: AssertionModule) -> tuple[Finding, ...]:
    """Tell why nothing can be imported; all references follow from it. A deadline or a dead worker is the root."""
    failure = module.failure
    assert failure is not None
    told = import_failure_finding(pack, failure)
    if not failure.is_transient:
        return (told, *_missing(pack, module, told))
    root = failure_finding(failure, at=told.place, check=told.check)
    return (root, told.following(root), *_missing(pack, module, root))


def _references(pack: Pack) -> Iterator[tuple[Template, str, Place]]:
    """Yield every reference once per template, with its place."""
    for template in pack.templates:
        first = {name: index for index, name in reversed([*enumerate(template.success_assertions)])}
        for name in dict.fromkeys(template.success_assertions):
            yield template, name, template.at.place("success_assertions", first[name])


def _missing(pack: Pack, module: AssertionModule, root: Finding | None) -> list[Finding]:
    """Tell every reference to a name that is not exported; the first one to a name is the root of the others."""
    roots: dict[str, Finding] = {}
    found = []
    for template, name, place in _references(pack):
        if name in module.assertions:
            continue
        hint = "" if module.failure is not None else did_you_mean(name, module.assertions)
        told = finding(
            "missing_assertion",
            f"Template {template.template_id} names `{name}`, which the assertions module does not export.{hint}",
            at=place,
            template_id=template.template_id,
            assertion=name,
        )
        cause = root or roots.get(name)
        found.append(told if cause is None else told.following(cause))
        roots.setdefault(name, found[-1])
    return found


def _bad_signatures(pack: Pack, file: str, tree: ast.Module | None, module: AssertionModule) -> list[Finding]:
    """Tell each unusable signature once, at its function, with the templates that name it."""
    users: dict[str, list[str]] = {}
    for template, name, _ in _references(pack):
        users.setdefault(name, []).append(template.template_id)
    return [
        finding(
            "invalid_signature",
            storable(f"Assertion {each.name} cannot be called as the contract calls it: {each.reason}."),
            at=_definition_place(file, tree, each),
            template_id=users[each.name][0],
            assertion=each.name,
            detail={"templates": [*users[each.name]]},
        )
        for each in module.assertions.values()
        if not each.valid and each.name in users
    ]


def _definition_place(file: str, tree: ast.Module | None, assertion: DiscoveredAssertion) -> Place:
    definition = definition_of(tree, assertion.name)
    if definition is None and assertion.line is not None:
        return Place(file, assertion.line)
    return place_of(file, definition)


def _not_executable(pack: Pack, capabilities: Capabilities) -> list[Finding]:
    return [
        finding(
            "assertion_not_executable_compatible",
            f"Template {template.template_id} names `{name}`, which declares itself not executable.",
            at=place,
            template_id=template.template_id,
            assertion=name,
        )
        for template, name, place in _references(pack)
        if (capability := capabilities.of(name)) is not None and not capability.executable
    ]

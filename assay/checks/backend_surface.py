"""Check 3, the executed part: does the oracle offer what tools.json declares?

The backend is imported and asked, without a reset. What is wrong with a tool's definition itself is found at loading.

Source: `reference/validation.md` 5.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Check, Finding, Place, finding
from assay.oracle.failures import failure_finding
from assay.stages.python_source import definition_of, parse_python, place_of
from assay.values import storable

if TYPE_CHECKING:
    from assay.oracle.evidence import BackendSurface, Failure
    from assay.pack.model import Pack

REQUIRED_CALLABLES: Final = ("list_tools", "reset", "call_tool", "get_state")


def no_oracle(pack: Pack) -> Finding:
    """Return the finding about a pack without an oracle that can be executed here."""
    if pack.paths.endpoint is None:
        message = "The pack has neither a backend nor an endpoint."
        return finding("oracle_missing", message, at=Place(pack.paths.manifest))
    message = f"The pack's oracle is the endpoint of {pack.paths.endpoint}; this version executes backends only."
    return finding("endpoint_transport_unsupported", message, at=Place(pack.paths.endpoint))


def check_surface(pack: Pack, surface: BackendSurface) -> tuple[Finding, ...]:
    """Compare what the backend offers with what the pack declares, as far as both are known."""
    file = pack.paths.backend or pack.paths.manifest
    found: list[Finding] = []
    if surface.failure is not None:
        found.extend(_inspection_failed(file, surface.failure))
    if surface.failure is None or any(surface.callables.values()):
        found.extend(_missing_symbols(file, surface))
    root = found[0] if found else None
    if "tools" in pack.unusable:
        return tuple(found)
    if surface.tools is None:
        found.extend(_unimplemented(pack, (), root))
    else:
        found.extend(_unimplemented(pack, surface.tools, None))
        found.extend(_undeclared(pack, file, surface.tools))
    return tuple(found)


def _inspection_failed(file: str, failure: Failure) -> list[Finding]:
    """Tell that the oracle cannot be asked; a deadline or a dead worker behind it is told first, as the root."""
    place = failure.place or Place(file)
    told = finding(
        "list_tools_failed",
        storable(f"The oracle {file} cannot be asked for its tools ({failure.op}): {failure.message}."),
        at=place,
        detail={"failure": failure.to_json()},
    )
    if not failure.is_transient:
        return [told]
    root = failure_finding(failure, at=place, check=Check.BACKEND_SCHEMA_ALIGNMENT)
    return [root, told.following(root)]


def _missing_symbols(file: str, surface: BackendSurface) -> list[Finding]:
    missing = [name for name in REQUIRED_CALLABLES if not surface.callables.get(name, False)]
    return [
        finding(
            "missing_backend_symbol",
            f"The oracle {file} has no callable `{name}`.",
            at=Place(file),
            detail={"symbol": name},
        )
        for name in missing
    ]


def _unimplemented(pack: Pack, listed: tuple[str, ...], root: Finding | None) -> list[Finding]:
    found = [
        finding(
            "schema_without_implementation",
            f"The oracle does not list the declared tool `{tool.name}`.",
            at=tool.at.place(),
            tool=tool.name,
        )
        for tool in pack.tools
        if tool.name not in listed
    ]
    return found if root is None else [each.following(root) for each in found]


def _undeclared(pack: Pack, file: str, listed: tuple[str, ...]) -> list[Finding]:
    place = place_of(file, definition_of(parse_python(pack.root, pack.paths.backend), "list_tools"))
    return [
        finding(
            "implementation_without_schema",
            storable(f"The oracle lists `{name}`, which is no declared tool."),
            at=place,
            tool=storable(name),
        )
        for name in dict.fromkeys(listed)
        if pack.tool_named(name) is None
    ]

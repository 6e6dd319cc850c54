"""Wrong evidence made from right evidence: each mutant differs from what was recorded in one fact.

Whoever wants to know whether assertions can fail must show them something that they should refuse. Mutants are that:
a call left out, repeated or out of order, one argument or one field of a result with another value, a result blanked,
the state as if nothing had happened, one value of the state changed. They say nothing about what a model will do; they
ask, fact by fact, whether anybody looks.

Everything here is a pure function of the recorded evidence. No mutant equals the original or, but for calls that are
alike further apart, another mutant; a changed value keeps its JSON type wherever that type has another value.

A task without calls is right when nothing is called, so that is what is changed: a call is added. Of the values of the
state that no call touched only a few are changed. They are most of a state, and as assertions do not see the state
before, mostly nobody can be expected to notice; a template is never blamed for these alone.

Limits: swaps are of neighbours only. Keys and rows are neither added nor removed, except by what the calls did.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from assay.values import ABSENT, canonical_json, differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.values import JsonObject, JsonPath, JsonValue

UNTOUCHED: Final = "change_untouched"
KINDS: Final = (
    "add_call",
    "drop_call",
    "repeat_call",
    "swap_calls",
    "change_argument",
    "change_result",
    "blank_result",
    "reset_state",
    "change_effect",
    UNTOUCHED,
)
"""What can be done to evidence, in the order of the mutants."""

MOST_MUTANTS: Final = 64
"""So many mutants of one task at most, dealt out evenly over the kinds."""
MOST_UNTOUCHED: Final = 2
"""So many values of the state are changed at most that no call touched."""
MOST_TEXT: Final = 8_000_000
"""So many characters of evidence at most are judged for one task, as long as each kind has its one mutant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Evidence that is wrong in one fact.

    Attributes:
        kind: one of `KINDS`.
        call_index: the call that is added, dropped, repeated, changed, or swapped with the next; None for the state.
        tool: the tool of that call.
        path: where in its arguments, its result or the state one value is changed; None for other kinds.
        before: the value that was recorded; `ABSENT` where no single value was changed.
        after: the value in its place; `ABSENT` likewise.
        trace: the calls, as assertions see them.
        state: the state after the last call.
    """

    kind: str
    call_index: int | None = None
    tool: str | None = None
    path: JsonPath | None = None
    before: Any = ABSENT
    after: Any = ABSENT
    trace: list[JsonObject]
    state: JsonValue


@dataclass(frozen=True, slots=True)
class _Site:
    """A place where evidence can be mutated."""

    kind: str
    call_index: int | None = None
    path: JsonPath | None = None


def derive_mutants(
    trace: Sequence[JsonObject], state_before: JsonValue, state_after: JsonValue, tools: Sequence[str] = ()
) -> tuple[Mutant, ...]:
    """Return mutants of one attempt's evidence: bounded, the same ones every time, spread evenly.

    Args:
        trace: entries of `tool`, `arguments` and `result`.
        state_before: the state right after reset.
        state_after: the state after the last call.
        tools: what the task could have called; for a task without calls the first of them is called.
    """
    changes = _changes(trace, state_before, state_after)
    if trace or not tools:
        return tuple(changes)
    made: JsonObject = {"tool": tools[0], "arguments": {}, "result": {}}
    return (Mutant(kind="add_call", call_index=0, tool=tools[0], trace=[made], state=state_after), *changes)


def _changes(trace: Sequence[JsonObject], state_before: JsonValue, state_after: JsonValue) -> Iterator[Mutant]:
    """Yield mutants of what is there."""
    by_kind: dict[str, list[_Site]] = {kind: [] for kind in KINDS}
    for site in (*_call_sites(trace), *_value_sites(trace), *_state_sites(state_before, state_after)):
        by_kind[site.kind].append(site)
    by_kind[UNTOUCHED] = _spread(by_kind[UNTOUCHED], MOST_UNTOUCHED)
    room = MOST_TEXT // max(1, len(canonical_json([trace, state_after])))
    shares = _shares({kind: len(sites) for kind, sites in by_kind.items()}, min(MOST_MUTANTS, max(len(KINDS), room)))
    chosen = [site for kind, sites in by_kind.items() for site in _spread(sites, shares[kind])]
    return (_mutant(site, trace, state_before, state_after) for site in chosen)


def _shares(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """Deal `most` out one by one, kind after kind; a kind that has no more is passed over."""
    shares = dict.fromkeys(sizes, 0)
    left = min(most, sum(sizes.values()))
    while left:
        for kind in [each for each in sizes if shares[each] < sizes[each]][:left]:
            shares[kind] += 1
            left -= 1
    return shares


def _spread(sites: list[_Site], most: int) -> list[_Site]:
    """Return at most so many, the first among them, at even distances."""
    count = min(most, len(sites))
    return [sites[position * len(sites) // count] for position in range(count)]


def _call_sites(trace: Sequence[JsonObject]) -> Iterator[_Site]:
    """Yield what can be done to whole calls. Of equal neighbours only the first counts: the others give the same."""
    texts = [canonical_json(entry) for entry in trace]
    for index, text in enumerate(texts):
        if index == 0 or text != texts[index - 1]:
            yield _Site("drop_call", index)
            yield _Site("repeat_call", index)
    for index, (left, right) in enumerate(pairwise(texts)):
        if left != right:
            yield _Site("swap_calls", index)


def _value_sites(trace: Sequence[JsonObject]) -> Iterator[_Site]:
    for index, entry in enumerate(trace):
        yield from (_Site("change_argument", index, path) for path, _ in _leaves(entry["arguments"]))
        yield from (_Site("change_result", index, path) for path, _ in _leaves(entry["result"]))
        if entry["result"] != {}:
            yield _Site("blank_result", index)


def _state_sites(before: JsonValue, after: JsonValue) -> Iterator[_Site]:
    """Yield what can be done to the state. A change that would only undo the calls is `reset_state` already."""
    found = list(differences(before, after))
    if found:
        yield _Site("reset_state")
    effects = [leaf for each in found if each.right is not ABSENT for leaf in _leaves(each.right, each.path)]
    undone = found[0] if len(found) == 1 else None
    for path, value in effects:
        if undone is None or path != undone.path or not _same(_changed(value), undone.left):
            yield _Site("change_effect", path=path)
    touched = {path for path, _ in effects}
    yield from (_Site(UNTOUCHED, path=path) for path, _ in _leaves(after) if path not in touched)


def _same(left: Any, right: Any) -> bool:
    return right is not ABSENT and canonical_json(left) == canonical_json(right)


def _leaves(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Yield every value within a JSON value that holds no other, empty arrays and objects below the top included."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif path or not isinstance(value, (dict, list)):
        yield path, value


def _mutant(site: _Site, trace: Sequence[JsonObject], state_before: JsonValue, state_after: JsonValue) -> Mutant:
    """Carry out what a site stands for. Parts that stay as they are are shared, not copied."""
    if site.call_index is not None:
        return _of_call(site, site.call_index, list(trace), state_after)
    if site.path is None:
        return Mutant(kind=site.kind, trace=list(trace), state=state_before)
    old, state = _change_at(state_after, site.path)
    return Mutant(kind=site.kind, path=site.path, before=old, after=_changed(old), trace=list(trace), state=state)


def _of_call(site: _Site, index: int, trace: list[JsonObject], state: JsonValue) -> Mutant:
    entry, rest = trace[index], trace[index + 1 :]
    old: Any = ABSENT
    new: Any = ABSENT
    match site.kind:
        case "drop_call":
            mutated = rest
        case "repeat_call":
            mutated = [entry, entry, *rest]
        case "swap_calls":
            mutated = [rest[0], entry, *rest[1:]]
        case "blank_result":
            old, new = entry["result"], {}
            mutated = [{**entry, "result": {}}, *rest]
        case _:
            part = "arguments" if site.kind == "change_argument" else "result"
            old, whole = _change_at(entry[part], site.path or ())
            new = _changed(old)
            mutated = [{**entry, part: whole}, *rest]
    return Mutant(
        kind=site.kind,
        call_index=index,
        tool=str(entry["tool"]),
        path=site.path,
        before=old,
        after=new,
        trace=[*trace[:index], *mutated],
        state=state,
    )


def _change_at(whole: Any, path: JsonPath) -> tuple[Any, Any]:
    """Return the value at a path, and the whole with another value in its place."""
    if not path:
        return whole, _changed(whole)
    step = path[0]
    old, part = _change_at(whole[step], path[1:])
    if isinstance(whole, dict):
        return old, {**whole, step: part}
    return old, [part if index == step else item for index, item in enumerate(whole)]


def _changed(value: Any) -> Any:
    """Return another value, of the same JSON type where that has another; null becomes a text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 1.0 if value + 1.0 != value else value / 2
    if isinstance(value, str):
        return _changed_text(value)
    if isinstance(value, list):
        return ["x"]
    return {"x": "x"} if isinstance(value, dict) else "x"


def _changed_text(text: str) -> str:
    """Return a text with its last letter or digit of ASCII replaced by the next one; with an `x` more when it has none.

    The form stays what it was (an id, a date, an amount), so that it is the value that must be looked at.
    """
    for index in reversed(range(len(text))):
        letter = text[index]
        if letter.isascii() and letter.isalnum():
            following = {"9": "0", "z": "a", "Z": "A"}.get(letter) or chr(ord(letter) + 1)
            return f"{text[:index]}{following}{text[index + 1 :]}"
    return f"{text}x"


def describe_mutant(kind: str, call_index: int | None, tool: str | None, path: str | None) -> str:
    """Say in a few words what was done, for people.

    Args:
        kind: with `call_index`: as in `Mutant`.
        call_index: see `kind`.
        tool: the tool of that call.
        path: the changed place as text, such as `$.title`.
    """
    call = f"call {call_index} ({tool})"
    return {
        "add_call": f"add {call}",
        "drop_call": f"drop {call}",
        "repeat_call": f"repeat {call}",
        "swap_calls": f"swap {call} with the next",
        "change_argument": f"change argument {path} of {call}",
        "change_result": f"change result field {path} of {call}",
        "blank_result": f"blank the result of {call}",
        "reset_state": "leave the state as at reset",
        "change_effect": f"change {path} of the state",
        UNTOUCHED: f"change untouched {path} of the state",
    }[kind]

"""Dependent calls: arguments that an earlier call's result supplies.

A marker is an object whose only key is `from_result`, anywhere among the arguments. Its body names the producing call
by the id of its milestone and a path of dot-separated tokens into its result: a list is entered by an index (negative
ones count from the end), an object by a key. At its end the path must find a text, a number or a boolean
(`reference/trace-replay.md` 2.4; ruling 25).

What is wrong with a marker as written is found without running anything (`read_markers`). What one instance's own data
does not offer ends that instance's episode (`UnreadResult`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.oracle.evidence import StopEpisode
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.findings import Place
    from assay.stages.call_templates import CallTemplate
    from assay.values import JsonObject, JsonPath, JsonValue

_INDEX: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_MAX_NAMED: Final = 12

CODE: Final = "dependent_call_binding_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One usable marker.

    Attributes:
        path: where in the arguments the value goes.
        producer: index of the producing milestone.
        producer_id: its id.
        steps: the tokens of the path into its result.
        at: where the marker stands.
    """

    path: JsonPath
    producer: int
    producer_id: str
    steps: tuple[str, ...]
    at: Place

    @property
    def source(self) -> str:
        """The producer's id and the path, for people."""
        return f"`{'.'.join(self.steps)}` of `{self.producer_id}`"


class UnreadResult(StopEpisode):
    """A result does not hold what a marker reads.

    Attributes:
        marker: it.
        blames_template: no data could make this path right; otherwise another instance's data may.
    """

    def __init__(self, marker: Marker, why: str, *, blames_template: bool = False) -> None:
        super().__init__(f"`from_result` {marker.source}: {why}")
        self.marker = marker
        self.blames_template = blames_template


def read_markers(
    call: CallTemplate, calls: Mapping[int, CallTemplate], groups: Mapping[int, int], template_id: str
) -> tuple[tuple[Marker, ...], tuple[Finding, ...]]:
    """Return the usable markers of a call, and what is wrong with the others.

    Args:
        call: the consuming call.
        calls: all calls of the template, by milestone index.
        groups: milestone index -> its call group, in order of issue.
        template_id: of the template.
    """
    usable, faults = [], []
    for path, body in call.markers.items():
        read = _read_marker(path, body, call, calls, groups)
        if isinstance(read, Marker):
            usable.append(read)
        else:
            faults.append(marker_fault(*read, call=call, path=path, template_id=template_id))
    return tuple(usable), tuple(faults)


def marker_fault(kind: str, why: str, *, call: CallTemplate, path: JsonPath, template_id: str) -> Finding:
    """Return the finding about a marker that cannot work."""
    return finding(
        CODE,
        f"The `from_result` in the arguments of {template_id}'s call of `{call.milestone.tool}` {why}.",
        at=call.place_of(path),
        template_id=template_id,
        tool=call.milestone.tool,
        detail={"kind": kind},
    )


def _read_marker(
    path: JsonPath, body: Any, call: CallTemplate, calls: Mapping[int, CallTemplate], groups: Mapping[int, int]
) -> Marker | tuple[str, str]:
    """Return the marker, or the kind of fault and what is wrong."""
    if not isinstance(body, dict):
        return "marker_not_object", f"is {shown(body, 60)}, not an object with `call` and `path`"
    producer_id, steps = body.get("call"), body.get("path")
    if not isinstance(producer_id, str) or not isinstance(steps, str) or not steps:
        return "marker_malformed", "needs a text under `call` and a non-empty text under `path`"
    ids = {each.milestone.id: index for index, each in calls.items() if each.milestone.id is not None}
    producer = ids.get(producer_id)
    if producer is None:
        known = ", ".join(f"`{each}`" for each in list(ids)[:_MAX_NAMED])
        ours = f"the ids are {known}" if known else "no call of the template has an id"
        return "unknown_producer", f"names no call: `{producer_id}`; {ours}{did_you_mean(producer_id, ids).rstrip('.')}"
    if producer >= call.milestone.index:
        return "producer_not_earlier", f"reads from `{producer_id}`, which does not come before it"
    if producer in groups and groups[producer] >= groups.get(call.milestone.index, groups[producer] + 1):
        return "producer_in_same_group", f"reads from `{producer_id}`, which is issued in the same call_group"
    return Marker(
        path=path, producer=producer, producer_id=producer_id, steps=tuple(steps.split(".")), at=call.place_of(path)
    )


def resolve(arguments: JsonObject, markers: Sequence[Marker], results: Mapping[int, JsonValue]) -> JsonObject:
    """Return arguments with every marker replaced by the value that it reads.

    Args:
        arguments: of the consuming call, markers in place.
        markers: its markers.
        results: milestone index -> result of the calls so far.

    Raises:
        UnreadResult: when a result does not hold what a marker reads.
    """
    resolved: Any = arguments
    for marker in markers:
        resolved = _replaced(resolved, marker.path, read_result(results[marker.producer], marker))
    return dict(resolved)


def _replaced(container: Any, path: JsonPath, value: JsonValue) -> Any:
    """Return a copy of a container with one value replaced; what lies beside the path is shared."""
    if not path:
        return value
    copy = list(container) if isinstance(container, list) else dict(container)
    copy[path[0]] = _replaced(container[path[0]], path[1:], value)  # type: ignore[index]
    return copy


def read_result(result: JsonValue, marker: Marker) -> JsonValue:
    """Return the value that a marker reads from a result.

    Raises:
        UnreadResult: when there is none.
    """
    if isinstance(result, dict) and "error" in result:
        raise UnreadResult(marker, f"the call returned an error, {shown(result['error'], 60)}")
    value = result
    for step in marker.steps:
        value = _step_into(value, step, marker)
    if value is None or isinstance(value, (dict, list)):
        raise UnreadResult(marker, f"it ends at {_kind(value)}, not at a single value")
    return value


def _step_into(value: JsonValue, step: str, marker: Marker) -> JsonValue:
    if isinstance(value, list):
        if not _INDEX.fullmatch(step):
            why = f"`{step}` is no index, but stands where the result has a list"
            raise UnreadResult(marker, why, blames_template=True)
        index = int(step)
        if not -len(value) <= index < len(value):
            raise UnreadResult(marker, f"index {index} is out of range; the list has {len(value)} items")
        return value[index]
    if isinstance(value, dict):
        if step not in value:
            raise UnreadResult(marker, f"the result has no `{step}`")
        return value[step]
    raise UnreadResult(marker, f"`{step}` leads into {_kind(value)}")


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    return shown(value, 60)


def policy_faults(
    turn_policy: str, calls: Mapping[int, CallTemplate], template_id: str, at: Place
) -> Iterator[Finding]:
    """Yield what does not go together: markers need the policy `dependent_call`, and it needs a marker."""
    with_markers = [call for call in calls.values() if call.markers]
    if turn_policy == "dependent_call":
        if calls and not with_markers:
            message = f"{template_id} declares `dependent_call`, but no argument of its calls has a `from_result`."
            yield finding(CODE, message, at=at, template_id=template_id, detail={"kind": "policy_without_marker"})
        return
    for call in with_markers[:1]:
        path = next(iter(call.markers))
        why = f"goes with the policy `dependent_call` only, but the policy is `{turn_policy}`"
        yield marker_fault("marker_without_policy", why, call=call, path=path, template_id=template_id)

"""What our process asks of pack code, and what it learns back.

An *episode* is one life of an oracle between two resets: a context and an ordered list of steps. The engine runs
episodes in worker processes and returns one *evidence* record for each: what every step gave back, and, when the
episode did not come to its end, the *failure* that ended it. Pack code never runs in our process and nothing it sends
is evaluated; all values here are JSON values (rulings 28 and 30).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.findings import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.values import JsonObject, JsonValue


class FailureKind(StrEnum):
    """How an episode ended early."""

    RAISED = "raised"
    """Pack code raised an exception."""
    TIMEOUT = "timeout"
    """A deadline passed and the worker's whole process group was killed."""
    DIED = "died"
    """The worker ended by itself: exit, signal, out of memory."""
    NOT_JSON = "not_json"
    """Pack code returned something that JSON cannot carry."""
    TOO_LARGE = "too_large"
    """A reply was larger than the limit."""
    BAD_REPLY = "bad_reply"
    """What came over the channel was not an answer of ours: forged, out of order or torn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an episode (or an inspection, or an assertion) did not come to its end.

    Attributes:
        op: `import`, `reset`, `get_state`, `call_tool`, `list_tools` or `assertion`.
        message: one line without temporary paths or addresses; for RAISED `Type: text`.
        step: index of the step within the episode; None outside one.
        limit: for TIMEOUT: the limit that really fired: `import`, `reset`, `tool`, `assertion` or `episode`.
        limit_s: that limit in seconds.
        place: the innermost line of pack code involved, if known.
        traceback: normalised, pack-relative; None when there is none.
        exit_code: for DIED: exit code, or the negative signal number.
    """

    kind: FailureKind
    op: str
    message: str
    step: int | None = None
    limit: str | None = None
    limit_s: float | None = None
    place: Place | None = None
    traceback: str | None = None
    exit_code: int | None = None

    @property
    def is_transient(self) -> bool:
        """Whether a result that rests on it must not be kept as final (ruling 40)."""
        return self.kind in (FailureKind.TIMEOUT, FailureKind.DIED)

    def to_json(self) -> JsonObject:
        """Return the failure as a JSON object, for tables and finding details; absent facts are left out."""
        facts: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("op", "message", "step", "limit", "limit_s", "traceback", "exit_code")
            if getattr(self, name) is not None
        }
        if self.place is not None:
            facts["place"] = {"file": self.place.file, "line": self.place.line, "column": self.place.column}
        return {"kind": str(self.kind), **facts}


def failure_from_json(facts: JsonObject) -> Failure:
    """Read back what `Failure.to_json` wrote."""
    rest: dict[str, Any] = dict(facts)
    place = rest.pop("place", None)
    return Failure(kind=FailureKind(rest.pop("kind")), place=Place(**place) if place else None, **rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeContext:
    """The run-owned context that an oracle and an assertion see as `ctx` (ruling 30).

    Attributes:
        clock: ISO-8601 text with a UTC offset; pack code sees an aware datetime.
        seed: 0 .. 2**64 - 1.
        timeout_s: the tool limit in seconds.
        task_id: the instance's id, or a probe's name such as `validation-group:0`.
    """

    clock: str
    seed: int
    timeout_s: float
    task_id: str


@dataclass(frozen=True, slots=True)
class Reset:
    """Reset the oracle to the visible fixtures."""


@dataclass(frozen=True, slots=True)
class GetState:
    """Ask for the complete observable state."""


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call one tool.

    Attributes:
        arguments: any JSON value (probes may send what no schema allows), or a function that makes the arguments from
            the results of the calls before it in this episode (dependent calls). Such a function may raise
            `StopEpisode`.
        turn_index: what `ctx.turn_index` shows during the call.
    """

    name: str
    arguments: JsonValue | Callable[[Sequence[JsonValue]], JsonObject]
    turn_index: int = 0


Step: TypeAlias = "Reset | GetState | CallTool"


class StopEpisode(Exception):
    """Raised by an arguments function to end its episode; the evidence carries it as `stopped`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One life of an oracle. `steps` may hold further resets (they start the trace anew).

    Attributes:
        wanted: asked just before the episode is sent to a worker, and again before it is sent anew because its worker
            was lost. False ends it there: it is not run, and its evidence says `stopped`. It must be quick.
    """

    context: EpisodeContext
    steps: tuple[Step, ...]
    wanted: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What came of one episode.

    Attributes:
        results: one entry per completed step, in order (None for a reset; the state for GetState; the result for a
            call). Shorter than the steps exactly when `failure` or `stopped` is set.
        arguments: for each completed or attempted step, the arguments really sent (None where there are none).
    """

    results: tuple[JsonValue, ...]
    arguments: tuple[JsonValue, ...] = ()
    failure: Failure | None = None
    stopped: StopEpisode | None = None

    @property
    def completed(self) -> bool:
        """Whether every step came back."""
        return self.failure is None and self.stopped is None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSurface:
    """What a backend module offers.

    Attributes:
        callables: the four required names -> whether each is callable.
        tools: what `list_tools` named; None when it could not be asked.
        failure: what stopped the inspection.
        modules: distributions from outside the pack that it imported: name -> version (ruling 41).
    """

    callables: dict[str, bool]
    tools: tuple[str, ...] | None
    failure: Failure | None
    modules: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredAssertion:
    """One assertion that a module exports. `reason` says why its signature does not do."""

    name: str
    valid: bool
    reason: str | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionModule:
    """What an assertions module exports, as its own process reports it.

    Attributes:
        assertions: by name; empty when the import failed.
        has_capabilities: the module has the symbol `ASSERTION_CAPABILITIES` at run time.
        failure: what stopped the import.
        modules: distributions from outside the pack that it imported: name -> version.
    """

    assertions: dict[str, DiscoveredAssertion]
    has_capabilities: bool
    failure: Failure | None
    modules: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A request to run assertions over one attempt's evidence.

    Attributes:
        trace: entries that hold exactly `tool`, `arguments`, `result`.
        task: the bound instance as the contract gives it to assertions.
        turn_index: that of the last call, 0 without any.
        assertions: names in declared order; a repeated name runs again.
        attempt: whose evidence it is; the assertions run under the conditions of that attempt.
    """

    context: EpisodeContext
    state: JsonValue
    trace: list[JsonObject]
    task: JsonObject
    turn_index: int
    assertions: tuple[str, ...]
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one assertion came to (ruling 31).

    Attributes:
        status: `passed`, `failed`, `not_applicable` or `infrastructure_error`.
        detail: the message of the AssertionError, the detail of not_applicable, or what went wrong.
        place: the line of pack code that raised.
        failure: for an infrastructure error that is more than a raised exception or a wrong return value (timeout,
            death, bad reply), and for raised exceptions with their traceback.
    """

    assertion: str
    status: str
    detail: str | None = None
    place: Place | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedOutput:
    """What one worker printed.

    Attributes:
        role: `backend` or `assertions`.
        text: the beginning of it.
        length: how many bytes there were in all.
    """

    role: str
    text: str
    length: int

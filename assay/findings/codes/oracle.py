"""Codes of executing pack code: deadlines, dead workers, and what cannot be taken back from a worker.

All of them count against check 7 unless the one who runs the episode names another check.
"""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

_DEADLINES = (
    Code(
        name="import_timeout",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A module of the pack was still being imported when the import limit was reached.",
        why="Nothing in it can be executed, so nothing that depends on it is proven.",
        fix="Take slow work out of the module's top level, or raise `oracle_runtime.import_timeout_s`.",
    ),
    Code(
        name="reset_timeout",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The backend's `reset` was still running when the reset limit was reached.",
        why="An episode that cannot begin proves nothing.",
        fix="Make `reset` return quickly, or raise `oracle_runtime.reset_timeout_s`.",
    ),
    Code(
        name="tool_timeout",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A tool call, a state read or a listing was still running when the tool limit was reached.",
        why="A model that makes the same call would wait in vain, and its task could not be scored.",
        fix="Make the call return quickly, or raise `oracle_runtime.tool_timeout_s`.",
    ),
    Code(
        name="assertion_timeout",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="An assertion was still running when the assertion limit was reached.",
        why="The task has no verdict.",
        fix="Make the assertion look at the evidence and return, or raise `oracle_runtime.assertion_timeout_s`.",
    ),
    Code(
        name="episode_timeout",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="All steps of an episode together took longer than the episode limit.",
        why="The episode was not executed to its end, so its task is not proven.",
        fix="Make the steps quicker, or raise `oracle_runtime.episode_timeout_s`.",
    ),
)

_WORKERS = (
    Code(
        name="worker_died",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Pack code ended the process that it runs in: by an exit, a crash, or by using up a limit.",
        why="The episode has no result, and a scorer that runs the same oracle would lose it in the same way.",
        fix="Return a structured error instead of exiting, and stay within the limits on memory and processor time.",
    ),
    Code(
        name="bad_worker_reply",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Something else than an answer came back from a worker: pack code touched the channel.",
        why="Nothing that came after it can be trusted to be what the oracle answered.",
        fix="Do not write to, close or duplicate descriptors that the pack did not open.",
    ),
    Code(
        name="executable_replay_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Pack code raised an exception in the import, in a reset, in a call or in a state read.",
        why="The gold trajectory cannot be executed on the pack's own oracle.",
        fix="Mend the line named here; a tool refuses a call with a structured error, never with an exception.",
    ),
    Code(
        name="non_json_result",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Pack code returned a value that JSON cannot carry, such as a set, a date, NaN or a custom object.",
        why="Results and states are compared, stored and shown to models as JSON.",
        fix="Return objects, arrays, texts, numbers, booleans and null only.",
    ),
    Code(
        name="result_too_large",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A value that pack code gave or was to be given is too long or too deeply nested.",
        why="It would not fit into a model's context, nor into a table.",
        fix="Return what the caller asked for and no more, or page it.",
    ),
)

CODES: Final[tuple[Code, ...]] = (*_DEADLINES, *_WORKERS)

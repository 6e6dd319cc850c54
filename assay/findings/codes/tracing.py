"""Codes of deriving expected calls, and of where their values come from."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="dependent_call_binding_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A `from_result` cannot work as it is written, or the template's policy does not go with it.",
        why="The argument that the task is about would have no value, or the task would test another skill.",
        fix="Name the id of an earlier call of an earlier batch, and a path to a single value in its result.",
    ),
    Code(
        name="every_instance_dropped",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Not one instance of a template got its expected calls.",
        why="The template gives no task at all.",
        fix="Narrow the slots' sources to rows for which the producing call returns what `from_result` reads.",
    ),
    Code(
        name="call_uses_unstated_value",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A call uses a slot's value that the user has not stated before it.",
        why="No model could know the value; whoever scores well has guessed it.",
        fix="State the slot in the opening turn or in a reply before the call, with its placeholder.",
    ),
    Code(
        name="argument_from_nowhere",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="A literal argument stands in no user turn, result, tool description, enum or default before the call.",
        why="It is unclear how a model could come to pass this very value.",
        fix="Let the user state it, or explain it in the tool's description.",
    ),
)

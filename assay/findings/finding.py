"""The types of a finding: its severity, its place, its code and itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from assay.values import JsonObject, digest


class Severity(StrEnum):
    """How much a finding weighs. Only an error keeps a pack from Gold."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Check(StrEnum):
    """The whole-pack checks whose exact set, each passed, makes Gold (ruling 34)."""

    TEMPLATE_TOOL_NAMES = "1"
    TEMPLATE_SLOT_SOURCES = "2"
    BACKEND_SCHEMA_ALIGNMENT = "3"
    ASSERTIONS_IMPORTABLE = "4"
    DECLARED_VALIDATION_CASES = "5"
    CONFIRMATION_POLICY = "6"
    REPRESENTATIVE_GENERATION_CONTRACT = "7"
    MUTATION_DECLARATION = "M1"
    DETERMINISM_CHECK = "D1"
    ERROR_SHAPE = "D2"
    TIMEOUT_WIRING = "T1"
    GOLD_ISOLATION = "I1"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in the pack: a file relative to the pack root, a line and a column, both counted from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A declared kind of finding.

    Attributes:
        name: the code as scripts see it. A name that ends in `:` takes a suffix (`unknown_source_kind:<kind>`).
        severity: how much it weighs unless the place of emission says otherwise.
        check: the whole-pack check that fails when such an error is found; None for faults of loading itself.
        meaning: one sentence: what is wrong.
        why: one sentence: what goes wrong in a benchmark if it stays.
        fix: one imperative sentence: how to mend it.
    """

    name: str
    severity: Severity
    check: Check | None
    meaning: str
    why: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, doubt or remark about a pack.

    Attributes:
        code: a declared code (with its suffix, where the code takes one).
        severity: error, warning or note.
        message: one sentence with the concrete values.
        fix: one sentence: what to do here.
        check: the whole-pack check it counts against, if any.
        place: where in the pack; None only when the fault has no place in any file.
        template_id: with `slot`, `tool`, `case_id`, `task_id` and `assertion`: what it concerns.
        root: the `id` of the finding it follows from; None when it stands by itself.
        detail: structured facts for machines (JSON).
    """

    code: str
    severity: Severity
    message: str
    fix: str
    check: Check | None = None
    place: Place | None = None
    template_id: str | None = None
    slot: str | None = None
    tool: str | None = None
    case_id: str | None = None
    task_id: str | None = None
    assertion: str | None = None
    root: str | None = None
    detail: JsonObject | None = None

    @property
    def id(self) -> str:
        """A short name for this finding, the same in every run over the same pack."""
        facts = self.to_json()
        del facts["root"], facts["severity"]
        return digest(facts)[:12]

    @property
    def is_error(self) -> bool:
        """Whether this finding keeps the pack from Gold."""
        return self.severity is Severity.ERROR

    def following(self, root: Finding) -> Finding:
        """Return this finding, marked as a consequence of another (of the other's own root, if it has one)."""
        return replace(self, root=root.root or root.id)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the flat JSON object of the stable surface; absent facts are null."""
        place = self.place
        return {
            "code": self.code,
            "severity": str(self.severity),
            "message": self.message,
            "fix": self.fix,
            "check": None if self.check is None else str(self.check),
            "file": None if place is None else place.file,
            "line": None if place is None else place.line,
            "column": None if place is None else place.column,
            "template_id": self.template_id,
            "slot": self.slot,
            "tool": self.tool,
            "case_id": self.case_id,
            "task_id": self.task_id,
            "assertion": self.assertion,
            "root": self.root,
            "detail": self.detail,
        }

    def sort_key(self) -> tuple[Any, ...]:
        """Order for reports: by file, line, column, then code, what it concerns, and message."""
        place = self.place or Place("", 0, 0)
        ids = (self.template_id, self.slot, self.tool, self.case_id, self.task_id, self.assertion)
        return (place, self.code, tuple(each or "" for each in ids), self.message)

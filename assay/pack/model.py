"""What a pack says, as typed records.

`assay.pack.load` makes these from files. A model is always complete: where the file is wrong, the loader reports a
finding, puts the field's default here and marks the template `faulty`, so that one fault never hides the next. Stages
check what they can of a faulty template but make no instances from it.

Field rules: the seed on task-template fields, `reference/loading.md` sections 2 and 11, rulings 5-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from assay.pack.document import Anchor
    from assay.values import JsonObject, JsonValue

TURN_POLICIES: Final = (
    "single_turn",
    "missing_slot",
    "confirmation",
    "correction",
    "multi_tool",
    "dependent_call",
    "negative_path",
    "clarify_only",
    "irrelevant",
)
CALL_ORDERS: Final = ("strict", "any", "prefix")
TEXT_MILESTONES: Final = ("ask_for_slot", "ask_confirm", "decline", "final_answer")
MILESTONE_TYPES: Final = ("tool_call", *TEXT_MILESTONES)

LanguageTexts = Mapping[str, str]
"""Language tag -> text. Tags compare exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSource:
    """Where a slot's values come from: `slots.<name>` or one entry of a turn's `slot_updates`.

    Attributes:
        slot: the slot's name.
        source: the `source` text as written; None when absent (reported by binding as `missing_source`).
        filter: the `filter` text; None when absent or null.
        bind_as: for a replacement: the name under which the new value stands in that one turn's text.
    """

    slot: str
    source: Any
    filter: Any = None
    bind_as: str | None = None
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A named value bound during expansion."""

    name: str
    source: SlotSource
    visible_in_first_turn: bool
    label: Mapping[str, Any] | None
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestone:
    """One assistant step: a tool call or a text.

    Attributes:
        index: position in `assistant_milestones`, from 0.
        type: as written, one of `MILESTONE_TYPES` when valid; empty when the file gives no text (reported).
        key: how a simulator turn refers to it exactly: its `id`, or `<type>@<index>` without one.
        call_group: the declared label; None when absent or null.
        content_template: texts by language that override the pack's for this one step.
    """

    index: int
    type: str
    id: str | None
    tool: str | None = None
    args: JsonObject = field(default_factory=dict)
    call_group: int | str | None = None
    slot: str | None = None
    content_template: LanguageTexts | None = None
    at: Anchor = field(repr=False, compare=False)

    @property
    def key(self) -> str:
        """The id, or `<type>@<index>`."""
        return self.id if self.id is not None else f"{self.type}@{self.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorTurn:
    """A user reply that is released after a milestone.

    Attributes:
        index: position in `user_simulator_turns`, from 0 (the *entry index*).
        after: reference to a milestone; None when absent (reported by planning).
        slot_updates: replacements in declaration order; empty when none.
    """

    index: int
    after: str | None
    content_template: LanguageTexts
    slot_updates: tuple[SlotSource, ...] = ()
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrase:
    """Template-level wording guards (`reference/bind-plan-render.md` 3.7)."""

    allowed: bool = False
    max_variants: int | None = None
    must_preserve: tuple[str, ...] = ()
    must_omit: tuple[str, ...] = ()
    must_not_mention: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One conversation shape. Fields as in the seed; `faulty` when loading found an error in it."""

    index: int
    template_id: str
    intent: str | None
    category: str | None
    difficulty: str | None
    turn_policy: str
    mutates: bool
    call_order: str
    call_order_prefix: int | None
    required_tools: tuple[str, ...]
    tools_present: tuple[str, ...]
    slots: tuple[Slot, ...]
    success_assertions: tuple[str, ...]
    user_turn_templates: LanguageTexts
    milestones: tuple[Milestone, ...]
    simulator_turns: tuple[SimulatorTurn, ...]
    assistant_turn_templates: Mapping[str, LanguageTexts]
    paraphrase: Paraphrase
    edge_signatures: tuple[str, ...]
    faulty: bool
    at: Anchor = field(repr=False, compare=False)

    @property
    def bucket(self) -> str:
        """The category whose budget it draws on: `category`, or its own id without one."""
        return self.category or self.template_id

    def slot_named(self, name: str) -> Slot | None:
        """Return the slot of that name, or None."""
        return next((slot for slot in self.slots if slot.name == name), None)

    @property
    def withheld(self) -> tuple[Slot, ...]:
        """Slots that the opening turn must not state, in declaration order."""
        return tuple(slot for slot in self.slots if not slot.visible_in_first_turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One entry of `tools.json`.

    Attributes:
        definition: the entry as written.
        parameters: its parameter schema; empty when it has none that is an object.
        mutates: `x-mutates` is true.
        requires_confirmation: `x-requires-confirmation` is true.
    """

    name: str
    description: str | None
    parameters: JsonObject
    mutates: bool
    requires_confirmation: bool
    definition: JsonObject
    at: Anchor = field(repr=False, compare=False)

    @property
    def required(self) -> tuple[str, ...]:
        """Names in the top-level `required` list."""
        listed = self.parameters.get("required")
        return tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()

    @property
    def properties(self) -> Mapping[str, Any]:
        """Top-level parameters by name."""
        declared = self.parameters.get("properties")
        return declared if isinstance(declared, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationCase:
    """One direct probe of the oracle.

    Attributes:
        id: `case@<index>` when the file gives none (reported).
        tool: empty when the file names none (reported).
        faulty: loading found an error in it; it keeps its position in its chain.
    """

    index: int
    id: str
    tool: str
    arguments: JsonValue
    reset_before: bool
    expect: Mapping[str, JsonValue]
    coverage: str | None
    faulty: bool = False
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationProtocol:
    """How a tool asks for and receives confirmation (manifest `confirmation`)."""

    parameter: str = "confirm"
    status_field: str = "status"
    pending_status: str = "awaiting_confirmation"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """Rows and templates reserved from public benchmarks (`reference/loading.md` 2.6)."""

    version: str
    fixtures: Mapping[str, tuple[str, ...]]
    templates: tuple[str, ...]
    fixtures_in_backend_state: bool
    seed: int
    source: str
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`manifest.yaml`."""

    pack_id: str
    version: str
    description: str | None
    languages: tuple[str, ...]
    default_language: str | None
    clock: str | None
    primary_keys: Mapping[str, str]
    absent_ids: Mapping[str, tuple[JsonValue, ...]]
    confirmation: ConfirmationProtocol
    assistant_turn_templates: Mapping[str, LanguageTexts]
    system_prompt: str | None
    tool_names_exempt: tuple[str, ...]
    at: Anchor = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPaths:
    """The chosen files: role -> path relative to the snapshot root, with forward slashes; None when absent."""

    manifest: str
    tools: str | None
    fixtures: str | None
    templates: str | None
    assertions: str | None
    validation_cases: str | None
    backend: str | None
    endpoint: str | None
    system_prompt: str | None
    held_out: str | None

    def role_of(self, file: str) -> str | None:
        """Return the role that a file plays, or None."""
        return next((role for role in self.__slots__ if getattr(self, role) == file), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBy:
    """What a pack is known by.

    Attributes:
        pack_id: as the manifest has it.
        version: likewise.
        fingerprint: 64 hex digits over all files and their roles (ruling 11).
        part_digests: role (or `tree` for everything) -> digest, for cache keys.
    """

    pack_id: str
    version: str
    fingerprint: str
    part_digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A loaded pack: everything later stages read.

    Attributes:
        root: the read-only snapshot folder.
        fingerprint: see `KnownBy`.
        part_digests: likewise.
        fixtures: collections as in the file; None when the pack has no fixtures.
        tools: in file order, unusable entries left out.
        templates: in file order, entries without a usable id left out.
        unusable: roles whose file could not be read at all; stages that need one are skipped.
    """

    root: Path
    fingerprint: str
    part_digests: Mapping[str, str]
    paths: PackPaths
    manifest: Manifest
    tools: tuple[Tool, ...]
    fixtures: JsonObject | None
    fixtures_at: Anchor | None = field(repr=False, compare=False)
    templates: tuple[Template, ...]
    cases: tuple[ValidationCase, ...]
    held_out: HeldOut | None
    unusable: frozenset[str] = frozenset()

    @property
    def known_by(self) -> KnownBy:
        """What it is known by."""
        return KnownBy(
            pack_id=self.manifest.pack_id,
            version=self.manifest.version,
            fingerprint=self.fingerprint,
            part_digests=self.part_digests,
        )

    def has_usable(self, role: str) -> bool:
        """Say whether the pack has a file in a role and it could be used."""
        return getattr(self.paths, role) is not None and role not in self.unusable

    def tool_named(self, name: str | None) -> Tool | None:
        """Return the tool of that name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def template_named(self, template_id: str) -> Template | None:
        """Return the template of that id, or None."""
        return next((each for each in self.templates if each.template_id == template_id), None)

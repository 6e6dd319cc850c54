"""Task templates: one conversation shape each (the seed on task-template fields; `reference/loading.md` 2.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from assay.findings.spelling import did_you_mean
from assay.pack.fields import Fields
from assay.pack.manifest import read_assistant_texts
from assay.pack.model import CALL_ORDERS, TURN_POLICIES, Paraphrase, Template
from assay.pack.template_parts import read_milestones, read_simulator_turns, read_slots
from assay.pack.wording import described, quoted, spot
from assay.values import shown

if TYPE_CHECKING:
    from assay.pack.collector import Collector
    from assay.pack.document import Document
    from assay.pack.exposure import Catalogue

TEMPLATE_KEYS: Final = (
    "template_id",
    "intent",
    "category",
    "difficulty",
    "turn_policy",
    "mutates",
    "call_order",
    "call_order_prefix",
    "required_tools",
    "tools_present",
    "slots",
    "success_assertions",
    "user_turn_templates",
    "assistant_milestones",
    "user_simulator_turns",
    "assistant_turn_templates",
    "paraphrase",
    "edge_signatures",
)
_ALIAS: Final = "first_turn_templates"
_PARAPHRASE_KEYS: Final = ("allowed", "max_variants", "must_preserve", "must_omit", "must_not_mention")


def read_templates(document: Document, catalogue: Catalogue, found: Collector) -> tuple[Template, ...] | None:
    """Return the templates in file order, entries without a usable id left out; None, reported, for no list at all.

    An empty document is an empty list. Of templates with the same id the later ones are reported and marked faulty.
    """
    top = Fields(data={}, at=document.anchor(), found=found)
    if document.data is not None and not isinstance(document.data, list):
        top.wrong("a list of templates", document.data)
        return None
    if not document.data:
        top.report("no_templates", "The file holds no template.")
    templates: dict[str, Template] = {}
    kept: list[Template] = []
    for index, item in enumerate(document.data or ()):
        template = _read_item(item, index, top, catalogue)
        if template is None:
            continue
        first = templates.setdefault(template.template_id, template)
        if first is not template:
            _report_repeated_id(first, template, found)
            template = replace(template, faulty=True)
        kept.append(template)
    return tuple(kept)


def _report_repeated_id(first: Template, again: Template, found: Collector) -> None:
    where = first.at.place("template_id")
    found.add(
        "duplicate_template_id",
        f"The template id {quoted(again.template_id)} stands here and at {spot(where)}.",
        at=again.at.place("template_id"),
        template_id=again.template_id,
    )


def _read_item(item: Any, index: int, top: Fields, catalogue: Catalogue) -> Template | None:
    """Read one entry of the list. One without a usable id is read to its end, for its findings, and left out."""
    if not isinstance(item, dict):
        message = f"Template {index + 1} must be a mapping, but it is {described(item)}."
        top.report("wrong_type", message, index, detail={"expected": "a mapping", "got": described(item)})
        return None
    errors = top.found.errors
    fields = Fields(data=item, at=top.at[index], found=top.found)
    template_id = fields.identity("template_id") if fields.require("template_id") else None
    if template_id is not None:
        fields = Fields(data=item, at=fields.at, found=fields.found, concerns={"template_id": template_id})
    template = _read_template(index, template_id or "", fields, catalogue)
    if template_id is None:
        return None
    return replace(template, faulty=True) if fields.found.errors > errors else template


def _read_template(index: int, template_id: str, fields: Fields, catalogue: Catalogue) -> Template:
    fields.check_keys((*TEMPLATE_KEYS, _ALIAS))
    fields.refuse_null("paraphrase", "a mapping")
    fields.refuse_null("call_order", f"one of {', '.join(CALL_ORDERS)}")
    turn_policy = _turn_policy(fields)
    required = fields.names("required_tools")
    call_order = _call_order(fields, turn_policy)
    milestones = read_milestones(fields)
    return Template(
        index=index,
        template_id=template_id,
        intent=fields.label_text("intent"),
        category=fields.label_text("category"),
        difficulty=fields.label_text("difficulty"),
        turn_policy=turn_policy,
        mutates=fields.flag("mutates", default=False),
        call_order=call_order,
        call_order_prefix=_call_order_prefix(fields, call_order, len(required)),
        required_tools=tuple(name for _, name in required),
        tools_present=catalogue.expose(fields, required, milestones),
        slots=read_slots(fields),
        success_assertions=_success_assertions(fields),
        user_turn_templates=_user_turns(fields),
        milestones=milestones,
        simulator_turns=read_simulator_turns(fields),
        assistant_turn_templates=read_assistant_texts(fields),
        paraphrase=_paraphrase(fields),
        edge_signatures=tuple(sorted(fields.distinct_names("edge_signatures"))),
        faulty=False,
        at=fields.at,
    )


def _turn_policy(fields: Fields) -> str:
    value = fields.get("turn_policy")
    if isinstance(value, str) and value in TURN_POLICIES:
        return value
    known = ", ".join(TURN_POLICIES)
    if "turn_policy" not in fields:
        fields.report("unknown_turn_policy", f"`turn_policy` is missing; it is one of {known}.")
        return ""
    hint = did_you_mean(value, TURN_POLICIES) if isinstance(value, str) else ""
    message = f"`turn_policy` is {described(value)}; it must be one of {known}.{hint}"
    fields.report("unknown_turn_policy", message, "turn_policy")
    return value if isinstance(value, str) else ""


def _call_order(fields: Fields, turn_policy: str) -> str:
    value = fields.get("call_order")
    if value is not None and value not in CALL_ORDERS:
        hint = did_you_mean(value, CALL_ORDERS) if isinstance(value, str) else ""
        message = f"`call_order` is {described(value)}; it must be one of {', '.join(CALL_ORDERS)}.{hint}"
        fields.report("unknown_call_order", message, "call_order")
        return "strict"
    if turn_policy == "dependent_call" and value not in (None, "strict"):
        message = f"A dependent call needs `call_order: strict`, but it is {shown(value)}."
        fields.report("dependent_call_not_strict", message, "call_order")
    return value or "strict"


def _call_order_prefix(fields: Fields, call_order: str, required: int) -> int | None:
    """Read `call_order_prefix`: how many of the required tools must come first, in order; for `prefix` alone."""
    value = fields.get("call_order_prefix")
    if call_order != "prefix":
        if value is not None:
            message = f"`call_order_prefix` goes with `call_order: prefix` only, but the order is `{call_order}`."
            fields.report("call_order_prefix_invalid", message, "call_order_prefix", key=True)
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= required:
        return value
    wanted = f"a whole number from 1 to {required}, the number of required tools"
    if value is None:
        message = f"`call_order: prefix` needs `call_order_prefix`, {wanted}."
        fields.report("call_order_prefix_invalid", message, "call_order", key=True)
    else:
        message = f"`call_order_prefix` must be {wanted}, but it is {described(value)}."
        fields.report("call_order_prefix_invalid", message, "call_order_prefix")
    return None


def _success_assertions(fields: Fields) -> tuple[str, ...]:
    names = tuple(name for _, name in fields.names("success_assertions"))
    value = fields.get("success_assertions")
    if value is None or value == []:
        what = "is empty" if value == [] else "is missing" if "success_assertions" not in fields else "is null"
        message = f"`success_assertions` {what}: nothing says when this template's tasks are achieved."
        fields.report("template_without_success_assertion", message, "success_assertions", key=True)
    return names


def _user_turns(fields: Fields) -> dict[str, str]:
    """Read the opening turns, from `user_turn_templates` or its older name."""
    if fields.get("user_turn_templates") is None and fields.get(_ALIAS) is not None:
        return fields.texts(_ALIAS)
    if _ALIAS in fields:
        message = f"`{_ALIAS}` is ignored because `user_turn_templates` is given."
        fields.report("ignored_field", message, _ALIAS, key=True)
    fields.require("user_turn_templates")
    return fields.texts("user_turn_templates")


def _paraphrase(fields: Fields) -> Paraphrase:
    below = fields.below("paraphrase", fields.mapping("paraphrase"))
    below.check_keys(_PARAPHRASE_KEYS)
    lists = {name: tuple(each for _, each in below.names(name)) for name in _PARAPHRASE_KEYS[2:]}
    return Paraphrase(
        allowed=below.flag("allowed", default=False), max_variants=below.whole("max_variants", at_least=0), **lists
    )

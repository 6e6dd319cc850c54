"""Conversations from plain template entries, through the real stages before the one under test."""

from dataclasses import dataclass

from assay.pack.model import Pack
from assay.stages.bind import bind_pack
from assay.stages.plan import plan_pack
from assay.stages.records import ConversationPlan, TaskInstance
from tests.support.models import pack, run_config

ASSISTANT = {
    "ask_for_slot": {"en": "What is the {slot_name}?"},
    "ask_confirm": {"en": "Shall I go ahead?"},
    "decline": {"en": "I cannot help with that."},
    "final_answer": {"en": "That is done."},
}


def function(name, /, required=(), description="Does something.", **properties):
    """Return an entry of tools.json; without `required`, every parameter but `confirm` is required."""
    needed = list(required) or [each for each in properties if each != "confirm"]
    parameters = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


PLACE_ORDER = function(
    "place_order",
    required=["order_ref"],
    order_ref={"type": "string"},
    loaves={"type": "integer"},
    finish={"type": "string", "enum": ["glazed", "plain"]},
    confirm={"type": "boolean"},
)


def slot(values, *, visible=True, **facts):
    """Return a slot with a literal source."""
    return {"source": f"literal:{values!r}", "visible_in_first_turn": visible, **facts}


def entry(**fields):
    """Return a template entry that orders bread in one turn; fields replace its own."""
    return {
        "template_id": "bake",
        "turn_policy": "single_turn",
        "required_tools": ["place_order"],
        "success_assertions": ["assert_ordered"],
        "slots": {"order_ref": slot(["ORD-4"]), "loaves": slot([6])},
        "user_turn_templates": {"en": "Order {order_ref}: {loaves} loaves."},
        "assistant_milestones": [
            {"type": "tool_call", "tool": "place_order", "args": {"loaves": "{loaves}"}},
            {"type": "final_answer"},
        ],
        **fields,
    }


def corrected(**fields):
    """Return a template entry in which the user changes the number of loaves before the order."""
    return entry(
        **{
            "template_id": "bake_revised",
            "turn_policy": "correction",
            "assistant_milestones": [
                {"id": "check_one", "type": "ask_confirm"},
                {"id": "check_two", "type": "ask_confirm"},
                {"type": "tool_call", "tool": "place_order", "args": {"loaves": "{loaves}"}},
                {"type": "final_answer"},
            ],
            "user_simulator_turns": [
                {
                    "after": "check_one",
                    "content_template": {"en": "Change to {loaves_next} loaves."},
                    "slot_updates": {"loaves": {"source": "literal:[8]", "bind_as": "loaves_next"}},
                },
                {"after": "check_two", "content_template": {"en": "Yes, that is right."}},
            ],
            **fields,
        }
    )


def asking(**fields):
    """Return a template entry that withholds the number of loaves and asks for it."""
    return entry(
        **{
            "template_id": "ask_amount",
            "turn_policy": "missing_slot",
            "slots": {"order_ref": slot(["ORD-4"]), "loaves": slot([3], visible=False)},
            "user_turn_templates": {"en": "Please place {order_ref}."},
            "assistant_milestones": [
                {"id": "ask", "type": "ask_for_slot"},
                {"type": "tool_call", "tool": "place_order", "args": {"loaves": "{loaves}"}},
                {"type": "final_answer"},
            ],
            "user_simulator_turns": [{"after": "ask", "content_template": {"en": "{loaves}, please."}}],
            **fields,
        }
    )


@dataclass(frozen=True)
class Staged:
    """A pack with its instances bound and planned."""

    pack: Pack
    instances: tuple[TaskInstance, ...]
    plans: tuple[ConversationPlan, ...]


def staged(*entries, tools=(PLACE_ORDER,), tasks=None, assistant=ASSISTANT, **manifest):
    """Bind and plan template entries."""
    made = pack(*entries, tools=tools, assistant_turn_templates=assistant, **manifest)
    bound = bind_pack(made, run_config(tasks))
    return Staged(made, bound.instances, plan_pack(made, bound.instances).plans)

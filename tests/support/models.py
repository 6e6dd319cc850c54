"""Packs and templates built from plain dicts, without files.

`template` and `pack` take what a pack file holds, in the file's own shape, and make the models that the loader would
make of it. Nothing is checked: a wrong value goes where the loader would put it after reporting it. Places come from a
document whose node at path `a.b.0` stands at a line of its own, which `line_of` tells.
"""

from __future__ import annotations

from pathlib import Path

from assay.config import RunConfig, TaskGeneration
from assay.pack.document import Document, NodePlaces
from assay.pack.model import (
    ConfirmationProtocol,
    HeldOut,
    Manifest,
    Milestone,
    Pack,
    PackPaths,
    Paraphrase,
    SimulatorTurn,
    Slot,
    SlotSource,
    Template,
    Tool,
)

TEMPLATES_FILE = "task_templates.yaml"


def document(data, file="doc.yaml"):
    """Return a document in which every node stands at a line of its own; a key stands in column 1, a value in 5."""
    values, keys = {}, {}

    def visit(node, path):
        line = len(values) + 1
        values[path] = (line, 5)
        keys[path] = (line, 1)
        items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for step, below in items:
            visit(below, (*path, step))

    visit(data, ())
    return Document(file, data, lambda: NodePlaces(values, keys))


def line_of(model, *path):
    """Return the line of a node below a model's own."""
    return model.at.document.places.values[(*model.at.path, *path)][0]


def templates(*entries, tools=()):
    """Return the templates of a file with these entries. `tools`: names exposed where an entry leaves them out."""
    file = document(list(entries), TEMPLATES_FILE)
    return tuple(_template(entry, file.anchor(index), index, tuple(tools)) for index, entry in enumerate(entries))


def template(entry=None, /, **fields):
    """Return one template."""
    return templates({**(entry or {}), **fields})[0]


def _template(entry, at, index, tools):
    milestones = tuple(
        _milestone(item, at["assistant_milestones"][number], number)
        for number, item in enumerate(entry.get("assistant_milestones") or ())
    )
    turns = tuple(
        _turn(item, at["user_simulator_turns"][number], number)
        for number, item in enumerate(entry.get("user_simulator_turns") or ())
    )
    return Template(
        index=index,
        template_id=entry.get("template_id", "t"),
        intent=entry.get("intent"),
        category=entry.get("category"),
        difficulty=entry.get("difficulty"),
        turn_policy=entry.get("turn_policy", "single_turn"),
        mutates=entry.get("mutates", False),
        call_order=entry.get("call_order", "strict"),
        call_order_prefix=entry.get("call_order_prefix"),
        required_tools=tuple(entry.get("required_tools", ())),
        tools_present=tuple(entry.get("tools_present", tools)),
        slots=tuple(_slot(name, each, at["slots"][name]) for name, each in (entry.get("slots") or {}).items()),
        success_assertions=tuple(entry.get("success_assertions", ())),
        user_turn_templates=entry.get("user_turn_templates", {}),
        milestones=milestones,
        simulator_turns=turns,
        assistant_turn_templates=entry.get("assistant_turn_templates", {}),
        paraphrase=Paraphrase(**{key: _frozen(value) for key, value in entry.get("paraphrase", {}).items()}),
        edge_signatures=tuple(entry.get("edge_signatures", ())),
        faulty=entry.get("faulty", False),
        at=at,
    )


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value


def _slot(name, entry, at):
    source = SlotSource(slot=name, source=entry.get("source"), filter=entry.get("filter"), at=at)
    visible = entry.get("visible_in_first_turn", True)
    return Slot(name=name, source=source, visible_in_first_turn=visible, label=entry.get("label"), at=at)


def _milestone(entry, at, index):
    return Milestone(
        index=index,
        type=entry.get("type", ""),
        id=entry.get("id"),
        tool=entry.get("tool"),
        args=entry.get("args", {}),
        call_group=entry.get("call_group"),
        slot=entry.get("slot"),
        content_template=entry.get("content_template"),
        at=at,
    )


def _turn(entry, at, index):
    updates = tuple(
        SlotSource(
            slot=name,
            source=each.get("source"),
            filter=each.get("filter"),
            bind_as=each.get("bind_as"),
            at=at["slot_updates"][name],
        )
        for name, each in (entry.get("slot_updates") or {}).items()
    )
    texts = entry.get("content_template", {})
    return SimulatorTurn(index=index, after=entry.get("after"), content_template=texts, slot_updates=updates, at=at)


def tool(entry, at=None):
    """Return the tool of one entry of tools.json."""
    function = entry.get("function", {})
    return Tool(
        name=function["name"],
        description=function.get("description"),
        parameters=function.get("parameters", {}),
        mutates=entry.get("x-mutates", False),
        requires_confirmation=entry.get("x-requires-confirmation", False),
        definition=entry,
        at=at or document(entry, "tools.json").anchor(),
    )


def manifest(**fields):
    """Return a manifest; `absent_ids` as in the file."""
    absent = {
        name: (ids,) if isinstance(ids, str) else tuple(ids) for name, ids in fields.get("absent_ids", {}).items()
    }
    return Manifest(
        pack_id=fields.get("pack_id", "p"),
        version=fields.get("version", "1"),
        description=fields.get("description"),
        languages=tuple(fields.get("languages", ("en",))),
        default_language=fields.get("default_language"),
        clock=fields.get("clock"),
        primary_keys=fields.get("primary_keys", {}),
        absent_ids=absent,
        confirmation=ConfirmationProtocol(**fields.get("confirmation", {})),
        assistant_turn_templates=fields.get("assistant_turn_templates", {}),
        system_prompt=fields.get("system_prompt"),
        tool_names_exempt=tuple(fields.get("tool_names_exempt", ())),
        at=document(fields, "manifest.yaml").anchor(),
    )


def held_out(**fields):
    """Return a held-out policy from `fixtures`, `templates`, `policy`, `version`."""
    policy = fields.get("policy", {})
    return HeldOut(
        version=fields.get("version", "1"),
        fixtures={name: tuple(sorted(map(str, ids))) for name, ids in fields.get("fixtures", {}).items()},
        templates=tuple(sorted(fields.get("templates", ()))),
        fixtures_in_backend_state=policy.get("fixtures_in_backend_state", True),
        seed=policy.get("seed", 0),
        source="held_out.yaml",
        at=document(fields, "held_out.yaml").anchor(),
    )


def pack(*entries, tools=(), fixtures=None, reserved=None, unusable=(), **manifest_fields):
    """Return a pack of template entries.

    Args:
        entries: templates as in the file, or models.
        tools: entries of tools.json.
        fixtures: collections.
        reserved: keyword arguments of `held_out`.
        unusable: roles that could not be read.
        manifest_fields: as in the manifest.
    """
    tool_models = tuple(map(tool, tools))
    models = tuple(each for each in entries if isinstance(each, Template))
    return Pack(
        root=Path("/nowhere"),
        fingerprint="0" * 64,
        part_digests={},
        paths=_paths(),
        manifest=manifest(**manifest_fields),
        tools=tool_models,
        fixtures=fixtures,
        fixtures_at=None if fixtures is None else document(fixtures, "fixtures.json").anchor(),
        templates=models or templates(*entries, tools=[each.name for each in tool_models]),
        cases=(),
        held_out=None if reserved is None else held_out(**reserved),
        unusable=frozenset(unusable),
    )


def _paths():
    files = dict.fromkeys(PackPaths.__slots__)
    return PackPaths(**{**files, "manifest": "manifest.yaml", "templates": TEMPLATES_FILE, "tools": "tools.json"})


def run_config(tasks_per_category=None, *, candidates=None, seed=0, **fields):
    """Return a run config with a budget and a seed."""
    generation = TaskGeneration(tasks_per_category=tasks_per_category, candidate_tasks_per_category=candidates)
    path = Path("/nowhere/manifest.yaml")
    return RunConfig(manifest_path=path, random_seed=seed, task_generation=generation, **fields)

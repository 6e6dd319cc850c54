"""A fleet of packs for trying the batch as a service: mostly sound ones, and some of each kind of trouble.

Every pack is a bundled one under another id: of sound ones half are the corner bank, which shows every part of the
contract, and half the small library, as are troubled ones. What a kind of trouble must come to is stated beside
it, so that a batch can be checked pack by pack and not only counted.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKS: Final = Path(__file__).parents[1] / "packs"
SMALL: Final = "tiny_library"
LARGER: Final = "corner_bank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is changed in a pack, and what that must come to.

    Attributes:
        name: part of the pack's id.
        change: a file, a text that stands in it, and what replaces it.
        status: as `summary.json` has it.
        code: a code that must be among the findings; empty for a pack that comes to no verdict.
    """

    name: str
    change: tuple[str, str, str]
    status: Literal["not_gold", "error"]
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPack:
    """One pack of a fleet: where it lies and what must come of it."""

    folder: Path
    status: Literal["gold", "not_gold", "error"]
    code: str = ""


_CALL: Final = "    return _TOOLS[name](arguments, ctx)"

BROKEN: Final = (
    Trouble(
        name="policy",
        change=("task_templates.yaml", "turn_policy: single_turn", "turn_policy: no_such_policy"),
        status="not_gold",
        code="unknown_turn_policy",
    ),
    Trouble(
        name="placeholder",
        change=("task_templates.yaml", 'book_id: "{book_a}"', 'book_id: "{book_c}"'),
        status="not_gold",
        code="unbound_placeholder",
    ),
    Trouble(
        name="yaml",
        change=("task_templates.yaml", "- template_id: lib_status_single", "- template_id: [lib_status_single"),
        status="not_gold",
        code="yaml_syntax",
    ),
    Trouble(name="json", change=("tools.json", "[", ""), status="not_gold", code="json_syntax"),
    Trouble(
        name="tool",
        change=("task_templates.yaml", "tool: get_book_status}", "tool: get_book_statut}"),
        status="not_gold",
        code="missing_tool",
    ),
    Trouble(
        name="expectation",
        change=("validation_cases.yaml", "title: Algorithms", "title: Analysis"),
        status="not_gold",
        code="result_field_mismatch",
    ),
    Trouble(
        name="clock",
        change=("backend.py", "(ctx.clock + LOAN_PERIOD).date().isoformat()", "__import__('uuid').uuid4().hex"),
        status="not_gold",
        code="nondeterministic_replay",
    ),
    Trouble(
        name="assertion",
        change=("assertions.py", '    called = sorted(entry["tool"]', '    called = [1] or sorted(entry["tool"]'),
        status="not_gold",
        code="assertion_failed",
    ),
    Trouble(
        name="import",
        change=("backend.py", "from copy import deepcopy", "from copy import deepcopyy as deepcopy"),
        status="not_gold",
        code="list_tools_failed",
    ),
    Trouble(
        name="key",
        change=("fixtures.json", '"book_id": "BK-200"', '"book_id": "BK-100"'),
        status="not_gold",
        code="fixture_primary_key_duplicate",
    ),
)
"""Ten ways in which a pack is not right; each is found by another part of assay."""

HANGING: Final = Trouble(
    name="hangs", change=("backend.py", _CALL, '    __import__("time").sleep(4)\n' + _CALL), status="error"
)
"""Every call takes just less than a call may take, so that nothing but the deadline for a pack ends it."""

DEADLY: Final = Trouble(
    name="dies",
    change=("backend.py", _CALL, '    __import__("os")._exit(3)'),
    status="not_gold",
    code="worker_died",
)
"""Every call ends its worker."""


def make_fleet(folder: Path, size: int) -> list[FleetPack]:
    """Write a fleet of packs: a tenth broken, three that hang, two that kill their worker, the others sound.

    Those that hang come first, where they could delay all the others; the rest is spread evenly, so that each shard
    gets its share of trouble.

    Args:
        folder: is made; each pack is a folder in it.
        size: how many packs; at least 16.
    """
    troubles = [*(BROKEN[number % len(BROKEN)] for number in range(max(size // 10, 1))), *[DEADLY] * 2]
    places = {3 + number * (size - 3) // len(troubles): trouble for number, trouble in enumerate(troubles)}
    places |= dict.fromkeys(range(3), HANGING)
    return [_make_pack(folder, number, places.get(number)) for number in range(size)]


def _make_pack(folder: Path, number: int, trouble: Trouble | None) -> FleetPack:
    name = f"pack_{number:03d}_{'sound' if trouble is None else trouble.name}"
    pack = folder / name
    source = LARGER if trouble is None and number // 2 % 2 else SMALL  # in pairs, so that two shards get as many
    shutil.copytree(PACKS / source, pack, ignore=shutil.ignore_patterns("__pycache__"))
    _replace(pack, "manifest.yaml", f"pack_id: {source}", f"pack_id: {name}")
    if trouble is not None:
        _replace(pack, *trouble.change)
    if trouble is None:
        return FleetPack(folder=pack, status="gold")
    return FleetPack(folder=pack, status=trouble.status, code=trouble.code)


def _replace(pack: Path, name: str, old: str, new: str) -> None:
    file = pack / name
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{old!r} does not stand in {name} of the pack")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def wrong_verdicts(fleet: list[FleetPack], summaries: list[dict[str, object]]) -> Iterator[str]:
    """Yield a line for each pack whose entry in the summaries is not what it must be, or is missing."""
    entries = {Path(str(entry["pack"])): entry for summary in summaries for entry in summary["packs"]}  # type: ignore[attr-defined]
    for pack in fleet:
        entry = entries.get(pack.folder)
        if entry is None:
            yield f"{pack.folder.name}: no entry"
        elif entry["status"] != pack.status or (pack.code and pack.code not in entry["codes"]):
            found = f"{entry['status']} {entry['codes']} {entry['error']}"
            yield f"{pack.folder.name}: {found}, not {pack.status} {pack.code}"

"""The table of what hostile packs try, and the small pack in which each module tries it."""

from __future__ import annotations

import py_compile
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.support import pack_files

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent
TABLE = FOLDER / "corpus.yaml"
HERE = re.compile(r"# here\b")

TEMPLATES = """\
- template_id: desk_get_record
  intent: look_up_record
  category: records
  difficulty: easy
  turn_policy: single_turn
  required_tools: [get_record]
  slots:
    record_id:
      source: "fixture:records.record_id"
      visible_in_first_turn: true
  success_assertions: [{assertions}]
  user_turn_templates:
    en: "Show me record {{record_id}}."
  assistant_milestones:
    - {{type: tool_call, tool: get_record}}
    - {{type: final_answer}}
"""
HELD_OUT = """\
version: "1"
fixtures:
  records: [REC-002]
templates: []
policy:
  fixtures_in_backend_state: false
  seed: 7
"""
CONFIG = """\
schema_version: "1.1"
config_status: resolved
family: bfcl
stage: prepare
expt_name: hostile
output_dir: {output}
random_seed: 7
oracle_pack:
  manifest_path: {pack}/manifest.yaml
oracle_runtime:
  clock: "2026-03-02T09:00:00+00:00"
  worker: process
{limits}
lineage:
  policy: strict_separation
task_generation:
  tasks_per_category: 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One line of the table.

    Attributes:
        file: the hostile module.
        finds: codes of the errors that it gets, those that follow from others left out; none for a pack that is Gold.
        seen: what the calls must have reported, where that is the point.
        limits: the deadlines it runs under, by their names in a run config; the others are the usual ones.
        seconds: how long the whole validation may take.
        our_mib: by how much our own process may grow.
        beside: further files of the pack -> where they come from; those that end in `.pyc` are compiled, and `# LONG`
            becomes a comment of a megabyte.
        asserts: the assertions of the template.
        held_out: whether the pack withholds a row.
        mutants: whether the assertions are put to the test as well.
        by_command: run by the real command as well, in a process of its own.
        outlives: meant to be there still when our process is gone; run by the real command alone.
    """

    file: str
    finds: tuple[str, ...] = ()
    seen: Any = None
    limits: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 60
    our_mib: int = 120
    beside: Mapping[str, str] = field(default_factory=dict)
    asserts: tuple[str, ...] = ("assert_record_reported",)
    held_out: bool = False
    mutants: bool = False
    by_command: bool = False
    outlives: bool = False

    @property
    def source(self) -> Path:
        """The module's file."""
        return FOLDER / self.file

    @property
    def tries(self) -> str:
        """What it tries: the module's docstring."""
        return self.source.read_text(encoding="utf-8").split('"""')[1].strip()

    @property
    def role(self) -> str:
        """The file of the pack that it takes the place of."""
        return "backend.py" if self.file.startswith("backends/") else "assertions.py"

    @property
    def line(self) -> int | None:
        """The line at which its finding must stand, where the module marks one."""
        lines = self.source.read_text(encoding="utf-8").splitlines()
        return next((number for number, line in enumerate(lines, 1) if HERE.search(line)), None)


def read_corpus() -> tuple[Attempt, ...]:
    """Return the table."""
    table: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    lists = ("finds", "asserts")
    return tuple(
        Attempt(file=file, **{name: tuple(value) if name in lists else value for name, value in facts.items()})
        for file, facts in table.items()
    )


def write_pack(attempt: Attempt, folder: Path, target: str) -> None:
    """Write the pack in which a module tries what it tries.

    Args:
        attempt: the module and what goes with it.
        folder: where to.
        target: source of the module `target`, which tells it where to aim.
    """
    pack_files.write_pack(
        folder,
        task_templates=TEMPLATES.format(assertions=", ".join(attempt.asserts)),
        fixtures=pack_files.FIXTURES.replace('"second"', '"withheld-row"'),
        held_out=HELD_OUT if attempt.held_out else None,
    )
    for file in (FOLDER / "desk").glob("*.py"):
        shutil.copy(file, folder)
    shutil.copy(attempt.source, folder / attempt.role)
    (folder / "target.py").write_text(target, encoding="utf-8")
    for name, source in attempt.beside.items():
        _put_beside(FOLDER / "beside" / source, folder / name)


def _put_beside(source: Path, file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    if file.suffix == ".pyc":
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), str(file), invalidation_mode=mode, doraise=True)
    else:
        file.write_text(source.read_text(encoding="utf-8").replace("# LONG", f"# {'x' * 10**6}"), encoding="utf-8")


def config_text(attempt: Attempt, pack: Path, output: Path) -> str:
    """Return the run config that a module runs under."""
    limits = "\n".join(f"  {name}: {value}" for name, value in attempt.limits.items())
    return CONFIG.format(pack=pack, output=output, limits=limits)

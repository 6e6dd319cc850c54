"""What an author waits for: `assay validate packs/tiny_library` in a new process, as a multiple of a bare import.

Compared, alternately, several rounds of

* a bare `python -c "import pyarrow.parquet"`, which no run can do without;
* a cold run: a new process and an empty artifact store, so every stage is computed and pack code runs in workers;
* a warm run: a new process and the store that the cold run left, so every stage is served from it.

Modules are compiled beforehand, as after any installation. Ratios are of medians. Where the time goes is told by the
ledger of the same runs, and by processes that import a part of what the command imports.

Run: `python -m benchmarks --only command`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from assay.artifacts.places import ledger_at
from benchmarks.results import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDS: Final = 9
MOST_COLD: Final = 6
MOST_WARM: Final = 3
_HERE: Final = Path(__file__).resolve().parents[1]
_PACK: Final = _HERE / "packs" / "tiny_library"
_COMMAND: Final = "import sys; from flows.command import main; sys.exit(main())"
_IMPORTS: Final = {
    "interpreter": "pass",
    "bare": "import pyarrow.parquet",
    "command": "import pyarrow.parquet, flows.command.validate",
    "stages": (
        "import pyarrow.parquet, flows.command.validate; from pkgutil import resolve_name; "
        "from assay.pipeline import PIPELINE; [resolve_name(each.computation) for each in PIPELINE]; "
        "import assay.oracle.process_engine"
    ),
}
"""What a process imports, each more than the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one process took.

    Attributes:
        seconds: from its start to its end.
        processor: processor time, that of the workers it started included.
    """

    seconds: float
    processor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One of everything.

    Attributes:
        imports: name in `_IMPORTS` -> the process that imports that.
        cold_stages: stage -> seconds, by the ledger of the cold run.
        warm_stages: the same of the warm run.
    """

    imports: Mapping[str, Spent]
    cold: Spent
    warm: Spent
    cold_stages: Mapping[str, float]
    warm_stages: Mapping[str, float]


def figures() -> list[Figure]:
    """Measure."""
    _round()
    rounds = [_round() for _ in range(ROUNDS)]
    bare = _typical([each.imports["bare"] for each in rounds])
    cold, warm = _typical([each.cold for each in rounds]), _typical([each.warm for each in rounds])
    note = f"{1000 * bare.seconds:.0f} ms, the median of {ROUNDS}"
    return [
        Figure(name="cold run / bare import", value=cold.seconds / bare.seconds, unit="x", target=MOST_COLD, note=note),
        Figure(name="warm run / bare import", value=warm.seconds / bare.seconds, unit="x", target=MOST_WARM, note=note),
        _processor("cold run", cold, bare),
        _processor("warm run", warm, bare),
        *_breakdown("cold", cold, rounds, [each.cold_stages for each in rounds], last="stages"),
        *_breakdown("warm", warm, rounds, [each.warm_stages for each in rounds], last="command"),
    ]


def _round() -> Round:
    imports = {name: _spend("-c", code) for name, code in _IMPORTS.items()}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as root:
        cold = _validate(root)
        cold_stages = _stages(root)
        warm = _validate(root)
        return Round(imports=imports, cold=cold, warm=warm, cold_stages=cold_stages, warm_stages=_stages(root))


def _validate(root: str) -> Spent:
    return _spend("-c", _COMMAND, "validate", str(_PACK), "--root", root)


def _spend(*arguments: str) -> Spent:
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, cwd=_HERE, env=_environment(), stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(seconds=seconds, processor=processor)


def _environment() -> dict[str, str]:
    """Return our environment, in which modules are kept compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _stages(root: str) -> dict[str, float]:
    """Return stage -> seconds of the newest run in a store."""
    ledger = ledger_at(root)
    newest = next(ledger.runs())
    return {stage: record["seconds"] for stage, record in ledger.read_stages(newest["run_id"]).items()}


def _typical(spent: Sequence[Spent]) -> Spent:
    return Spent(seconds=median(each.seconds for each in spent), processor=median(each.processor for each in spent))


def _processor(name: str, spent: Spent, bare: Spent) -> Figure:
    note = f"{1000 * spent.processor:.0f} ms; steadier than wall time on a busy machine"
    return Figure(
        name=f"{name} / bare import, processor time", value=spent.processor / bare.processor, unit="x", note=note
    )


def _breakdown(
    kind: str, whole: Spent, rounds: Sequence[Round], stages: Sequence[Mapping[str, float]], *, last: str
) -> list[Figure]:
    """Return where the wall time of a run goes: the medians of its parts, and what they leave."""
    imported = {name: median(each.imports[name].seconds for each in rounds) for name in _IMPORTS}
    parts = {"interpreter": imported["interpreter"], "import pyarrow": imported["bare"] - imported["interpreter"]}
    parts["import the command, the loader, the store"] = imported["command"] - imported["bare"]
    in_stages = {name: median(each[name] for each in stages) for name in stages[0]}
    if last == "stages":
        code = imported["stages"] - imported["command"]
        parts["import what computes the stages"] = code
        in_stages["load"] -= code
    slowest = sorted(in_stages, key=in_stages.__getitem__, reverse=True)[:4] if last == "stages" else []
    parts |= {f"stage {name}": in_stages[name] for name in slowest}
    parts["other stages" if slowest else "all stages"] = sum(
        in_stages[name] for name in in_stages if name not in slowest
    )
    parts["options, report, ledger, end"] = whole.seconds - sum(parts.values())
    return [
        Figure(name=f"{kind}: {name}", value=1000 * seconds, unit="ms", note=f"{seconds / whole.seconds:.0%}")
        for name, seconds in parts.items()
    ]

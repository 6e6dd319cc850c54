"""All stages over 10,000 and over 100,000 instances: does time grow linearly, and does memory stay where it is?

Each run is a process of its own that proves every instance of a pack whose backend does next to nothing
(`benchmarks.scale_pack`), with views and an empty store. Peak memory is that of this process alone, workers left out;
cores in use are the processor seconds of the process and its workers over the wall clock.

Run: `python -m benchmarks.bench_scale [instances ...]`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.runner import RunRequest, carry_out
from benchmarks.results import Figure, lines
from benchmarks.scale_pack import write_scale_pack

SIZES = (10_000, 100_000)
_NOTE = "largest resident set, workers left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one run took.

    Attributes:
        seconds: wall clock of all stages, views and report.
        peak_mb: largest resident set of the orchestrating process.
        cores: processor seconds of it and its workers over `seconds`.
        stages: stage -> seconds.
    """

    instances: int
    status: str
    passed: int
    seconds: float
    peak_mb: float
    cores: float
    stages: dict[str, float]

    @property
    def ms_each(self) -> float:
        """Milliseconds an instance."""
        return 1e3 * self.seconds / self.instances


def measure(instances: int) -> Measured:
    """Run all stages in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.bench_scale", "--child", folder, str(instances)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    facts: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return Measured(**facts)


def run(folder: Path, instances: int) -> Measured:
    """Run all stages in this process."""
    config = write_scale_pack(folder / "pack", instances)
    request = RunRequest(
        config=str(config), root=str(folder / "store"), output_dir=str(folder / "out"), exhaustive=True
    )
    stages: dict[str, float] = {}
    started, spent = time.perf_counter(), _processor_seconds()
    report = carry_out(request, observe=lambda each: stages.update({each.stage: each.seconds}))
    seconds = time.perf_counter() - started
    return Measured(
        instances=instances,
        status=report.status,
        passed=report.stats["n_passed"],
        seconds=seconds,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        cores=(_processor_seconds() - spent) / seconds,
        stages=stages,
    )


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def figures(sizes: tuple[int, ...] = SIZES) -> list[Figure]:
    """Measure each size, and hold the last against the first.

    Raises:
        RuntimeError: when a run did not come to the verdict that the pack deserves, so that its time means nothing.
    """
    measured = [measure(size) for size in sizes]
    for each in measured:
        if (each.status, each.passed) != ("gold", each.instances):
            raise RuntimeError(f"{each.passed} of {each.instances} instances passed, and the pack is {each.status}")
    told = [figure for each in measured for figure in _figures_of(each)]
    if len(measured) > 1:
        first, last = measured[0], measured[-1]
        name = f"all stages, time an instance: {last.instances:,} against {first.instances:,}"
        told.append(Figure(name=name, value=last.ms_each / first.ms_each, unit="x", target=1.2))
    return told


def _figures_of(measured: Measured) -> list[Figure]:
    about = f"all stages, {measured.instances:,} instances"
    slowest = sorted(measured.stages.items(), key=lambda stage: -stage[1])[:4]
    where = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in slowest)
    return [
        Figure(name=f"{about}: time an instance", value=measured.ms_each, unit="ms", target=5.0, note=where),
        Figure(
            name=f"{about}: peak memory of our process", value=measured.peak_mb, unit="MB", target=500.0, note=_NOTE
        ),
        Figure(
            name=f"{about}: cores in use",
            value=measured.cores,
            unit="cores",
            note="processor seconds of us and our workers over the wall clock",
        ),
    ]


def main(sizes: tuple[int, ...]) -> None:
    """Print what `figures` gives."""
    print("\n".join(lines(figures(sizes))))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured = run(Path(sys.argv[2]), int(sys.argv[3]))
        print(json.dumps({name: getattr(measured, name) for name in Measured.__slots__}))
    else:
        main(tuple(map(int, sys.argv[1:])) or SIZES)

"""A night at a site: many packs through Prefect, on PostgreSQL, with two process workers.

Measured are the wall time of the first batch and of a second, unchanged one; what Prefect takes of the first; and peak
memory. The packs are those of `fleet_packs`, and every verdict is checked.

Prefect's share is told in two ways, because the machine may be busy with other things:

* by the clock: the wall time of the batch, from setting it off to its last state, against the same sound packs carried
  out by the direct runner in as many processes and threads. Starting the flow runs and waiting for packs that hang is
  part of it.
* by the processor: what the flow processes, Prefect's server and PostgreSQL used, less what the direct runner's own
  processes did, spread over the cores. Pack code runs in processes of its own and counts in neither.

The deadline for a pack is what an operator might choose who knows that sound ones take about a second. Packs that hang
take it in every batch, for a result that rests on a deadline is not kept.

Run: `python -m benchmarks.bench_fleet [--packs 200]`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from assay.artifacts.ledger import Ledger
from benchmarks.fleet_packs import FleetPack, make_fleet, wrong_verdicts
from benchmarks.fleet_site import Site
from benchmarks.fleet_watch import Usage, Watch
from benchmarks.results import Figure, lines

PACKS: Final = 200
SHARDS: Final = 2
AT_ONCE: Final = 3
DEADLINE_S: Final = 6.0
_LONGEST_BATCH_S: Final = 3600
_QUIET_S: Final = 10
"""Between batches, as nights are apart: the server is still writing down the events of the one before."""
_DIRECT: Final = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from assay.runner import RunRequest, carry_out
root, at_once, *packs = sys.argv[1:]
def prove(pack):
    carry_out(RunRequest(pack=pack, root=root, output_dir=f"{root}/views/{os.path.basename(pack)}"))
with ThreadPoolExecutor(int(at_once)) as threads:
    list(threads.map(prove, packs))
used = os.times()
print(used.user + used.system)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """What the direct runner took for the sound packs: by the clock, and of the processor."""

    wall_s: float
    own_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """What one batch came to.

    Attributes:
        wall_s: from setting it off to the last state of its shards.
        settled_s: from setting it off until every pack that does not hang had its verdict.
        slowest_s: the most that a pack with a verdict took.
        wrong: a line for each verdict that is not what it must be.
        usage: of the site's processes meanwhile.
    """

    wall_s: float
    settled_s: float
    slowest_s: float
    wrong: list[str]
    usage: Usage


def figures(packs: int = PACKS) -> list[Figure]:
    """Measure and return the figures of a fleet."""
    with tempfile.TemporaryDirectory(prefix="assay-fleet-") as folder:
        fleet = make_fleet(Path(folder) / "packs", packs)
        sound = [pack.folder for pack in fleet if pack.status == "gold"]
        alone = direct(Path(folder) / "direct", sound)
        with Site(Path(folder) / "packs") as site:
            site.deploy()
            for number in range(SHARDS):
                site.start_worker(f"worker-{number}")
            first, second = (night(site, fleet) for _ in range(2))
    return [*_figures(packs, first, second), *_shares(packs, len(sound), first, alone)]


def night(site: Site, fleet: list[FleetPack]) -> Night:
    """Set the nightly batch off in shards, wait for it, and check every verdict."""
    time.sleep(_QUIET_S)
    moment = datetime.now(UTC)
    with Watch(site) as watch:
        runs = [
            site.set_off(
                "validate_batch/nightly",
                {"shard": n, "shards": SHARDS, "at_once": AT_ONCE, "deadline_s": DEADLINE_S, "jitter_s": 0},
            )
            for n in range(SHARDS)
        ]
        ended = site.wait_for(runs, _LONGEST_BATCH_S, every_s=1.0)
        usage = watch.usage()
    summaries: list[dict[str, Any]] = [
        json.loads((site.folder / "reports" / f"summary-{n + 1}-of-{SHARDS}.json").read_text()) for n in range(SHARDS)
    ]
    return Night(
        wall_s=max((datetime.fromisoformat(each["end_time"]) - moment).total_seconds() for each in ended),
        settled_s=(_settled(site, summaries) - moment).total_seconds(),
        slowest_s=max(pack["seconds"] for summary in summaries for pack in summary["packs"] if pack["error"] is None),
        wrong=list(wrong_verdicts(fleet, summaries)),
        usage=usage,
    )


def _settled(site: Site, summaries: list[dict[str, Any]]) -> datetime:
    """Return when the last pack that reached a verdict did so."""
    ledger = Ledger(site.folder / "store")
    proven = [pack["run_id"] for summary in summaries for pack in summary["packs"] if pack["status"] != "error"]
    runs = [ledger.read_run(run_id) for run_id in proven]
    return max(datetime.fromisoformat(run["finished"]) for run in runs if run is not None)


def direct(root: Path, packs: list[Path]) -> Direct:
    """Carry packs out by the direct runner, as a batch would share them."""
    began = time.monotonic()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _DIRECT, root, str(AT_ONCE), *packs[shard::SHARDS]],
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            text=True,
        )
        for shard in range(SHARDS)
    ]
    told = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise RuntimeError("the direct runner failed")
    return Direct(wall_s=time.monotonic() - began, own_s=sum(map(float, told)))


def _figures(packs: int, first: Night, second: Night) -> list[Figure]:
    wrong = [*first.wrong, *second.wrong]
    return [
        Figure(
            name="wrong verdicts",
            value=len(wrong),
            unit="",
            target=0,
            note="; ".join(wrong[:3]) or f"of {packs} packs, twice: a tenth broken, 3 hang, 2 kill their worker",
        ),
        Figure(name="first batch, wall", value=first.wall_s, unit="s", note=f"{SHARDS} shards, {AT_ONCE} at once each"),
        Figure(
            name="second, unchanged batch, wall",
            value=second.wall_s,
            unit="s",
            note=f"those that hang take {DEADLINE_S:.0f} s again",
        ),
        Figure(
            name="second batch faster than the first",
            value=first.wall_s / second.wall_s,
            unit="x",
            target=10,
            at_most=False,
        ),
        Figure(
            name="the same until all packs but those that hang had their verdicts",
            value=first.settled_s / second.settled_s,
            unit="x",
            note=f"{first.settled_s:.1f} s and {second.settled_s:.1f} s, starting the flow runs included",
        ),
        Figure(
            name="slowest pack with a verdict, first batch",
            value=first.slowest_s,
            unit="s",
            note=f"from its first stage to its last; the deadline is {DEADLINE_S:.0f} s of work",
        ),
        Figure(
            name="peak memory of a flow process", value=first.usage.largest_flow_mb, unit="MB", note="and its workers"
        ),
        Figure(name="peak memory of Prefect's server", value=first.usage.server_mb, unit="MB"),
    ]


def _shares(packs: int, sound: int, first: Night, alone: Direct) -> list[Figure]:
    cores = len(os.sched_getaffinity(0))
    by_clock = first.wall_s / packs - alone.wall_s / sound
    flows, server, database = (
        each / packs for each in (first.usage.flows_s, first.usage.server_s, first.usage.database_s)
    )
    by_processor = (flows + server + database - alone.own_s / sound) / cores
    return [
        Figure(name="Prefect's share of a pack, by the clock", value=by_clock, unit="s", target=0.2),
        Figure(
            name="Prefect's share of a pack, by the processor",
            value=by_processor,
            unit="s",
            target=0.2,
            note=f"on {cores} cores; seconds of one: flows {flows:.3f} + server {server:.3f} + database {database:.3f} "
            f"- direct {alone.own_s / sound:.3f}",
        ),
        Figure(name="direct runner, a sound pack", value=alone.wall_s / sound, unit="s", note="wall, all cores in use"),
    ]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_fleet", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--packs", type=int, default=PACKS, help=f"how many; {PACKS} when omitted, at least 16")
    found = figures(parser.parse_args().packs)
    print("\n".join(lines(found)))
    return 1 if any(figure.met is False for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())

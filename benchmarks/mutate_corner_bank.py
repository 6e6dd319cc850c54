"""Every single-value mutant of packs/corner_bank: none may crash assay, and few may stay Gold.

Every value of every YAML and JSON file is replaced by each of `null, true, "", 0, -1, [], {}, "x"`. Each mutant is put
through the stages that run no pack code. When these find an error, the mutant is not Gold, whatever the pack's code
does; every other mutant, and of the decided ones one in `--every`, goes through the whole pipeline. `--every 1` proves
all of them so.

Results are kept, one line for each mutant, and a run that was interrupted goes on where it stopped, as long as neither
assay nor the pack has changed. The exit code is 1 when any mutant shows a fault of assay.

Run: `python -m benchmarks.mutate_corner_bank [--processes N] [--every N] [--gold] [--results FILE]`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.artifacts.keys import source_digest
from assay.values import digest
from tests.bad_input.mutants import Laboratory, Mutant, Outcome, describe, mutants_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACK: Final = Path(__file__).resolve().parents[1] / "packs" / "corner_bank"
BATCH: Final = 20
VERDICTS: Final = ("not_gold", "gold", "refused", "fault")


def main() -> int:
    options = _options()
    mutants = list(mutants_of(PACK))
    done = _kept(options.results, mutants)
    clock = time.perf_counter()
    print(f"{len(mutants)} mutants, {len(done)} of them done before", flush=True)
    try:
        _examine_rest(mutants, done, options)
    except KeyboardInterrupt:
        print(f"interrupted; the same command goes on from {options.results}")
        return 1
    outcomes = [done[mutant.name] for mutant in mutants]
    _report(outcomes, time.perf_counter() - clock)
    if options.gold:
        for outcome in outcomes:
            if outcome.verdict == "gold":
                print(describe(outcome))
    return 1 if any(outcome.verdict == "fault" for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--processes", type=int, default=2, help="how many at once")
    parser.add_argument(
        "--every", type=int, default=10, help="of the mutants that screening decides, prove one in so many"
    )
    parser.add_argument("--gold", action="store_true", help="list the mutants that stay Gold")
    parser.add_argument("--results", type=Path, default=Path(".demo/mutants.jsonl"), help="where results are kept")
    return parser.parse_args()


# Results


def _state() -> str:
    """Return a digest of assay and of the pack: kept results are those of the same state."""
    files = sorted(path for path in PACK.iterdir() if path.is_file())
    return digest([source_digest(), *(path.read_bytes().hex() for path in files)])


def _kept(results: Path, mutants: list[Mutant]) -> dict[str, Outcome]:
    """Return the outcomes that an earlier run of the same state has left, by name; begin anew otherwise."""
    state = _state()
    lines = results.read_text().splitlines() if results.exists() else []
    if not lines or json.loads(lines[0]) != {"state": state}:
        results.parent.mkdir(parents=True, exist_ok=True)
        results.write_text(json.dumps({"state": state}) + "\n")
        return {}
    known = {mutant.name for mutant in mutants}
    outcomes = (Outcome(**json.loads(line)) for line in lines[1:] if line.endswith("}"))
    return {each.name: each for each in outcomes if each.name in known}


# Examining


def _examine_rest(mutants: list[Mutant], done: dict[str, Outcome], options: argparse.Namespace) -> None:
    """Examine all mutants that have no outcome yet, several processes at once, and keep each outcome as it comes."""
    rest = [(mutant, _is_drawn(mutant, options.every)) for mutant in mutants if mutant.name not in done]
    with (
        options.results.open("a") as kept,
        ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool,
    ):
        waiting = {pool.submit(_examine, batch) for batch in _batches(rest)}
        try:
            for ended in as_completed(waiting):
                for outcome in ended.result():
                    done[outcome.name] = outcome
                    kept.write(json.dumps(outcome.to_json()) + "\n")
                    if outcome.verdict == "fault":
                        print(f"{describe(outcome)}\n{outcome.fault}", flush=True)
                kept.flush()
                _show_progress(len(done), len(mutants))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _is_drawn(mutant: Mutant, every: int) -> bool:
    """Say whether a mutant is proven even when screening decides it: one in so many, always the same ones."""
    return int(digest(mutant.name)[:8], 16) % every == 0


def _examine(batch: list[tuple[Mutant, bool]]) -> list[Outcome]:
    with Laboratory(PACK) as laboratory:
        return [laboratory.examine(mutant, prove=prove) for mutant, prove in batch]


def _batches(rest: list[tuple[Mutant, bool]]) -> Iterator[list[tuple[Mutant, bool]]]:
    return (rest[start : start + BATCH] for start in range(0, len(rest), BATCH))


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total}")


# The tables


def _report(outcomes: list[Outcome], seconds: float) -> None:
    proven = sum(each.proven for each in outcomes)
    print(f"\n{len(outcomes)} mutants, {proven} through the whole pipeline, in {seconds:.0f} s\n")
    _table("file", ((each.name.partition(" ")[0], each.verdict) for each in outcomes))
    _table("replaced by", ((each.name.rpartition(" = ")[2], each.verdict) for each in outcomes))
    _table("nearest error", ((each.told or "none", each.verdict) for each in outcomes))
    _codes("errors", [each.errors for each in outcomes])
    _codes("warnings", [each.warnings for each in outcomes])
    print("slowest")
    for outcome in sorted(outcomes, key=lambda each: -each.seconds)[:5]:
        print(f"  {describe(outcome)}")


def _table(title: str, cells: Iterable[tuple[str, str]]) -> None:
    counted = Counter(cells)
    rows = sorted({row for row, _ in counted})
    print(f"{title:24}" + "".join(f"{verdict:>10}" for verdict in VERDICTS))
    for row in rows:
        print(f"{row:24}" + "".join(f"{counted[row, verdict]:10}" for verdict in VERDICTS))
    print(f"{'together':24}" + "".join(f"{sum(counted[row, v] for row in rows):10}" for v in VERDICTS) + "\n")


def _codes(title: str, by_outcome: list[dict[str, int]]) -> None:
    """Print code -> in how many mutants it was found, most often first."""
    counted = Counter(code for codes in by_outcome for code in codes)
    print(f"{title}: {len(counted)} codes")
    for code, times in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {times:6}  {code}")
    print()


if __name__ == "__main__":
    sys.exit(main())

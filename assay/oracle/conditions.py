"""The conditions under which a worker runs: what a backend must not depend on, held still or changed on purpose.

Attempt 1 always runs under the same documented conditions and attempt 2 under others (ruling 29), both fixed, so that
two runs over the same pack give the same bytes:

| | attempt 1 | attempt 2 |
| --- | --- | --- |
| hash seed (`PYTHONHASHSEED`) | 0 | 20260 |
| time zone (`TZ`) | 12 hours behind UTC | 14 hours ahead of UTC |
| locale (`LC_ALL`, `LANG`) | `C.UTF-8` | Turkish, German, French or English if installed; else `C`, sorting like one |
| working and temporary folder | `.../a` | `.../b` |
| wall clock | the machine's | 403 days, 5 hours, 7 minutes and 11 seconds ahead |
| order of episodes, and of the assertions over one | as given | reversed, episodes in chunks |

The two time zones never share a calendar day, and the two clocks share no part of a date or time.

A single run that looks for the cause of a divergence holds still what can be held: the wall clock starts at a fixed
instant and moves on by being read (`assay.oracle.worker.wall_clock`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What differs between attempts, but for the order of episodes.

    Attributes:
        hash_seed: seed of `hash()` for text and bytes; 0 switches its randomisation off.
        time_zone: a POSIX `TZ` value, which needs no time-zone database.
        locales: locale names, best first; the first that is installed is taken.
        folder: name of the working folder.
        clock_shift_s: how far the wall clock is ahead of the machine's, in seconds.
        clock_held: the wall clock starts at a fixed instant, `clock_shift_s` later, and moves on by being read.
    """

    hash_seed: int
    time_zone: str
    locales: tuple[str, ...]
    folder: str
    clock_shift_s: int = 0
    clock_held: bool = False

    def environment(self) -> dict[str, str]:
        """Return the whole environment that a worker starts with, but for the place of temporary files."""
        return {
            "PYTHONHASHSEED": str(self.hash_seed),
            "TZ": self.time_zone,
            "LC_ALL": "C.UTF-8",
            "LANG": "C.UTF-8",
        }


FIRST: Final = Conditions(hash_seed=0, time_zone="<-12>12", locales=("C.UTF-8",), folder="a")
SECOND: Final = Conditions(
    hash_seed=20260,
    time_zone="<+14>-14",
    locales=("tr_TR.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "en_US.UTF-8"),
    folder="b",
    clock_shift_s=((403 * 24 + 5) * 60 + 7) * 60 + 11,
)


def of_attempt(attempt: int) -> Conditions:
    """Return the conditions of attempt 1 or 2.

    Raises:
        ValueError: for any other number.
    """
    if attempt not in (1, 2):
        raise ValueError(f"there is no attempt {attempt}")
    return FIRST if attempt == 1 else SECOND


def varied(*, hash_seed: bool, ambient: bool) -> Conditions:
    """Return the conditions of attempt 1 with those of attempt 2 taken over as named, and the wall clock held."""
    surroundings = SECOND if ambient else FIRST
    return Conditions(
        hash_seed=(SECOND if hash_seed else FIRST).hash_seed,
        time_zone=surroundings.time_zone,
        locales=surroundings.locales,
        folder=surroundings.folder,
        clock_shift_s=surroundings.clock_shift_s,
        clock_held=True,
    )

"""What keeps a run from a verdict. The texts are for people."""

from __future__ import annotations


class RunError(Exception):
    """No verdict can be reached."""


class StageCrash(RunError):
    """A stage met a fault of the machine (no space, no memory, a pack that changed). Nothing was cached; try again."""


class NotReproducible(RunError):
    """A stage that was computed again came out as other bytes under the same key: a fault of ours."""


class DeadlinePassed(RunError):
    """The time that the run was given is over. What had finished by then is kept; trying again goes on from there."""

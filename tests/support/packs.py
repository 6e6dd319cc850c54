"""Packs for tests: the small example, and copies of it that differ in one place."""

from __future__ import annotations

import shutil
from pathlib import Path

PACKS = Path(__file__).parents[2] / "packs"
TINY_LIBRARY = PACKS / "tiny_library"


def copy_of_tiny_library(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """Copy the pack to a folder; each change is a file, a text that stands in it, and what replaces it once."""
    shutil.copytree(TINY_LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in changes:
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert old in text, f"{old!r} does not stand in {name}"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


UNKNOWN_POLICY = ("task_templates.yaml", "turn_policy: single_turn", "turn_policy: no_such_policy")

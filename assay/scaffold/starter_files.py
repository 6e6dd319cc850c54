"""The text of every file of a starter.

The files lie under `starter/` as they are read, in layers: `common`, one for the transport, and `held_out` on request;
a file of a later layer takes the place of its namesake. `${name}` stands for one of the words of `_words`
(`string.Template`); a name that is not among them is an error, never left standing.

Nothing here depends on where the pack will lie: equal words give equal bytes on every machine (ruling 12).
"""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

TRANSPORTS: Final = ("python", "endpoint")

# The built-in system prompt is English, and a run in another language may not use it (`reference/bind-plan-render.md`
# 3.2), so a starter in another language brings its own.
_SYSTEM_PROMPT: Final = """
# The built-in prompt is English and only for English. This one is yours to translate.
system_prompt: >-
  You answer requests about records. Use the tools you are given, ask for what is missing, and say so when a request is
  outside of what the tools can do.
"""
_HELD_OUT_KEY: Final = """
# Rows and templates that are kept out of public benchmarks.
held_out: held_out.yaml
"""
_HELD_OUT_ROW: Final = "| `held_out.yaml` | rows and conversations that are kept out of public benchmarks |\n"
_ENDPOINT_NOTE: Final = """
Here they are not Python functions but a service that `endpoint_config.yaml` points to. Its address and digest are
placeholders: until they are real, the pack cannot become Gold.
"""
_ORACLES: Final = {
    "python": {"key": "backend", "file": "backend.py", "role": "a Python backend", "note": ""},
    "endpoint": {
        "key": "endpoint",
        "file": "endpoint_config.yaml",
        "role": "an HTTPS endpoint",
        "note": _ENDPOINT_NOTE,
    },
}


def starter_files(
    *, pack_id: str, version: str, language: str, transport: str, include_held_out: bool
) -> dict[str, str]:
    """Return file name -> text of a starter, in name order.

    Args:
        pack_id: a valid id.
        version: as YAML.
        language: the tag as YAML.
        transport: one of `TRANSPORTS`.
        include_held_out: whether to reserve a row.
    """
    layers = ["common", transport, *(["held_out"] if include_held_out else [])]
    root = files("assay.scaffold") / "starter"
    sources: dict[str, Traversable] = {file.name: file for layer in layers for file in _files_of(root / layer)}
    words = _words(pack_id, version, language, transport, include_held_out)
    return {name: Template(_read(source)).substitute(words) for name, source in sorted(sources.items())}


def _files_of(layer: Traversable) -> list[Traversable]:
    return [file for file in layer.iterdir() if file.is_file()]


def _read(source: Traversable) -> str:
    return source.read_text(encoding="utf-8")


def _words(pack_id: str, version: str, language: str, transport: str, include_held_out: bool) -> dict[str, str]:
    oracle = _ORACLES[transport]
    return {
        "pack_id": pack_id,
        "version": version,
        "language": language,
        "system_prompt": "" if language == "en" else _SYSTEM_PROMPT,
        "oracle_key": oracle["key"],
        "oracle_file": oracle["file"],
        "oracle_role": oracle["role"],
        "oracle_note": oracle["note"],
        "held_out": _HELD_OUT_KEY if include_held_out else "",
        "held_out_row": _HELD_OUT_ROW if include_held_out else "",
    }

"""Derive a pack's `tools.json` from the function docs that the package `bfcl-eval` ships.

The docs describe parameters in words of their own, which are no JSON Schema: `dict` and `float` are Python's names, and
a parameter that may be left out has the text "None" as its default. This script turns them into the published form and
adds what only a person can say: which tools change the state.

    python packs/derive_tools.py           # write
    python packs/derive_tools.py --check   # fail when a tools.json is not what the installed docs give

It lies beside the packs, not in one, because it is no part of what a pack is judged by.
"""

import argparse
import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKS = Path(__file__).parent

# Python's names -> JSON Schema's.
TYPES = {"dict": "object", "float": "number", "tuple": "array"}

# What the shipped docs use. Anything else in a later release is refused, so that somebody looks at it.
KEYWORDS = {"type", "description", "properties", "required", "items", "enum", "default"}


@dataclass(frozen=True)
class Source:
    """Where a pack's tools come from, and which of them change the state."""

    docs: str
    mutating: frozenset[str]


SOURCES = {
    "bfcl_ticket": Source(
        docs="ticket_api.json",
        mutating=frozenset(
            {"create_ticket", "close_ticket", "resolve_ticket", "edit_ticket", "ticket_login", "logout"}
        ),
    ),
}


def docs_folder() -> Path:
    """Return the folder of the installed function docs, without importing the package."""
    spec = importlib.util.find_spec("bfcl_eval")
    if spec is None or spec.origin is None:
        raise SystemExit("bfcl-eval is not installed: pip install --no-deps bfcl-eval")
    return Path(spec.origin).parent / "data" / "multi_turn_func_doc"


def read_docs(path: Path) -> list[dict[str, Any]]:
    """Read one file of function docs: a JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def mend(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter description as JSON Schema of the contract's subset.

    Raises:
        ValueError: for a keyword that this script has not met.
    """
    strange = sorted(schema.keys() - KEYWORDS)
    if strange:
        raise ValueError(f"unknown keywords {strange} in {schema}")
    mended = dict(schema)
    mended["type"] = TYPES.get(schema["type"], schema["type"])
    if "description" in schema:
        mended["description"] = schema["description"].strip()
    if mended.get("default") == "None":
        del mended["default"]  # Python's None in quotes: the parameter is simply not given
    if "items" in schema:
        mended["items"] = mend(schema["items"])
    if mended["type"] == "object":
        mended["properties"] = {name: mend(value) for name, value in schema.get("properties", {}).items()}
        mended["additionalProperties"] = False  # the classes refuse what they do not know
    return mended


def derive(source: Source, docs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools of one pack, in the order of the docs."""
    unknown = source.mutating - {doc["name"] for doc in docs}
    if unknown:
        raise ValueError(f"{source.docs} has no {sorted(unknown)}")
    return [_tool(doc, mutating=doc["name"] in source.mutating) for doc in docs]


def _tool(doc: dict[str, Any], *, mutating: bool) -> dict[str, Any]:
    function = {
        "name": doc["name"],
        "description": doc["description"].strip(),
        "parameters": mend(doc["parameters"]),
    }
    return {"type": "function", **({"x-mutates": True} if mutating else {}), "function": function}


def main(arguments: list[str]) -> int:
    """Write or check every derived file; return the exit code."""
    parser = argparse.ArgumentParser(description="Derive tools.json from the function docs of bfcl-eval.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail when a file is stale")
    checking = parser.parse_args(arguments).check
    stale = 0
    for pack, source in SOURCES.items():
        target = PACKS / pack / "tools.json"
        tools = derive(source, read_docs(docs_folder() / source.docs))
        text = json.dumps(tools, indent=2, ensure_ascii=False) + "\n"
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        if checking:
            stale += 1
            sys.stderr.write(f"{pack}/tools.json is stale: run python packs/derive_tools.py\n")
        else:
            target.write_text(text, encoding="utf-8")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

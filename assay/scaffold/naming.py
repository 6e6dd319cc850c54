"""The words a starter is made of: pack id, version and language tag.

All three end up in YAML, so what they may be is decided here, before a file is written (`reference/loading.md` 13; it
leaves version and language unchecked, which gave starters that could not be read back).
"""

from __future__ import annotations

import json
import re

import yaml

from assay.scaffold.errors import ScaffoldError

_PACK_ID = re.compile(r"[a-z][a-z0-9_]*")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8})*")


def pack_id_of(domain: str) -> str:
    """Return the pack id of a domain: `Harbour Pilots` becomes `harbour_pilots`.

    Raises:
        ScaffoldError: when nothing usable is left, or it would start with a digit.
    """
    pack_id = re.sub(r"[^a-z0-9]+", "_", domain.casefold()).strip("_")
    if not _PACK_ID.fullmatch(pack_id):
        raise ScaffoldError(
            f"domain {domain!r} gives no pack id: it needs a letter a-z first, then letters, digits or separators"
        )
    return pack_id


def version_text(version: str) -> str:
    """Return the version as quoted YAML, so that `0.10` stays `0.10`.

    Raises:
        ScaffoldError: when it is blank.
    """
    if not version.strip():
        raise ScaffoldError("version must not be blank")
    return json.dumps(version)


def language_text(language: str) -> str:
    """Return the language tag as YAML, quoted where YAML would read something else (`no` is a boolean there).

    Raises:
        ScaffoldError: when it is not a tag such as `en` or `pt-BR`.
    """
    if not _LANGUAGE.fullmatch(language):
        raise ScaffoldError(f"language {language!r} is not a tag such as 'en' or 'pt-BR'")
    return language if yaml.safe_load(language) == language else json.dumps(language)

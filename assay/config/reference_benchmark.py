"""`reference_benchmark`: sample conversations that a profile may be drawn from (`reference/loading.md` 11.5).

The samples must be exactly those that the config pins, and must hold nothing that would give gold answers away.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.config import values
from assay.findings import Severity
from assay.pack.bounds import MAX_DOCUMENT_BYTES
from assay.pack.json_reader import read_json
from assay.pack.tree import read_regular_file
from assay.values import digest_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.fields import Fields

_KEYS: Final = ("name", "samples_path", "content_hash")
_HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")
_ORACLE_TRUTH: Final = frozenset(
    (
        "assertion",
        "assertions",
        "assertion_verdict",
        "backend_state",
        "expected_result",
        "expected_tool_calls",
        "oracle_state",
        "success_assertions",
        "tool_calls",
        "tools",
    )
)
_SPEAKERS: Final = ("system", "user", "assistant")


def check_reference_benchmark(fields: Fields, base: Path, roots: tuple[Path, ...], *, required: bool) -> None:
    """Check `reference_benchmark` and the samples that it names.

    Args:
        fields: reader of the whole config.
        base: folder that relative paths count from.
        roots: folders that the samples may lie in.
        required: the profile role is enabled and needs it.
    """
    name = "reference_benchmark"
    if fields.get(name) is None:
        if required:
            values.invalid(fields, name, "is needed by the enabled profile role")
        return
    benchmark = fields.below(name, fields.mapping(name))
    benchmark.check_keys(_KEYS, unknown=Severity.ERROR)
    given = {key: values.nonblank(benchmark, key) for key in _KEYS if benchmark.require(key)}
    content_hash = (given.get("content_hash") or "").lower()
    if given.get("content_hash") and not _HASH.fullmatch(content_hash):
        values.invalid(benchmark, "content_hash", "must be `sha256:` and 64 hexadecimal digits")
    samples_path = given.get("samples_path")
    data = None if samples_path is None else _samples(benchmark, base / samples_path, roots)
    if data is None:
        return
    if _HASH.fullmatch(content_hash) and content_hash != f"sha256:{digest_bytes(data)}":
        values.invalid(benchmark, "content_hash", "is not the hash of the samples file")
    for problem in _sample_problems(data):
        values.invalid(benchmark, "samples_path", problem)


def _samples(benchmark: Fields, path: Path, roots: tuple[Path, ...]) -> bytes | None:
    """Return the bytes of the samples file; None, reported, when it may not or cannot be read."""
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
        values.invalid(benchmark, "samples_path", "lies outside the pack folder and `oracle_runtime.allowed_roots`")
        return None
    try:
        return read_regular_file(real, MAX_DOCUMENT_BYTES)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        values.invalid(benchmark, "samples_path", f"cannot be read: {reason}")
        return None


def _sample_problems(data: bytes) -> Iterator[str]:
    """Yield what is wrong with the samples, line by line."""
    seen: set[str] = set()
    count = 0
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        count += 1
        document, faults = read_json(f"line {number}", line)
        if document is None or faults:
            yield f"holds no usable JSON in line {number}: {faults[0].message}"
        else:
            yield from (f"has {problem} in line {number}" for problem in _problems_of(document.data, seen))
    if not count:
        yield "holds no sample"


def _problems_of(sample: Any, seen: set[str]) -> Iterator[str]:
    if not isinstance(sample, dict):
        yield "no object"
        return
    sample_id = sample.get("sample_id")
    if not (isinstance(sample_id, str) and sample_id):
        yield "no `sample_id`"
    elif sample_id in seen:
        yield f"the `sample_id` `{sample_id}` again"
    else:
        seen.add(sample_id)
    if not (isinstance(sample.get("language"), str) and sample["language"]):
        yield "no `language`"
    tags = sample.get("tags", [])
    if not (isinstance(tags, list) and all(isinstance(tag, str) and tag for tag in tags)):
        yield "`tags` that are no list of texts"
    messages = sample.get("messages")
    if not (isinstance(messages, list) and messages and all(map(_is_message, messages))):
        yield "no `messages` with a role and a text each"
    for key in sorted(_ORACLE_TRUTH & set(_keys_of(sample))):
        yield f"the oracle's truth, `{key}`,"


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") in _SPEAKERS and isinstance(message.get("content"), str)


def _keys_of(value: Any) -> Iterator[str]:
    """Yield all keys, at any depth."""
    if isinstance(value, dict):
        yield from value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _keys_of(part)

"""Packs built by chance and then broken: the small example pack, with one or more of its files damaged."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import strategies as st

from tests.support.packs import TINY_LIBRARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hypothesis.strategies import DrawFn, SearchStrategy

DATA_FILES = ("manifest.yaml", "tools.json", "fixtures.json", "task_templates.yaml", "validation_cases.yaml")
ALL_FILES = (*DATA_FILES, "assertions.py", "backend.py")

_TEXTS = (
    "",
    " ",
    "x",
    "null",
    "caf\u00e9",
    "cafe\u0301",
    "\u0000",
    "\ud800",
    "\u202e",
    "{book_id}",
    "{{",
    "{a.b}",
    "fixture:books.book_id",
    "fixture:books",
    "fixture:.",
    "enum:checkout_book.confirm",
    "literal:[1",
    "literal:" + "[" * 200,
    "range:{'min': 0, 'max': 10, 'step': 0}",
    "range:{'min': 0, 'max': 1000000000000000000000000, 'step': 1}",
    "absent:books",
    "status == ",
    "(" * 300,
    "not " * 300 + "copies == 1",
    "../../../etc/passwd",
    "/dev/zero",
    "0" * 400,
    "1:30",
    "2026-03-02T09:00:00+07:00",
    "9999-12-31T23:59:59-23:59",
)
_NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**299, 10**400, 0.5, -0.0, 1e308, 1e-320)


@cache
def good_files() -> dict[str, bytes]:
    """Return the files of the example pack."""
    return {name: (TINY_LIBRARY / name).read_bytes() for name in ALL_FILES}


@cache
def good_data(name: str) -> Any:
    """Return what a file of the example pack holds."""
    text = good_files()[name].decode()
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def values() -> SearchStrategy[Any]:
    """Return any value that a file can hold, odd ones first."""
    leaves = st.one_of(
        st.none(), st.booleans(), st.sampled_from(_NUMBERS), st.sampled_from(_TEXTS), st.text(max_size=8), st.integers()
    )
    return st.recursive(
        leaves, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(_TEXTS), part, max_size=3)
    )


@st.composite
def broken_packs(draw: DrawFn) -> dict[str, bytes]:
    """Return the files of the example pack, one to three times damaged."""
    files = dict(good_files())
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(ALL_FILES))
        damage = draw(st.sampled_from(_DAMAGES if name in DATA_FILES else _DAMAGES_OF_BYTES))
        damage(draw, files, name)
    return files


# Damages of bytes


def _truncate(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    files[name] = files[name][: draw(st.integers(0, len(files[name])))]


def _insert(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    at = draw(st.integers(0, len(files[name])))
    odd = st.sampled_from(
        [b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\t", b"\xed\xa0\x80", b"&a ", b"*a", b"%", b"---\n"]
    )
    files[name] = files[name][:at] + draw(odd | st.binary(max_size=4)) + files[name][at:]


def _cut_out(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(files[name]))] * 2)))
    files[name] = files[name][:start] + files[name][end:]


def _recode(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    encoding = draw(st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "utf-7"]))
    files[name] = files[name].decode("utf-8", "replace").encode(encoding)


def _remove(_draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    if name != "manifest.yaml":
        files[name] = b""


def _swap(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    """Give a file the contents of another one."""
    files[name] = files[draw(st.sampled_from(ALL_FILES))]


# Damages of data


def _change(draw: DrawFn, files: dict[str, bytes], name: str) -> None:
    """Replace one value, or rename, repeat or remove one key or item."""
    data = json.loads(json.dumps(good_data(name)))
    holder = [data]
    container, step = draw(st.sampled_from([(holder, 0), *_places(data)]))
    draw(st.sampled_from([_replace, _rename, _repeat, _drop]))(draw, container, step)
    text = json.dumps(holder[0] if holder else None, indent=1, ensure_ascii=draw(st.booleans()))
    files[name] = text.encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield value, step
        yield from _places(part)


def _replace(draw: DrawFn, container: Any, step: Any) -> None:
    container[step] = draw(values())


def _rename(draw: DrawFn, container: Any, step: Any) -> None:
    if isinstance(container, dict):
        container[draw(st.sampled_from([f"{step}s", str(step)[1:], str(step).upper(), *_TEXTS]))] = container.pop(step)


def _repeat(_draw: DrawFn, container: Any, step: Any) -> None:
    if isinstance(container, list):
        container.insert(step, container[step])


def _drop(_draw: DrawFn, container: Any, step: Any) -> None:
    del container[step]


_DAMAGES_OF_BYTES: tuple[Callable[[DrawFn, dict[str, bytes], str], None], ...] = (
    _truncate,
    _insert,
    _cut_out,
    _recode,
    _remove,
    _swap,
)
_DAMAGES = (*_DAMAGES_OF_BYTES, *[_change] * 8)

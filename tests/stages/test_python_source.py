from __future__ import annotations

import pytest

from assay.stages.python_source import definition_of, parse_python, place_of


@pytest.mark.parametrize(
    "source",
    [
        b"def f(:\n",
        b"\x00",
        b"# coding: klingon\nx = 1\n",
        b"\xff\xfe\xfa",
        b"(" * 5_000,
        b"-" * 200_000 + b"1",
        b"a." * 100_000 + b"b",
    ],
    ids=["syntax", "nul", "encoding", "bytes", "parentheses", "signs", "attributes"],
)
def test_what_python_cannot_parse_reads_as_none_or_as_a_tree_but_never_raises(tmp_path, source):
    (tmp_path / "pack.py").write_bytes(source)
    tree = parse_python(tmp_path, "pack.py")
    assert tree is None or tree.body


def test_an_absent_file_reads_as_none(tmp_path):
    assert parse_python(tmp_path, "pack.py") is None
    assert parse_python(tmp_path, None) is None


def test_odd_escapes_in_a_pack_warn_nobody(tmp_path):
    (tmp_path / "pack.py").write_text("x = '\\d'\n")
    assert parse_python(tmp_path, "pack.py") is not None


def test_the_last_definition_of_a_name_is_the_one_that_counts(tmp_path):
    (tmp_path / "pack.py").write_text("def f():\n    pass\n\n\n  \ndef f():\n    pass\n")
    tree = parse_python(tmp_path, "pack.py")
    place = place_of("pack.py", definition_of(tree, "f"))
    assert (place.file, place.line, place.column) == ("pack.py", 6, 1)


def test_without_a_definition_the_top_of_the_file_is_the_place():
    place = place_of("pack.py", definition_of(None, "f"))
    assert (place.line, place.column) == (1, 1)

import pytest

from assay.findings import Place
from assay.pack.wording import described, quoted, sentence, spot


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "the number 5"),
        (0.5, "the number 0.5"),
        ("no", 'the text "no"'),
        ([1], "a list"),
        ({}, "a mapping"),
    ],
)
def test_what_a_value_is(value, text):
    assert described(value) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [("a", "`a`"), ("", "``"), ('say "x"', '`say \\"x\\"`'), ("a\nb", "`a\\nb`"), ("đường", "`đường`")],
)
def test_names_stand_on_one_line(name, text):
    assert quoted(name) == text


def test_long_names_are_cut():
    assert quoted("x" * 1000) == f"`{'x' * 56}...`"
    assert len(described("x" * 1000)) < 80


def test_places_and_sentences():
    assert spot(Place("a", 3, 7)) == "line 3, column 7"
    assert sentence("the key") == "The key"
    assert sentence("") == ""

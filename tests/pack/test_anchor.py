from tests.support.models import document

AT = document([{"a": {"b": [None, "x"]}}]).anchor(0)


def test_an_anchor_gives_what_the_file_holds_there():
    assert AT.data("a", "b") == [None, "x"]
    assert AT["a"]["b"].data(1) == "x"
    assert AT.data() == {"a": {"b": [None, "x"]}}


def test_where_the_file_holds_nothing_there_is_nothing():
    for path in (("z",), ("a", "b", 2), ("a", "b", -1), ("a", "b", "x"), ("a", 0), ("a", "b", 0, "deep")):
        assert AT.data(*path) is None

"""Hypothesis strategies: JSON values, and things that stand where a schema is expected, most of them malformed."""

from hypothesis import strategies as st

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)
keywords = st.sampled_from(
    [
        *("type", "enum", "const", "default", "pattern", "minimum", "maxLength", "minItems", "allOf", "$ref"),
        *("properties", "items", "required", "additionalProperties", "$defs", "definitions"),
    ]
)
any_schema = st.recursive(
    st.dictionaries(keywords, json_values, max_size=5),
    lambda inner: (
        st.dictionaries(keywords, inner | json_values | st.lists(inner, max_size=2), max_size=4)
        | st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=2), inner, max_size=2)})
    ),
    max_leaves=6,
)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pack.keys import fixture_ref
from assay.stages.identity import correction_key, identify
from assay.values import digest

QUAY = {
    "pack_id": "ferry_port",
    "pack_version": "2.3",
    "template_id": "quay_lookup",
    "fixture_refs": [fixture_ref("vessels", "V-20"), fixture_ref("berths", "B-7")],
    "bindings": {"hours": 4, "berth": "B-7"},
    "variant_index": 0,
    "global_seed": 19,
}
BANKING = {
    "pack_id": "banking_vn",
    "pack_version": "0.1.0",
    "template_id": "bn_balance_single",
    "fixture_refs": ['["accounts","ACC-1"]'],
    "bindings": {"account_id": "ACC-1"},
    "variant_index": 0,
}


def quay(**changes):
    return identify(**{**QUAY, **changes})


def test_vectors_of_the_reference():
    assert fixture_ref("accounts", "ACC-1") == '["accounts","ACC-1"]'
    first, second = (identify(**BANKING, global_seed=seed) for seed in (0, 42))
    assert first.task_id == second.task_id == "banking_vn__bn_balance_single__67781b7e109118f3"
    assert (first.seed, second.seed) == (15618835674548405326, 2776500159161926243)


def test_vector_with_other_scripts_floats_and_a_correction():
    bindings = {"số": "Đà Nẵng", "n": 5, "f": 1.0, correction_key("n", 0): 7}
    facts = {"pack_id": "p", "pack_version": "1", "template_id": "t", "fixture_refs": []}
    identity = identify(**facts, bindings=bindings, variant_index=0, global_seed=3)
    assert identity.task_id == "p__t__16fe35c5e341114d"


def test_the_digest_covers_exactly_six_facts():
    facts = {**BANKING, "slot_bindings": BANKING["bindings"]}
    del facts["bindings"]
    assert identify(**BANKING, global_seed=0).task_id.endswith(digest(facts)[:16])


def test_order_of_references_and_slots_does_not_matter():
    again = quay(fixture_refs=QUAY["fixture_refs"][::-1], bindings={"berth": "B-7", "hours": 4})
    assert again == quay()


def test_the_id_names_pack_and_template():
    pack_id, template_id, digits = quay().task_id.rsplit("__", 2)
    assert (pack_id, template_id, len(digits)) == ("ferry_port", "quay_lookup", 16)


@pytest.mark.parametrize(
    "change",
    [
        {"variant_index": 1},
        {"pack_id": "other"},
        {"pack_version": "2.4"},
        {"template_id": "other"},
        {"fixture_refs": []},
        {"bindings": {"hours": 4.0, "berth": "B-7"}},
        {"bindings": {"hours": "4", "berth": "B-7"}},
        {"bindings": {"hours": True, "berth": "B-7"}},
    ],
)
def test_any_fact_changes_id_and_seed(change):
    changed = quay(**change)
    assert changed.task_id.rpartition("__")[2] != quay().task_id.rpartition("__")[2]
    assert changed.seed != quay().seed


def test_the_global_seed_changes_the_seed_alone():
    assert quay(global_seed=20).task_id == quay().task_id
    assert quay(global_seed=20).seed != quay().seed


bindings = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.booleans(), max_size=4)


@given(bindings, bindings, st.integers())
def test_equal_bindings_and_only_those_give_equal_ids(one, other, seed):
    first, second = quay(bindings=one, global_seed=seed), quay(bindings=other, global_seed=seed)
    same = {key: (type(value), value) for key, value in one.items()} == {
        key: (type(value), value) for key, value in other.items()
    }
    assert (first == second) is same
    assert 0 <= first.seed < 2**64

import dataclasses

import pytest

from assay.stages.held_out import HeldOutContract, HeldOutContractError, contract_of
from assay.values import digest
from tests.support.models import held_out

A, B = '["ovens","A-1"]', '["ovens","B-2"]'


def contract(**changed):
    facts = {"version": "2", "fixture_refs": (B, A), "template_ids": ("u", "t"), "seed": 7, "source": "held_out.yaml"}
    return HeldOutContract(**{**facts, **changed})


def test_the_contract_of_a_policy_holds_canonical_references_in_order():
    policy = held_out(
        version=" 3 ",
        fixtures={"ovens": ["B-2", "Đ 1"], "a/b": ['q"']},
        templates=["u", "t"],
        policy={"fixtures_in_backend_state": False, "seed": -4},
    )
    made = HeldOutContract.of(policy)
    assert made.version == "3"
    assert made.fixture_refs == ('["a/b","q\\""]', '["ovens","B-2"]', '["ovens","Đ 1"]')
    assert made.template_ids == ("t", "u")
    assert (made.fixtures_in_backend_state, made.seed, made.source) == (False, -4, "held_out.yaml")
    assert made.contract_version == "1.0"


def test_defaults():
    made = HeldOutContract(version="1")
    assert (made.fixture_refs, made.template_ids, made.seed, made.source) == ((), (), 0, None)
    assert made.fixtures_in_backend_state is True


def test_it_cannot_be_changed_and_knows_no_other_fields():
    with pytest.raises(dataclasses.FrozenInstanceError):
        contract().version = "9"
    with pytest.raises(TypeError, match="flavour"):
        contract(flavour="new")


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("version", "", "not blank"),
        ("version", " \t", "not blank"),
        ("version", 1, "not blank"),
        ("fixture_refs", (A, A), "listed twice"),
        ("fixture_refs", ("",), "not blank"),
        ("fixture_refs", ("ovens.A-1",), "no fixture reference"),
        ("fixture_refs", ('["ovens", "A-1"]',), "canonical form"),
        ("fixture_refs", ('["ovens","\\u0110"]',), "canonical form"),
        ("fixture_refs", ('["ovens"," "]',), "canonical form"),
        ("fixture_refs", ('["ovens",1]',), "both texts"),
        ("fixture_refs", ('["ovens","A-1","x"]',), "both texts"),
        ("fixture_refs", ('{"ovens":1,"A-1":2}',), "both texts"),
        ("fixture_refs", ("[" * 100_000,), "no fixture reference"),
        ("fixture_refs", A, "in a list"),
        ("template_ids", ("t", "t"), "listed twice"),
        ("template_ids", (" ",), "not blank"),
        ("template_ids", (None,), "not blank"),
        ("fixtures_in_backend_state", 1, "true or false"),
        ("fixtures_in_backend_state", None, "true or false"),
        ("seed", True, "whole number"),
        ("seed", 1.0, "whole number"),
        ("source", 3, "path"),
        ("contract_version", "1", "1.0"),
        ("contract_version", 1.0, "1.0"),
    ],
)
def test_what_it_refuses(field, value, why):
    with pytest.raises(HeldOutContractError, match=why):
        contract(**{field: value})


def test_queries():
    made = contract()
    assert (made.blocks_template("t"), made.blocks_template("v")) == (True, False)
    assert (made.blocks_fixture(A), made.blocks_fixture('["ovens","C-3"]')) == (True, False)
    assert made.matched_fixture_refs([B, '["ovens","C-3"]', A, B]) == (A, B)
    assert made.matched_fixture_refs([]) == ()


@pytest.mark.parametrize(
    ("refs", "templates", "nothing"), [((), (), True), ((A,), (), False), ((), ("t",), False), ((A,), ("t",), False)]
)
def test_reserving_nothing(refs, templates, nothing):
    assert contract(fixture_refs=refs, template_ids=templates).reserves_nothing is nothing


def test_lineage():
    terms = {
        "contract_version": "1.0",
        "version": "2",
        "fixture_refs": [A, B],
        "template_ids": ["t", "u"],
        "fixtures_in_backend_state": True,
        "seed": 7,
    }
    assert contract().lineage == {
        "contract_version": "1.0",
        "version": "2",
        "source": "held_out.yaml",
        "policy_hash": f"sha256:{digest(terms)}",
        "fixture_ref_count": 2,
        "template_count": 2,
        "fixtures_in_backend_state": True,
        "seed": 7,
    }


def test_the_hash_covers_everything_but_the_source():
    base = contract().lineage["policy_hash"]
    assert contract(source="elsewhere.yaml").lineage["policy_hash"] == base
    assert contract(fixture_refs=(A, B), template_ids=("t", "u")).lineage["policy_hash"] == base
    changed = [
        {"version": "3"},
        {"fixture_refs": (A,)},
        {"template_ids": ("t",)},
        {"fixtures_in_backend_state": False},
        {"seed": 8},
    ]
    hashes = {contract(**each).lineage["policy_hash"] for each in changed}
    assert len(hashes | {base}) == 6


def test_without_a_usable_policy_there_is_no_contract():
    assert contract_of(None) is None
    assert contract_of(held_out(version="")) is None
    assert contract_of(held_out(fixtures={" ": ["A-1"]})) is None
    assert contract_of(held_out()) == HeldOutContract(version="1", source="held_out.yaml")

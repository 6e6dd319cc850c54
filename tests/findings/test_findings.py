import pytest

from assay.findings import REGISTRY, Check, Place, Severity, code_named, finding


def test_every_code_is_explained_in_sentences():
    for code in REGISTRY.values():
        for text in (code.meaning, code.why, code.fix):
            assert text.strip() == text, code.name
            assert " " in text, code.name
            assert text.endswith((".", "!")), f"{code.name}: {text}"


def test_code_names_are_snake_case():
    for name in REGISTRY:
        assert name.removesuffix(":").replace("_", "").isalnum(), name
        assert name == name.lower()


def test_an_undeclared_code_cannot_be_emitted():
    with pytest.raises(KeyError):
        finding("no_such_code", "something is wrong")


def test_a_finding_takes_severity_check_and_fix_from_its_code():
    made = finding("internal_error", "stage bind broke down", at=Place("a.yaml", 3, 7), template_id="t")
    assert (made.severity, made.check, made.fix) == (Severity.ERROR, None, code_named("internal_error").fix)
    assert made.to_json()["file"] == "a.yaml"
    assert (made.to_json()["line"], made.to_json()["column"]) == (3, 7)


def test_a_consequence_points_to_the_first_cause():
    root = finding("internal_error", "first")
    second = finding("internal_error", "second").following(root)
    third = finding("internal_error", "third").following(second)
    assert second.root == root.id
    assert third.root == root.id


def test_the_id_of_a_finding_does_not_depend_on_what_it_follows():
    root = finding("internal_error", "first")
    assert finding("internal_error", "x").following(root).id == finding("internal_error", "x").id
    assert finding("internal_error", "x").id != finding("internal_error", "y").id


def test_findings_sort_by_place_then_code():
    late = finding("internal_error", "late", at=Place("b.yaml", 1, 1))
    early = finding("internal_error", "early", at=Place("a.yaml", 10, 1))
    nowhere = finding("internal_error", "nowhere")
    assert sorted([late, early, nowhere], key=lambda each: each.sort_key()) == [nowhere, early, late]


def test_check_ids_are_those_of_the_contract():
    assert [str(check) for check in Check] == ["1", "2", "3", "4", "5", "6", "7", "M1", "D1", "D2", "T1", "I1"]

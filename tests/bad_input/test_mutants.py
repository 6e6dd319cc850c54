"""A sample of the mutants of the corner bank; `make mutants` examines them all."""

import random
from pathlib import Path

import pytest

from tests.bad_input.mutants import REPLACEMENTS, Laboratory, Mutant, mutants_of
from tests.support.packs import PACKS

CORNER_BANK = PACKS / "corner_bank"
SEED = 20260302
SAMPLE = 60
SHARES = 6
SLOWEST_S = 30.0


@pytest.fixture(scope="module")
def mutants():
    return list(mutants_of(CORNER_BANK))


def test_there_are_thousands_of_different_ones(mutants):
    names = {mutant.name for mutant in mutants}
    assert len(names) == len(mutants) > 10_000
    assert {mutant.file for mutant in mutants} == {
        each.name for each in CORNER_BANK.iterdir() if each.suffix in (".yaml", ".json")
    }
    assert {repr(mutant.replacement) for mutant in mutants} == set(map(repr, REPLACEMENTS))


@pytest.mark.parametrize("share", range(SHARES))
def test_no_mutant_of_the_sample_shows_a_fault_of_assay(mutants, share):
    sample = random.Random(SEED).sample(mutants, SAMPLE)
    with Laboratory(CORNER_BANK) as laboratory:
        outcomes = [laboratory.examine(mutant) for mutant in sample[share::SHARES]]
    assert [outcome.fault for outcome in outcomes if outcome.fault] == []
    assert {outcome.verdict for outcome in outcomes} <= {"gold", "not_gold", "refused"}
    assert max(outcome.seconds for outcome in outcomes) < SLOWEST_S
    assert all(outcome.told for outcome in outcomes if outcome.verdict == "not_gold")


@pytest.mark.parametrize(
    ("mutant", "verdict", "code"),
    [
        (Mutant("tools.json", (0, "function", "name"), 0), "not_gold", "tool_name_not_nonempty_string"),
        (Mutant("task_templates.yaml", (0, "assistant_milestones", 0, "type"), ""), "not_gold", "wrong_type"),
        (Mutant("manifest.yaml", (), []), "not_gold", "wrong_type"),
        (Mutant("validate.yaml", ("expt_name",), ""), "refused", "wrong_type"),
        (Mutant("manifest.yaml", ("description",), "x"), "gold", None),
    ],
)
def test_outcomes_that_are_known(mutant, verdict, code):
    with Laboratory(CORNER_BANK) as laboratory:
        outcome = laboratory.examine(mutant)
    assert (outcome.verdict, outcome.fault) == (verdict, None)
    assert outcome.told == ("there" if code else None)
    assert code is None or code in outcome.errors


def test_the_copy_is_whole_again_after_each_mutant():
    before = {file.name: file.read_bytes() for file in CORNER_BANK.iterdir() if file.is_file()}
    with Laboratory(CORNER_BANK) as laboratory:
        laboratory.examine(Mutant("tools.json", (), None))
        after = {file.name: file.read_bytes() for file in laboratory.pack.iterdir()}
        home = Path(laboratory.pack)
    assert after == before
    assert not home.exists()

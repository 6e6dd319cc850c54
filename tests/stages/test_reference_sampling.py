"""Why the sampled sets of the reference are not ours.

The reference's sampler is restated here in a few lines, so that its vectors can be shown to hold for it and to break
ruling 15 (a larger budget's set contains the smaller one's, values spread evenly), which ranks above the reference.
What both share, the permutation and the plain order below the budget, is tested on our own code.
"""

from __future__ import annotations

from itertools import islice

from assay.pack.candidates import Candidate
from assay.stages.combinations import Combinations, Position
from assay.stages.sampling import candidate_material, seeded_walk


def reference_sample(candidates, cap, seed=0):
    """Draw as the reference does: extend position by position, sampling whenever there is more than the cap."""
    drawn = [()]
    for position, options in enumerate(candidates):
        if len(drawn) * len(options) <= cap:
            drawn = [(*before, option) for before in drawn for option in options]
            continue
        material = {"seed": candidate_material("t", seed, position)["seed"], "kind": "combinations"}
        order = list(seeded_walk(len(drawn), material))
        walks = {index: seeded_walk(len(options), candidate_material("t", seed, position, index)) for index in order}
        rounds = ((index, turn) for turn in range(len(options)) for index in order)
        drawn = [(*drawn[index], options[walks[index][turn]]) for index, turn in islice(rounds, cap)]
    return drawn


def words(drawn):
    return ["".join(map(str, each)) for each in drawn]


def ours(candidates, cap, seed=0):
    positions = [
        Position(slot=f"s{index}", candidates=tuple(map(Candidate, each))) for index, each in enumerate(candidates)
    ]
    space = Combinations(positions, template_id="t", seed=seed)
    return [tuple(each[index] for each, index in zip(candidates, chosen, strict=True)) for chosen in islice(space, cap)]


LETTERS = ("abc", (1, 2, 3))


def test_the_restated_sampler_meets_the_vectors():
    assert words(reference_sample(LETTERS, 9)) == ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
    assert words(reference_sample(LETTERS, 4)) == ["c1", "b1", "a3", "c2"]
    assert words(reference_sample(LETTERS, 1)) == ["c3"]
    assert words(reference_sample(LETTERS, 4, seed=1)) == ["a2", "b1", "c2", "a1"]
    assert words(reference_sample(("abcde", (1, 2, 3, 4)), 6)) == ["d2", "c2", "b1", "a1", "e4", "d3"]


def test_its_sets_are_not_nested_so_ruling_15_replaces_it():
    small, large = ({*words(reference_sample(LETTERS, cap))} for cap in (1, 4))
    assert not small <= large
    small, large = ({*ours(LETTERS, cap)} for cap in (1, 4))
    assert small <= large


def test_its_values_are_not_spread_evenly_so_ruling_15_replaces_it():
    axes = (range(40), range(30), range(20))
    for sample, distinct in ((reference_sample, [40, 23, 20]), (ours, [40, 30, 20])):
        drawn = sample(axes, 48)
        assert [len({each[axis] for each in drawn}) for axis in range(3)] == distinct


def test_below_the_budget_both_draw_everything():
    assert sorted(words(ours(LETTERS, 9))) == words(reference_sample(LETTERS, 9))

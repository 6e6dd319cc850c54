"""What every hostile module tries comes to the finding of the table, in the time and memory that it is allowed."""

from __future__ import annotations

import pytest

from tests.hostile.corpus import FOLDER, read_corpus
from tests.hostile.trial import try_it

CORPUS = read_corpus()
IN_PROCESS = [each for each in CORPUS if not each.outlives]


@pytest.mark.parametrize("attempt", IN_PROCESS, ids=[each.file for each in IN_PROCESS])
def test_it_gets_its_finding_and_nothing_outside_has_changed(attempt, tmp_path):
    trial = try_it(attempt, tmp_path)
    told = [f"{each.code} {each.place} {each.message}" for each in trial.report.findings]
    assert trial.finds == attempt.finds, told
    assert trial.report.status == ("not_gold" if attempt.finds else "gold"), told
    if attempt.line is not None:
        assert attempt.line in trial.places(attempt.role), told
    if attempt.seen is not None:
        assert trial.seen == [attempt.seen]
    assert trial.seconds < attempt.seconds
    assert trial.grown_mib < attempt.our_mib


def test_there_are_at_least_sixty_and_every_module_is_in_the_table():
    paths = [*FOLDER.glob("backends/*.py"), *FOLDER.glob("assertions/*.py")]
    modules = {path.relative_to(FOLDER).as_posix() for path in paths}
    assert {each.file for each in CORPUS} == modules
    assert len(modules) >= 60


def test_every_module_says_what_it_tries_and_no_two_try_the_same():
    told = [(each.role, each.tries) for each in CORPUS]
    assert all(tries.endswith(".") for _, tries in told)
    assert len(set(told)) == len(told)


def test_what_a_deadline_ends_has_a_short_one():
    for each in IN_PROCESS:
        if any(code.endswith("_timeout") for code in each.finds):
            assert each.limits, each.file
            assert max(each.limits.values()) <= 2, each.file

"""Two runs of one pack on one store at once, from an empty store on."""

from __future__ import annotations

from tests.faults.driver import ENDED, last_word, require_recovery, running


def test_two_runs_at_once_leave_what_one_leaves(undisturbed, tmp_path):
    with running(tmp_path) as (_, one), running(tmp_path) as (_, other):
        assert [last_word(one), last_word(other)] == [ENDED, ENDED]
    assert require_recovery(tmp_path, undisturbed) == set()
    assert not list(tmp_path.rglob("*.tmp"))

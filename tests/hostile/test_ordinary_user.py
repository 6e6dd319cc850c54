"""What confinement refuses root, it refuses an ordinary user as well: the same attempts, the same answers.

The tests run as root in some places and as an ordinary user in others. Here root takes the part of an ordinary user,
in a user namespace in which he has no privileges.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.corpus import read_corpus
from tests.oracle.test_engine_itself import _can_become_an_ordinary_user, as_ordinary_user

REFUSALS = ("PermissionError", "OSError", "-1")
SAME_FOR_ALL = [each for each in read_corpus() if any(word in json.dumps(each.seen) for word in REFUSALS)]
PROGRAM = """
import json, sys
from pathlib import Path
from tests.hostile.corpus import read_corpus
from tests.hostile.trial import try_it

for attempt in read_corpus():
    if attempt.file in sys.argv[2:]:
        folder = Path(sys.argv[1], attempt.file)
        folder.mkdir(parents=True)
        trial = try_it(attempt, folder)
        print(json.dumps([attempt.file, trial.finds, trial.seen]), flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="whoever runs this is an ordinary user already")
@pytest.mark.skipif(not _can_become_an_ordinary_user(), reason="no user namespaces here")
@pytest.mark.parametrize("part", range(2))
def test_an_ordinary_user_is_refused_the_same(tmp_path, part):
    asked = SAME_FOR_ALL[part::2]
    command = as_ordinary_user(sys.executable, "-c", PROGRAM, str(tmp_path), *(each.file for each in asked))
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert told.returncode == 0, told.stderr[-3000:]
    answers = {file: (tuple(finds), seen) for file, finds, seen in map(json.loads, told.stdout.splitlines())}
    assert answers == {each.file: (each.finds, [each.seen]) for each in asked}

"""Exports a mapping that has another callable under the name each time somebody looks."""

import itertools
from collections.abc import Mapping


class Shifting(Mapping):
    times = itertools.count()

    def __len__(self):
        return 1

    def __iter__(self):
        return iter(("assert_record_reported",))

    def __getitem__(self, name):
        return None if next(self.times) % 2 else (lambda **evidence: None)


ASSERTIONS = Shifting()
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}

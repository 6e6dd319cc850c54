"""Returns a mapping that says something else each time it is asked."""

import itertools


class Riddle(dict):
    times = itertools.count()

    def get(self, name, default=None):
        return "not_applicable" if name == "status" else next(self.times)


def assert_record_reported(*, state, trace, task, ctx):
    return Riddle()


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}

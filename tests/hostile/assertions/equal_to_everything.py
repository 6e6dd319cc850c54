"""Compares with an object that equals everything: it can never fail."""


class Any:
    def __eq__(self, other):
        return True

    __hash__ = None


def assert_record_reported(*, state, trace, task, ctx):
    assert trace == Any()


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}

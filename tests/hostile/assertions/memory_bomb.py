"""Takes all memory while it judges."""


def assert_record_reported(*, state, trace, task, ctx):
    kept = []
    while True:
        kept.append(bytes(64 * 1024**2))  # here


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}

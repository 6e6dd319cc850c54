from assay.checks.strength import Strength, summarise_strength
from assay.stages.records import JudgedMutant, MutantOutcome
from assay.values import ABSENT


def mutant(index, *statuses, template="t", kind="drop_call"):
    return JudgedMutant(
        task_id=f"{template}__0",
        template_id=template,
        index=index,
        kind=kind,
        call_index=index,
        tool="pay",
        path="$.a",
        before=ABSENT,
        after=ABSENT,
        outcomes=tuple(
            MutantOutcome(assertion=f"assert_{position}", status=status) for position, status in enumerate(statuses)
        ),
    )


def test_killed_of_total_for_each_template_and_each_assertion():
    found = summarise_strength(
        [
            mutant(0, "passed", "failed"),
            mutant(1, "passed", "passed", kind="change_result"),
            mutant(2, "undecided", "passed"),
            mutant(3, "undecided", "infrastructure_error"),
            mutant(4),
            mutant(0, "not_applicable", template="u"),
        ],
        measured=True,
    )
    assert found.to_json() == {
        "measured": True,
        "killed": 3,
        "total": 6,
        "templates": [
            {
                "template_id": "t",
                "task_id": "t__0",
                "killed": 2,
                "total": 5,
                "undecided": 2,
                "assertions": [
                    {"assertion": "assert_0", "killed": 0, "total": 2},
                    {"assertion": "assert_1", "killed": 2, "total": 4},
                ],
                "survivors": ["change result field $.a of call 1 (pay)"],
            },
            {
                "template_id": "u",
                "task_id": "u__0",
                "killed": 1,
                "total": 1,
                "undecided": 0,
                "assertions": [{"assertion": "assert_0", "killed": 1, "total": 1}],
                "survivors": [],
            },
        ],
    }


def test_survivors_that_no_call_touched_are_not_overlooked():
    found = summarise_strength(
        [mutant(0, "passed"), mutant(1, "passed", kind="change_untouched"), mutant(2, "failed")], measured=True
    )
    (only,) = found.templates
    assert (only.killed, only.total, len(only.survivors), only.overlooked) == (1, 3, 2, 1)


def test_nothing_measured_is_not_everything_killed():
    assert summarise_strength([], measured=False) == Strength()
    assert Strength().to_json() == {"measured": False, "killed": 0, "total": 0, "templates": []}

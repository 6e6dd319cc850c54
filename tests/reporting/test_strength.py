from assay.checks.strength import AssertionStrength, Strength, TemplateStrength
from assay.reporting.strength import strength_lines


def template(name, killed, total, *, untouched=0, undecided=0, idle=()):
    left = [f"drop call {index}" for index in range(total - killed - undecided)]
    assertions = [AssertionStrength(assertion=each, killed=0, total=total) for each in idle]
    return TemplateStrength(
        template_id=name,
        task_id=f"{name}__0",
        killed=killed,
        total=total,
        undecided=undecided,
        assertions=(AssertionStrength(assertion="assert_x", killed=killed, total=total), *assertions),
        survivors=tuple(left),
        overlooked=len(left) - untouched,
    )


def lines_of(*templates, measured=True):
    return [line.plain.strip() for line in strength_lines(Strength(measured=measured, templates=templates))]


def test_all_killed_is_one_line():
    assert lines_of(template("t", 4, 4)) == ["assertion strength: 4 of 4 wrong replays (mutants) killed"]


def test_survivors_are_named_and_what_never_fails():
    assert lines_of(template("borrow", 14, 16, idle=["assert_y"])) == [
        "assertion strength: 14 of 16 wrong replays (mutants) killed",
        "borrow 14/16; survivors: drop call 0, drop call 1; never fails: assert_y",
    ]


def test_the_weakest_come_first_and_the_lines_are_bounded():
    text = lines_of(*(template(f"t{number}", number, 10) for number in (9, 3, 8, 5, 2, 10)))
    assert [line.split(";")[0] for line in text[1:]] == [
        "t2 2/10",
        "t3 3/10",
        "t5 5/10",
        "... and 2 more templates with survivors",
    ]
    assert text[1].endswith("survivors: drop call 0, drop call 1, drop call 2 and 5 more")


def test_what_was_not_decided_is_told():
    assert lines_of(template("t", 1, 4, undecided=3))[1] == "t 1/4; undecided: 3"


def test_no_evidence_is_no_section_and_no_mutants_are_told():
    assert lines_of() == []
    assert lines_of(measured=False) == ["assertion strength: not measured, mutants were left out"]


def test_survivors_that_no_call_touched_are_counted_and_not_named():
    text = lines_of(template("t", 8, 10, untouched=2), template("u", 5, 8, untouched=2))
    assert text == [
        "assertion strength: 13 of 18 wrong replays (mutants) killed",
        "u 5/8; survivors: drop call 0",
    ]

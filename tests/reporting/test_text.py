from assay.checks.report import Report, judge_checks
from assay.findings import Place, Severity, finding
from assay.reporting import render_report

LINES = {("templates.yaml", 3): "    source: 5", ("templates.yaml", 9): "x" * 300 + "HERE" + "y" * 300}


def lines_of(*findings):
    ordered = tuple(sorted(findings, key=lambda each: each.sort_key()))
    report = Report(
        pack_id="bank",
        pack_version="1",
        pack_fingerprint="f",
        checks=judge_checks(ordered, {}, ()),
        findings=ordered,
        stats={"n_templates": 1, "n_assertions": 1, "n_tools": 1, "n_passed": 2, "n_proven": 3},
    )
    return [line.plain for line in render_report(report, lambda place: LINES.get((place.file, place.line)))]


def wrong(message, place=None, **more):
    return finding("internal_error", message, at=place, **more)


def test_a_finding_is_shown_under_its_file_with_the_source_under_a_caret():
    text = lines_of(wrong("no source", Place("templates.yaml", 3, 13), fix="Write one."))
    start = text.index("templates.yaml")
    assert text[start + 1 : start + 6] == [
        "  3:13    error   internal_error",
        "          no source",
        "          |     source: 5",
        "          |             ^",
        "          fix: Write one.",
    ]


def test_a_long_line_is_cut_around_the_column():
    text = lines_of(wrong("x", Place("templates.yaml", 9, 301)))
    source, caret = (next(line for line in text if mark in line) for mark in ("HERE", "^"))
    assert len(source) < 130
    assert source.index("HERE") == caret.index("^")


def test_consequences_are_folded():
    root = wrong("root", Place("a.yaml", 1, 1))
    text = lines_of(root, wrong("follows", Place("b.yaml", 1, 1)).following(root))
    assert "b.yaml" not in text
    assert "          1 further finding follows from this one" in text


def test_many_findings_of_one_code_are_counted_not_listed():
    text = lines_of(*(wrong(f"number {index}", Place("a.yaml", index + 1, 1)) for index in range(30)))
    assert sum("number" in line for line in text) == 8
    assert "  ... and 22 more of internal_error" in text


def test_the_last_line_is_the_verdict():
    assert lines_of()[-1] == "GOLD  bank 1: 2 of 3 tasks proven, 0 errors, 0 warnings, 0 notes"
    assert lines_of(wrong("x"))[-1].startswith("NOT GOLD  bank 1 (silver): 2 of 3 tasks proven, 1 error, 0 warnings")


def test_warnings_do_not_take_gold_away():
    assert lines_of(wrong("x", severity=Severity.WARNING))[-1].startswith("GOLD")


def test_control_characters_are_shown_as_pictures():
    text = lines_of(wrong("a\x1b[31m\nb\u202ec\x7f\x9b[/red]", Place("x\ty", 1, 1)))
    assert "          a\u241b[31m\u240ab\ufffdc\u2421\ufffd[/red]" in text
    assert "x\u2409y" in text

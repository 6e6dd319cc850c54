"""Broken packs by the hundred: whatever the damage, there is a report, the same every time, with places that exist."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings

from assay.runner import RunRequest, validate
from tests.bad_input.mutants import screen
from tests.bad_input.strategies import broken_packs, good_files

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


def write(files, folder):
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def in_a_folder(files, act):
    """Write a pack where nothing else is, and let a function look at it; examples would share pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="assay-broken-") as home:
        write(files, Path(home, "pack"))
        return act(Path(home, "pack"), Path(home, "store"))


def screened(folder, store):
    found = []
    for _ in range(2):
        found.append(screen(RunRequest(pack=str(folder), root=str(store))))
        shutil.rmtree(store)
    assert found[0] == found[1]
    return found[0]


def assert_sound(findings, files):
    """Every finding is no bug of ours, can be written, and stands at a place that exists."""
    for each in findings:
        assert each.code != "internal_error", each.detail
        for text in (each.message, each.fix, each.place.file if each.place else ""):
            text.encode()
            assert "\0" not in text
        if each.place is not None and each.place.file in files:
            lines = (
                files[each.place.file].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
            )
            assert 1 <= each.place.line <= len(lines)
            assert 1 <= each.place.column <= len(lines[each.place.line - 1]) + 2


@given(files=broken_packs())
@settings(max_examples=60, suppress_health_check=QUIET)
@example(files=good_files())
def test_stages_that_run_no_pack_code_bear_whatever_is_broken(files):
    _, findings = in_a_folder(files, screened)
    assert_sound(findings, files)


@given(files=broken_packs())
@settings(max_examples=6, suppress_health_check=QUIET)
def test_the_whole_pipeline_bears_whatever_is_broken(files):
    report = in_a_folder(files, lambda folder, store: validate(folder, root=store))
    assert report.status in ("gold", "not_gold")
    assert_sound(report.findings, files)

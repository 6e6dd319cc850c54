"""Parts that need no process."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from assay.findings import Place
from assay.oracle import distributions, interpreter
from assay.oracle.answers import read_json
from assay.oracle.evidence import FailureKind
from assay.oracle.faults import Fault, Frame, read_fault
from assay.oracle.isolation import weaker
from assay.oracle.pack_frames import PackFrames
from assay.oracle.worker import faults, seccomp, system_calls


class TestWeaker:
    def test_what_holds_for_both(self):
        one = {"a": True, "b": 7, "c": ["x", "y"], "d": "none", "e": {"p": "q"}, "f": 1}
        other = {"a": False, "b": 0, "c": ["y"], "d": "host", "e": {"r": "s"}}
        told = {"a": False, "b": 0, "c": ["y"], "d": "varies", "e": {"p": "q", "r": "s"}}
        assert weaker(one, other) == weaker(other, one) == told

    def test_two_alike(self):
        assert weaker({"a": True, "d": "none"}, {"a": True, "d": "none"}) == {"a": True, "d": "none"}


class TestReadingWhatAWorkerWrites:
    @pytest.mark.parametrize("text", [b"NaN", b"[Infinity]", b"1e999", b"-1e999", b"{", b"\xff", b"[1] 2", b""])
    def test_what_is_no_json_is_refused(self, text):
        with pytest.raises(ValueError):
            read_json(text)

    def test_what_is_nested_too_deeply_is_refused(self):
        with pytest.raises(RecursionError):
            read_json(b"[" * 100_000)

    def raised(self):
        try:
            try:
                json.loads("{")
            except ValueError as problem:
                raise KeyError("x") from problem
        except KeyError as problem:
            return faults.describe(problem)

    def test_a_fault_comes_over_whole(self):
        fault = read_fault(json.loads(json.dumps(self.raised())))
        assert (fault.kind, fault.type, fault.text) == (FailureKind.RAISED, "KeyError", "'x'")
        assert fault.cause is not None
        assert fault.cause.type == "JSONDecodeError"
        assert fault.frames[-1].function == "raised"

    @pytest.mark.parametrize(
        "facts",
        [
            None,
            [],
            {},
            {"kind": "timeout"},
            {"kind": ["raised"]},
            {"kind": "raised", "type": 3},
            {"kind": "raised", "text": None},
            {"kind": "raised", "frames": 3},
            {"kind": "raised", "frames": [["f", 1, 2]]},
            {"kind": "raised", "frames": [["f", "1", 2, "g"]]},
            {"kind": "raised", "syntax": ["f"]},
            {"kind": "raised", "cause": 3},
            {"kind": "raised", "text": "x" * 50_001},
            {"kind": "raised", "frames": [["f", 1, 2, "g"]] * 101},
            {"kind": "raised", "frames": [["f" * 501, 1, 2, "g"]]},
            {"kind": "raised", "frames": [["f", 10**10, 2, "g"]]},
            {"kind": "raised", "frames": [["f", 1, 10**10, "g"]]},
        ],
    )
    def test_anything_else_is_no_fault(self, facts):
        with pytest.raises((ValueError, TypeError)):
            read_fault(facts)

    def test_a_chain_without_end_is_no_fault(self):
        facts = {"kind": "raised"}
        facts["cause"] = facts
        with pytest.raises(ValueError, match="not a fault"):
            read_fault(facts)

    def test_a_syntax_error_may_point_nowhere(self):
        assert read_fault({"kind": "raised", "syntax": [None, None, None]}).syntax is None

    @pytest.mark.parametrize(("line", "offset"), [(10**40, 10**40), (-1, -1), ("1", "1"), (None, None), (True, True)])
    def test_a_syntax_error_that_points_to_no_line_points_to_the_first(self, line, offset):
        assert read_fault({"kind": "raised", "syntax": ["f", line, offset]}).syntax == Frame("f", 1, 0, "")


class TestPackFrames:
    @pytest.fixture
    def frames(self, tmp_path):
        (tmp_path / "backend.py").write_text("x = 1\n    é = call(this)\n", encoding="utf-8")
        return PackFrames(tmp_path, {Path("/usr/lib/python3"): "<python>", Path("/usr/lib"): "<lib>"})

    def test_columns_count_characters(self, frames, tmp_path):
        at = frames.innermost([Frame(f"{tmp_path}/backend.py", 2, 9, "f")])
        assert at == Place("backend.py", 2, 9)

    def test_without_a_column_that_of_the_first_character(self, frames, tmp_path):
        assert frames.innermost([Frame(f"{tmp_path}/backend.py", 2, None, "f")]) == Place("backend.py", 2, 5)

    def test_the_last_frame_in_the_pack_counts(self, frames, tmp_path):
        frame = Frame(f"{tmp_path}/backend.py", 1, 0, "f")
        assert frames.innermost([frame, Frame("/usr/lib/x.py", 3, 0, "g")]) == Place("backend.py", 1, 1)
        assert frames.innermost([Frame("/usr/lib/x.py", 3, 0, "g"), Frame("<string>", 1, 0, "h")]) is None

    def test_a_line_that_is_not_there(self, frames, tmp_path):
        assert frames.innermost([Frame(f"{tmp_path}/backend.py", 99, 4, "f")]) == Place("backend.py", 99, 1)
        assert frames.innermost([Frame(f"{tmp_path}/gone.py", 0, 4, "f")]) == Place("gone.py", 1, 1)

    def test_a_file_name_that_leads_out_of_the_pack_is_no_place(self, frames, tmp_path):
        inside = Frame(f"{tmp_path}/backend.py", 1, 0, "f")
        outside = Frame(f"{tmp_path}/../../etc/passwd", 1, 0, "f")
        assert frames.innermost([outside]) is None
        assert frames.innermost([inside, outside]) == Place("backend.py", 1, 1)

    def test_a_long_line_is_shown_in_part(self, frames, tmp_path):
        (tmp_path / "long.py").write_text("x" * 10**6, encoding="utf-8")
        told = frames.traceback(
            Fault(kind=FailureKind.RAISED, type="E", frames=(Frame(f"{tmp_path}/long.py", 1, 0, "f"),))
        )
        assert told is not None
        assert len(told) < 1000

    def test_a_file_name_that_leads_out_of_the_pack_is_not_read(self, frames, tmp_path):
        told = frames.traceback(
            Fault(kind=FailureKind.RAISED, type="E", frames=(Frame(f"{tmp_path}/../../etc/passwd", 1, 0, "f"),))
        )
        assert told is not None
        assert "root" not in told

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("{root}/backend.py failed", "backend.py failed"),
            ("in {root}", "in "),
            ("'{root}'", "''"),
            ("{root}-other/x", "{root}-other/x"),
            ("{root}x", "{root}x"),
            ("/usr/lib/python3/json.py", "<python>/json.py"),
            ("/usr/lib/other.py", "<lib>/other.py"),
            ("<object at 0x7f00deadbeef>", "<object at 0x...>"),
            ("0xff", "0xff"),
        ],
    )
    def test_texts(self, frames, tmp_path, text, shown):
        assert frames.text(text.format(root=tmp_path)) == shown.format(root=tmp_path)


class TestDistributions:
    def test_what_cannot_be_a_file_is_left_out_and_so_is_what_is_too_much(self):
        claimed = ["yaml/__init__.py", 3, None, "a\ud800.py", "line\nbreak.py", "x" * 501]
        assert distributions.read_files(claimed) == ("yaml/__init__.py",)
        assert len(distributions.read_files([f"m{n}.py" for n in range(2000)])) == distributions.MOST_FILES
        assert distributions.read_files({"a": 1}) == ()

    def test_files_are_found_in_the_records(self):
        found = distributions.distributions_of(["yaml/__init__.py", "nobodys_module.py"], interpreter.package_folders())
        assert list(found) == ["PyYAML", "nobodys_module"]
        assert found["nobodys_module"] == "absent"

    def test_nothing_is_searched_for_nothing(self):
        assert distributions.distributions_of([], ["/no/such/folder"]) == {}

    @pytest.mark.parametrize("reported", [None, {}, 3, "yaml"])
    def test_what_is_no_list_of_files(self, reported):
        assert distributions.read_files(reported) == ()


HEADERS = (
    Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    Path("/usr/include/asm-generic/unistd.h"),
)


class TestSystemCalls:
    @pytest.mark.parametrize("column", [0, 1])
    def test_numbers_are_those_of_the_kernels_headers(self, column):
        if not HEADERS[column].exists():
            pytest.skip("no kernel headers here")
        text = HEADERS[column].read_text()
        known = {name: int(number) for name, number in re.findall(r"^#define __NR(?:3264)?_(\w+) (\d+)", text, re.M)}
        groups = (
            system_calls.PROCESSES,
            system_calls.PROGRAMS,
            system_calls.OWN_PROCESS_ONLY,
            system_calls.FILE_FACTS,
            system_calls.SYSTEM,
        )
        for group in groups:
            for name, numbers in group.items():
                assert known.get(name, numbers[column]) == numbers[column], name
        machine = ["x86_64", "aarch64"][column]
        assert (known["clone"], known["socket"]) == (system_calls.CLONE[machine], system_calls.SOCKET[machine])

    @pytest.mark.parametrize("machine", system_calls.MACHINES)
    @pytest.mark.parametrize("processes", [True, False])
    def test_every_jump_of_the_filter_lands_inside_and_it_ends_in_a_verdict(self, machine, processes):
        program = seccomp._program(machine, 203, processes=processes, file_facts=False)
        instructions = list(struct.iter_unpack("=HBBI", program))
        assert len(instructions) < 4096
        for index, (code, if_true, if_false, _) in enumerate(instructions):
            if code & 0x07 == 0x05:
                assert index + 1 + max(if_true, if_false) < len(instructions)
        assert instructions[-1][0] == 0x06

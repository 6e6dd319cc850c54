"""Every kind of failure in every phase: what is told, and that it costs no other episode its evidence."""

from __future__ import annotations

import time

import pytest

from assay.findings import Place
from assay.oracle.evidence import CallTool, FailureKind, GetState, Reset
from assay.oracle.operations import operation_title
from tests.oracle.running import backend, call, episode, run_call, run_one

HANG = "import time\ntime.sleep(60)"
SPIN = "while True: pass"
EXIT = "import os\nos._exit(7)"
RAISE = "raise KeyError('lamp')"
SET = "return {'items': [1, {2}]}"
LONG = "return {'text': 'x' * 5000}"
SHORT = {"import_s": 0.6, "reset_s": 0.3, "tool_s": 0.3, "frame_bytes": 2000}

PHASES = {
    "import": lambda code: backend(top=f"def work():\n    {code.replace(chr(10), chr(10) + '    ')}\nwork()"),
    "reset": lambda code: backend(reset=code),
    "call_tool": lambda code: backend(call=code),
    "get_state": lambda code: backend(state=code),
}
STEPS = {"import": None, "reset": 0, "call_tool": 1, "get_state": 2}


def fail(engine_of, phase, code, **limits):
    engine = engine_of(PHASES[phase](code), limits=SHORT | limits)
    started = time.monotonic()
    evidence = run_one(engine, Reset(), call(), GetState())
    assert time.monotonic() - started < 5
    failure = evidence.failure
    assert failure is not None
    assert not evidence.completed
    assert (failure.op, failure.step) == (phase, STEPS[phase])
    assert len(evidence.results) == (STEPS[phase] or 0)
    assert len(evidence.arguments) == (0 if phase == "import" else STEPS[phase] + 1)
    return failure


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("code", [HANG, SPIN])
def test_a_hang_is_ended_by_the_limit_of_its_phase(engine_of, phase, code):
    failure = fail(engine_of, phase, code)
    limit = {"import": "import", "reset": "reset"}.get(phase, "tool")
    assert failure.kind is FailureKind.TIMEOUT
    assert (failure.limit, failure.limit_s) == (limit, SHORT[f"{limit}_s"])
    assert f"the {limit} limit of {SHORT[f'{limit}_s']:g} s" in failure.message
    assert failure.place is not None
    assert failure.place.file == "backend.py"
    assert failure.traceback is not None
    assert failure.traceback.startswith('Stack (most recent call last):\n  File "backend.py"')
    assert failure.is_transient


@pytest.mark.parametrize("phase", PHASES)
def test_an_exit_is_told_with_its_code(engine_of, phase):
    failure = fail(engine_of, phase, EXIT)
    assert (failure.kind, failure.exit_code) == (FailureKind.DIED, 7)
    assert "exited with code 7" in failure.message
    assert operation_title(phase) in failure.message


@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_is_told_by_its_name(engine_of, phase):
    failure = fail(engine_of, phase, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert (failure.kind, failure.exit_code) == (FailureKind.DIED, -9)
    assert "SIGKILL" in failure.message


@pytest.mark.parametrize("phase", PHASES)
def test_an_exception_is_told_with_its_line_and_column(engine_of, phase):
    failure = fail(engine_of, phase, RAISE)
    assert (failure.kind, failure.message) == (FailureKind.RAISED, "KeyError: 'lamp'")
    assert failure.place is not None
    assert failure.place.column == 5
    assert failure.traceback is not None
    assert failure.traceback.startswith('Traceback (most recent call last):\n  File "backend.py", line')
    assert failure.traceback.endswith("    raise KeyError('lamp')\nKeyError: 'lamp'\n")
    assert not failure.is_transient


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("code", ["import sys\nsys.exit(3)", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_exceptions_that_are_no_errors_are_told_alike(engine_of, phase, code):
    failure = fail(engine_of, phase, code)
    assert failure.kind is FailureKind.RAISED
    assert failure.message.split(":")[0] in ("SystemExit", "KeyboardInterrupt", "GeneratorExit")


@pytest.mark.parametrize(("phase", "what"), [("call_tool", "result"), ("get_state", "state")])
def test_what_is_not_json_is_named_with_its_path(engine_of, phase, what):
    failure = fail(engine_of, phase, SET)
    assert (failure.kind, failure.message) == (FailureKind.NOT_JSON, f"{what}.items[1] is a set")


@pytest.mark.parametrize(("phase", "what"), [("call_tool", "result"), ("get_state", "state")])
def test_what_is_too_large_is_told_with_both_numbers(engine_of, phase, what):
    failure = fail(engine_of, phase, LONG)
    assert failure.kind is FailureKind.TOO_LARGE
    assert failure.message == f"{what} takes 5011 bytes as JSON; the limit is 2000"


def test_what_reset_returns_does_not_matter(engine_of):
    assert run_one(engine_of(backend(reset="return {1, 2}")), Reset()).completed


@pytest.mark.parametrize("name", ["reset", "call_tool", "get_state"])
def test_a_missing_callable_is_told_by_name(engine_of, name):
    failure = run_one(engine_of(backend(top="") + f"\n\ndel {name}\n"), Reset(), call(), GetState()).failure
    assert failure is not None
    assert failure.op == name
    assert f"the backend has no callable {name}" in failure.message


def test_a_wrong_signature_is_an_exception(engine_of):
    failure = run_call(engine_of(backend().replace("*, ctx, fixtures", "fixtures"))).failure
    assert failure is not None
    assert failure.op == "reset"
    assert failure.message.startswith("TypeError: reset() got an unexpected keyword argument")


def test_a_syntax_error_is_placed_where_it_stands(engine_of):
    failure = run_call(engine_of("def list_tools():\n    return [\n\n\ndef reset(*, ctx, fixtures) pass\n")).failure
    assert failure is not None
    assert failure.message.startswith("SyntaxError: ")
    assert failure.place == Place("backend.py", 2, 12)


def test_a_missing_module_is_told_and_placed(engine_of):
    failure = run_call(
        engine_of({"backend.py": "import helper\n", "helper.py": "\nimport nothing_of_this_name\n"})
    ).failure
    assert failure is not None
    assert failure.message == "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    assert failure.place == Place("helper.py", 2, 1)


def test_a_missing_file_is_told_without_absolute_paths(engine_of, tmp_path):
    failure = run_call(engine_of({"other.py": ""}, backend="backend.py")).failure
    assert failure is not None
    assert failure.op == "import"
    assert "FileNotFoundError" in failure.message
    assert str(tmp_path) not in failure.message


def test_an_import_that_failed_is_not_tried_again_for_each_episode(engine_of):
    engine = engine_of(backend(top=HANG), limits=SHORT)
    started = time.monotonic()
    failures = [evidence.failure for evidence in engine.run(episode(Reset()) for _ in range(50))]
    assert time.monotonic() - started < 3
    assert {failure.op for failure in failures if failure} == {"import"}
    assert len(failures) == 50


def test_a_bad_episode_costs_no_other_its_evidence(engine_of):
    code = """
        kind = arguments.get("kind")
        if kind == "hang":
            time.sleep(60)
        if kind == "exit":
            os._exit(1)
        if kind == "raise":
            raise RuntimeError("no")
        if kind == "set":
            return {"x": {1}}
        if kind == "forge":
            os.write(find(), b"nonsense" * 10)
        return {"ran": len(ran)}
    """
    top = """
        import os, time
        ran = []
        def find():
            import stat
            for fd in range(3, 400):
                try:
                    os.write(fd, b"")
                except OSError:
                    continue
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    return fd
    """
    engine = engine_of(backend(code, top=top, reset="ran.append(1)"), limits=SHORT)
    kinds = ["fine", "hang", "fine", "exit", "fine", "raise", "set", "fine", "forge", "fine", "fine"]
    evidence = list(engine.run(episode(Reset(), call({"kind": kind}), GetState()) for kind in kinds))
    told = [each.failure.kind.value if each.failure else "fine" for each in evidence]
    assert told == [
        "fine",
        "timeout",
        "fine",
        "died",
        "fine",
        "raised",
        "not_json",
        "fine",
        "bad_reply",
        "fine",
        "fine",
    ]
    assert [each.results[1]["ran"] for each in evidence if each.completed] == [1, 1, 1, 1, 1, 2]


def test_the_worker_is_replaced_after_an_exception(engine_of):
    engine = engine_of(backend("if arguments: raise ValueError\nreturn {'pid': os.getpid()}", top="import os"))
    before, _, after = engine.run([episode(Reset(), call(each)) for each in ({}, {"x": 1}, {})])
    assert before.results[1] != after.results[1]


class TestEpisodeLimit:
    def test_it_bounds_many_steps_that_are_quick_each(self, engine_of):
        engine = engine_of(backend("import time\ntime.sleep(0.2)\nreturn {}"), limits={"episode_s": 0.5, "tool_s": 5.0})
        evidence = run_one(engine, Reset(), *(call() for _ in range(10)))
        failure = evidence.failure
        assert failure is not None
        assert (failure.kind, failure.limit, failure.limit_s) == (FailureKind.TIMEOUT, "episode", 0.5)
        assert "the episode limit of 0.5 s" in failure.message
        assert failure.step == 3
        assert len(evidence.results) == 3

    def test_the_limit_of_the_step_is_named_when_it_fires_first(self, engine_of):
        engine = engine_of(backend(HANG), limits={"episode_s": 5.0, "tool_s": 0.3})
        failure = run_call(engine).failure
        assert failure is not None
        assert (failure.limit, failure.limit_s) == ("tool", 0.3)


def test_the_time_that_we_spend_elsewhere_is_not_held_against_an_episode(engine_of):
    engine = engine_of(backend("import time\ntime.sleep(0.05)\nreturn {}"), limits={"tool_s": 0.3, "episode_s": 0.5})
    for evidence in engine.run(episode(Reset(), call()) for _ in range(4)):
        assert evidence.completed
        time.sleep(0.4)


class TestOutput:
    @pytest.mark.parametrize("stream", ["stdout", "stderr"])
    def test_a_megabyte_of_printing_blocks_nothing_and_is_kept_up_to_the_bound(self, engine_of, stream, capfd):
        code = f"import sys\nfor n in range(1024):\n    print('p' * 1023, file=sys.{stream})\nreturn {{'done': True}}"
        engine = engine_of(backend(code), limits={"output_bytes": 10_000})
        evidence = run_call(engine)
        assert evidence.results[1] == {"done": True}
        (output,) = engine.output
        assert output.role == "backend"
        assert (len(output.text), output.length) == (10_000, 1024 * 1024)
        assert capfd.readouterr() == ("", "")

    def test_what_was_printed_before_a_hang_is_there(self, engine_of):
        engine = engine_of(backend(f"print('before')\n{HANG}"), limits=SHORT)
        run_call(engine)
        assert engine.output[0].text == "before\n"

    def test_endless_printing_is_ended_by_the_deadline(self, engine_of):
        failure = run_call(engine_of(backend("while True: print('on and on')"), limits=SHORT)).failure
        assert failure is not None
        assert failure.kind is FailureKind.TIMEOUT


class TestReadingInput:
    def test_there_is_none(self, engine_of):
        assert run_call(engine_of(backend("import sys\nreturn {'read': sys.stdin.read()}"))).results[1] == {"read": ""}


class TestLimits:
    def test_memory(self, engine_of):
        failure = run_call(engine_of(backend("x = bytearray(2 * 1024**3)\nreturn {}"))).failure
        assert failure is not None
        assert failure.message == "MemoryError (a worker has 1024 MiB)"

    def test_processor_time(self, engine_of):
        failure = run_call(engine_of(backend(SPIN), limits={"cpu_s": 1, "tool_s": 8.0})).failure
        assert failure is not None
        assert failure.kind is FailureKind.DIED
        assert "the limit of 1 s of processor time" in failure.message
        assert failure.limit is None

    def test_size_of_a_file(self, engine_of):
        code = "open('big', 'wb').write(b'x' * 2_000_000)\nreturn {}"
        failure = run_call(engine_of(backend(code), limits={"file_bytes": 1_000_000})).failure
        assert failure is not None
        assert "File too large" in failure.message

    def test_open_files(self, engine_of):
        code = "kept = [open('/dev/null') for _ in range(500)]\nreturn {}"
        failure = run_call(engine_of(backend(code))).failure
        assert failure is not None
        assert "Too many open files" in failure.message

    def test_a_crash_in_c_code_is_placed(self, engine_of):
        failure = run_call(engine_of(backend("import ctypes\nctypes.string_at(0)"))).failure
        assert failure is not None
        assert (failure.kind, failure.exit_code) == (FailureKind.DIED, -11)
        assert failure.place is not None
        assert failure.place.file == "backend.py"


NAMELESS = """
    class Meta(type):
        __qualname__ = property(lambda c: 1 / 0)
    raise Meta("E", (Exception,), {})
"""


class TestHostileExceptions:
    def test_a_text_that_raises(self, engine_of):
        top = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError"
        failure = run_call(engine_of(backend("raise Odd", top=top))).failure
        assert failure is not None
        assert failure.message == "Odd: (its text cannot be read: ValueError)"

    def test_a_text_that_hangs(self, engine_of):
        top = "import time\nclass Odd(Exception):\n    def __str__(self):\n        time.sleep(60)"
        failure = run_call(engine_of(backend("raise Odd", top=top), limits=SHORT)).failure
        assert failure is not None
        assert failure.kind is FailureKind.TIMEOUT

    def test_an_enormous_text_and_a_deep_recursion_are_cut(self, engine_of):
        code = """
            def down(n):
                return down(n + 1)
            try:
                down(0)
            except RecursionError as problem:
                raise ValueError("x" * 10**6) from problem
        """
        failure = run_call(engine_of(backend(code))).failure
        assert failure is not None
        assert len(failure.message) == 500
        assert failure.traceback is not None
        assert "direct cause" in failure.traceback
        assert len(failure.traceback) < 20_000

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("return {'k' * 5_000_000: {1}}", FailureKind.NOT_JSON),
            ("raise type('N' * 5_000_000, (Exception,), {})", FailureKind.RAISED),
            ("exec(compile('1/0', 'f' * 5_000_000, 'exec'))", FailureKind.RAISED),
            ("raise SyntaxError('x', ('f' * 5_000_000, 1, 1, ''))", FailureKind.RAISED),
            (
                "class Meta(type):\n    __qualname__ = property(lambda c: 1 / 0)\nraise Meta('E', (Exception,), {})",
                FailureKind.RAISED,
            ),
        ],
    )
    def test_enormous_or_odd_names_are_cut(self, engine_of, code, kind):
        failure = run_call(engine_of(backend(code))).failure
        assert failure is not None
        assert failure.kind is kind
        assert len(f"{failure}") < 10_000

    def test_addresses_and_paths_are_blotted_out(self, engine_of, tmp_path):
        code = "import os\nraise ValueError(f'{object()} in {__file__} at {os.getcwd()} and {os.__file__}')"
        failure = run_call(engine_of(backend(code))).failure
        assert failure is not None
        assert failure.message.startswith("ValueError: <object object at 0x...> in backend.py at <scratch>")
        assert str(tmp_path) not in f"{failure}"
        assert "<python>/os.py" in failure.message

    def test_an_unpaired_surrogate_in_a_text(self, engine_of):
        failure = run_call(engine_of(backend("raise ValueError('\\ud800')"))).failure
        assert failure is not None
        assert failure.message == "ValueError: \\ud800"


def test_two_runs_tell_a_failure_in_the_same_words(engine_of):
    files = backend("raise ValueError(object())")
    assert run_call(engine_of(files)).failure == run_call(engine_of(files)).failure


def test_calls_of_several_tools_are_told_apart(engine_of):
    failure = run_one(engine_of(backend(HANG), limits=SHORT), Reset(), CallTool("lend_book", {})).failure
    assert failure is not None
    assert failure.message.startswith("the call of lend_book was still running")

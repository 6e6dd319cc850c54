from __future__ import annotations

import time

import pytest

from assay.findings import Place
from assay.oracle.evidence import FailureKind, Reset
from tests.oracle.running import backend, run_one


class TestBackend:
    def test_callables_and_tools(self, engine_of):
        surface = engine_of(backend()).inspect_backend()
        assert surface.callables == dict.fromkeys(("list_tools", "reset", "call_tool", "get_state"), True)
        assert (surface.tools, surface.failure, surface.modules) == (("probe",), None, {})

    def test_it_is_not_reset(self, engine_of):
        assert engine_of(backend(reset="raise ValueError")).inspect_backend().failure is None

    def test_what_is_missing_or_not_callable(self, engine_of):
        surface = engine_of("reset = 3\n\n\ndef list_tools():\n    return []\n").inspect_backend()
        assert surface.callables == {"list_tools": True, "reset": False, "call_tool": False, "get_state": False}
        assert surface.tools == ()

    def test_without_list_tools_nobody_is_asked(self, engine_of):
        surface = engine_of("def reset(*, ctx, fixtures): pass\n").inspect_backend()
        assert (surface.tools, surface.failure) == (None, None)

    @pytest.mark.parametrize(
        ("listed", "tools"),
        [
            ("('b', 'a')", ("b", "a")),
            ("{'b': 1, 'a': 2}", ("b", "a")),
            ("{'b', 'a', 'c'}", ("a", "b", "c")),
            ("(name for name in 'xy')", ("x", "y")),
            ("['a', 'a']", ("a", "a")),
        ],
    )
    def test_any_iterable_of_names(self, engine_of, listed, tools):
        assert engine_of(f"def list_tools():\n    return {listed}\n").inspect_backend().tools == tools

    @pytest.mark.parametrize(
        ("listed", "told"),
        [
            ("'lend'", "list_tools() is 'lend', not a list of names"),
            ("None", "list_tools() is of type NoneType, not a list of names"),
            ("['a', {'name': 'b'}]", "list_tools()[1] is of type dict, not a name"),
            ("[None]", "list_tools()[0] is of type NoneType, not a name"),
        ],
    )
    def test_what_is_no_list_of_names(self, engine_of, listed, told):
        surface = engine_of(f"def list_tools():\n    return {listed}\n").inspect_backend()
        assert surface.tools is None
        assert surface.failure is not None
        assert (surface.failure.kind, surface.failure.op, surface.failure.message) == (
            FailureKind.NOT_JSON,
            "list_tools",
            told,
        )

    def test_list_tools_that_raises_hangs_or_exits(self, engine_of):
        for code, kind in (("1 / 0", "raised"), ("while True: pass", "timeout"), ("import os; os._exit(0)", "died")):
            surface = engine_of(f"def list_tools():\n    {code}\n", limits={"tool_s": 0.3}).inspect_backend()
            assert surface.failure is not None
            assert (surface.failure.kind, surface.failure.op) == (kind, "list_tools")
            assert surface.callables["list_tools"]

    def test_an_import_that_fails(self, engine_of):
        surface = engine_of("x = 1\nraise RuntimeError('not here')\n").inspect_backend()
        assert not any(surface.callables.values())
        assert surface.failure is not None
        assert (surface.failure.op, surface.failure.place) == ("import", Place("backend.py", 2, 1))

    def test_a_module_whose_attributes_hang_counts_as_its_import(self, engine_of):
        text = "import time\ndef __getattr__(name):\n    time.sleep(60)\n"
        started = time.monotonic()
        surface = engine_of(text, limits={"import_s": 0.5}).inspect_backend()
        assert time.monotonic() - started < 3
        assert surface.failure is not None
        assert (surface.failure.op, surface.failure.limit) == ("import", "import")

    def test_a_pack_without_one_offers_nothing(self, engine_of):
        surface = engine_of({"assertions.py": ""}).inspect_backend()
        assert (surface.tools, surface.failure, any(surface.callables.values())) == (None, None, False)

    def test_its_worker_runs_episodes_afterwards(self, engine_of):
        engine = engine_of(backend(top="import os", reset="print(os.getpid())"))
        engine.inspect_backend()
        assert run_one(engine, Reset()).completed


class TestModules:
    def test_installed_distributions_are_named_with_their_version(self, engine_of):
        from importlib.metadata import version

        surface = engine_of(backend(top="import yaml, json, jsonschema")).inspect_backend()
        assert surface.modules["PyYAML"] == version("pyyaml")
        assert surface.modules["jsonschema"] == version("jsonschema")
        assert list(surface.modules) == sorted(surface.modules)

    def test_the_pack_and_the_standard_library_are_not(self, engine_of):
        files = {"backend.py": backend(top="import helper, json, decimal"), "helper.py": ""}
        assert engine_of(files).inspect_backend().modules == {}

    def test_for_assertions_likewise(self, engine_of):
        assert "PyYAML" in engine_of({"assertions.py": "import yaml\n"}).inspect_assertions().modules


SIGNATURES = {
    "*, state, trace, task, ctx": None,
    "state, trace, task, ctx": None,
    "**everything": None,
    "*, state, **rest": None,
    "*, state, trace, task, ctx, extra=1": None,
    "*args, state, trace, task, ctx": None,
    "state=1, trace=2, task=3, ctx=4": None,
    "state=None, /, **rest": None,
    "*, state": "it does not accept `trace`, `task`, `ctx` as a keyword",
    "*, state, trace, task, ctx, extra": "nothing fills its parameter `extra`",
    "extra, *, state, trace, task, ctx": "nothing fills its parameter `extra`",
    "state, /, trace, task, ctx": "it takes `state` by position only; nothing fills its parameter `state`",
    "state, /, *, trace, task, ctx, **rest": "nothing fills its parameter `state`",
    "state, /, **rest": "nothing fills its parameter `state`",
    "extra, **rest": "nothing fills its parameter `extra`",
    "*state, trace, task, ctx": "it takes `state` by position only",
    "": "it does not accept `state`, `trace`, `task`, `ctx` as a keyword",
}


class TestAssertions:
    def test_signatures(self, engine_of):
        lines = [f"def assert_{number}({parameters}): pass" for number, parameters in enumerate(SIGNATURES)]
        found = engine_of({"assertions.py": "\n".join(lines) + "\n"}).inspect_assertions()
        told = {parameters: found.assertions[f"assert_{n}"].reason for n, parameters in enumerate(SIGNATURES)}
        assert told == SIGNATURES
        assert all(each.valid is (each.reason is None) for each in found.assertions.values())
        assert [each.line for each in found.assertions.values()] == list(range(1, len(SIGNATURES) + 1))

    def test_what_is_said_of_a_signature_is_what_happens_when_it_is_called(self, engine_of):
        from tests.oracle.running import judge_one

        names = [f"assert_{number}" for number in range(len(SIGNATURES))]
        lines = [f"def assert_{number}({parameters}): pass" for number, parameters in enumerate(SIGNATURES)]
        outcomes = judge_one(engine_of({"assertions.py": "\n".join(lines) + "\n"}), *names)
        can_be_called = [outcome.status == "passed" for outcome in outcomes]
        assert can_be_called == [reason is None for reason in SIGNATURES.values()]

    def test_other_callables(self, engine_of):
        text = """
            import functools


            class Check:
                def __call__(self, *, state, trace, task, ctx):
                    pass


            def base(limit, *, state, trace, task, ctx):
                pass


            def wrapped(function):
                @functools.wraps(function)
                def wrapper(**given):
                    return function(given["state"])

                return wrapper


            @wrapped
            def assert_wrapped(state):
                pass


            assert_object = Check()
            assert_partial = functools.partial(base, 3)
            assert_unfilled = functools.partial(base)
            assert_builtin = print
            assert_class = Check
        """
        found = engine_of({"assertions.py": text}).inspect_assertions().assertions
        assert {name: each.valid for name, each in found.items()} == {
            "assert_wrapped": True,
            "assert_object": True,
            "assert_partial": True,
            "assert_unfilled": False,
            "assert_builtin": False,
            "assert_class": False,
        }
        assert found["assert_wrapped"].line == 22
        assert found["assert_builtin"].line is None

    def test_without_a_mapping_names_that_begin_with_assert(self, engine_of):
        text = "assert_data = 3\ndef assert_b(**k): pass\ndef helper(**k): pass\ndef assert_a(**k): pass\n"
        assert list(engine_of({"assertions.py": text}).inspect_assertions().assertions) == ["assert_b", "assert_a"]

    def test_with_a_mapping_its_callable_entries_alone(self, engine_of):
        text = "def assert_b(**k): pass\ndef f(**k): pass\nASSERTIONS = {'lamp_is_lit': f, 'no': 3, 4: f}\n"
        assert list(engine_of({"assertions.py": text}).inspect_assertions().assertions) == ["lamp_is_lit"]

    def test_an_empty_mapping_exports_nothing(self, engine_of):
        text = "def assert_b(**k): pass\nASSERTIONS = {}\n"
        assert engine_of({"assertions.py": text}).inspect_assertions().assertions == {}

    def test_what_is_no_mapping_is_none(self, engine_of):
        text = "def assert_b(**k): pass\nASSERTIONS = ['assert_b']\n"
        assert list(engine_of({"assertions.py": text}).inspect_assertions().assertions) == ["assert_b"]

    @pytest.mark.parametrize(("text", "has"), [("ASSERTION_CAPABILITIES = {}\n", True), ("x = 1\n", False)])
    def test_capabilities_at_run_time(self, engine_of, text, has):
        assert engine_of({"assertions.py": text}).inspect_assertions().has_capabilities is has

    def test_an_import_that_fails(self, engine_of):
        found = engine_of({"assertions.py": "def broken(:\n"}).inspect_assertions()
        assert found.assertions == {}
        assert found.failure is not None
        assert (found.failure.kind, found.failure.op) == (FailureKind.RAISED, "import")
        assert found.failure.place == Place("assertions.py", 1, 12)

    def test_an_imported_assertion_has_no_line_of_this_file(self, engine_of):
        files = {"assertions.py": "from more import assert_x\n", "more.py": "\n\ndef assert_x(**k): pass\n"}
        assert engine_of(files).inspect_assertions().assertions["assert_x"].line is None

    def test_a_pack_without_one_exports_nothing(self, engine_of):
        found = engine_of({"backend.py": ""}).inspect_assertions()
        assert (found.assertions, found.failure) == ({}, None)

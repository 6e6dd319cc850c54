import ast
import importlib.util
import inspect


def load_assertions(pack):
    """Import a pack's assertions: they need nothing but the standard library."""
    path = pack.folder / "assertions.py"
    spec = importlib.util.spec_from_file_location(f"{pack.folder.name}_assertions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_templates_and_module_name_the_same_assertions(pack):
    named = {name for template in pack.templates for name in template["success_assertions"]}
    assert named == set(load_assertions(pack).ASSERTIONS)


def test_every_assertion_declares_what_it_reads(pack):
    module = load_assertions(pack)
    assert set(module.ASSERTION_CAPABILITIES) == set(module.ASSERTIONS)


def names_read(function):
    return {node.id for node in ast.walk(ast.parse(inspect.getsource(function))) if isinstance(node, ast.Name)}


def test_assertions_that_read_the_state_do_not_claim_that_the_trace_would_do(pack):
    module = load_assertions(pack)
    claimed = {name: module.ASSERTION_CAPABILITIES[name]["trace"] for name in module.ASSERTIONS}
    assert claimed == {name: "state" not in names_read(function) for name, function in module.ASSERTIONS.items()}


def test_every_assertion_has_the_normative_signature(pack):
    for name, assertion in load_assertions(pack).ASSERTIONS.items():
        kinds = [(p.name, p.kind) for p in inspect.signature(assertion).parameters.values()]
        assert kinds == [(p, inspect.Parameter.KEYWORD_ONLY) for p in ("state", "trace", "task", "ctx")], name

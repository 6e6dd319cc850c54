import dataclasses
import json
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.config import ConfigError, RunConfig, config_for_pack, load_config
from assay.oracle.limits import Limits
from assay.values import digest_bytes
from tests.support.pack_files import write_pack

FULL = """\
family: bfcl
expt_name: desk
output_dir: out
schema_version: "1.1"
config_status: resolved
stage: all
random_seed: 7
ndd_batch_size: 32
oracle_pack:
  manifest_path: pack/manifest.yaml
oracle_runtime:
  clock: "2026-03-02T09:00:00+07:00"
  worker: process
  tool_timeout_s: 2
  import_timeout_s: 60.0
  allowed_roots: [data]
lineage:
  policy: smoke_no_publication
  roles:
    profile: {enabled: false, model_config: null}
    paraphrase: {enabled: false, model_config: null}
    surface_judge: {enabled: false}
  profile_influenced_surface: false
  judge_advisory: null
surface_generation:
  language: en
  model_paraphrase_enabled: false
  paraphrases_per_template: 0
  preserve_slot_values: true
  prevent_tool_name_leakage: false
surface_quality_validation:
  contract_version: "1.1"
  enabled: false
  drop_authority: false
task_generation:
  tasks_per_category: 3
  candidate_tasks_per_category: 4
  max_turns: 6
  max_intent_share: 0.5
  difficulty_mix: {easy: 0.25, medium: 0.75}
  turn_mix: {single_turn: 1}
  tool_call_count_mix: {"1": 0.5, 3+: 0.5}
  policy_mix: {single_turn: 1.0}
semantic_deduplication_config:
  enabled: false
  eps: 0.08
  representative_source_preference: [template, model]
  unmet_target_policy: abort
exports: {bfcl_json: false, nemo_evaluator_bundle: false}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "validate.yaml"
    path.write_text(dedent(text))
    return path


def refused(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(write(folder, text))
    head, *lines = str(caught.value).split("\n")
    assert head.endswith("validate.yaml cannot be used:")
    assert len(lines) == len(caught.value.findings)
    return lines


# What a config says


def test_everything_that_a_file_can_say(tmp_path):
    config = load_config(write(tmp_path, FULL))
    assert config.manifest_path == tmp_path / "pack" / "manifest.yaml"
    assert (config.expt_name, config.output_dir) == ("desk", tmp_path / "out")
    assert config.allowed_roots == (tmp_path / "data",)
    assert config.clock == "2026-03-02T09:00:00+07:00"
    assert config.limits == dataclasses.replace(Limits(), tool_s=2.0, import_s=60.0)
    assert (config.random_seed, config.worker) == (7, "process")
    assert config.lineage_policy == "smoke_no_publication"
    assert config.surface_generation.language == "en"
    assert config.surface_generation.prevent_tool_name_leakage is False
    assert config.task_generation.tasks_per_category == 3
    assert config.task_generation.candidate_tasks_per_category == 4
    assert config.task_generation.mixes["tool_call_count_mix"] == {"1": 0.5, "3+": 0.5}
    assert config.raw == yaml.safe_load(FULL)


def test_only_the_pack_is_needed(tmp_path):
    config = load_config(write(tmp_path, "oracle_pack: {manifest_path: manifest.yaml}\n"))
    expected = RunConfig(manifest_path=tmp_path / "manifest.yaml")
    assert dataclasses.replace(config, raw={}, task_generation=expected.task_generation) == expected
    assert config.task_generation.tasks_per_category == 1


def test_a_pack_folder_alone_or_its_manifest(tmp_path):
    folder = write_pack(tmp_path / "pack")
    expected = RunConfig(manifest_path=folder / "manifest.yaml")
    assert config_for_pack(folder) == config_for_pack(folder / "manifest.yaml") == expected
    assert expected.task_generation.tasks_per_category is None
    assert (expected.limits.import_s, expected.limits.tool_s, expected.limits.episode_s) == (10.0, 5.0, 60.0)


def test_a_relative_pack_folder_is_made_absolute(tmp_path, monkeypatch):
    write_pack(tmp_path / "pack")
    monkeypatch.chdir(tmp_path)
    assert config_for_pack(Path("pack")).manifest_path == tmp_path / "pack" / "manifest.yaml"


def test_a_pack_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="no pack"):
        config_for_pack(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [None, b"\xff", b"a: [", b"", b"[]", b"text", b"a: 1\n---\nb: 2\n", b"[" * 10**6])
def test_a_file_that_is_no_config(tmp_path, content):
    path = tmp_path / "validate.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"the run config .*validate\.yaml cannot be"):
        load_config(path)


def test_a_config_that_is_a_folder(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_overrides_are_kept_by_role(tmp_path):
    text = """\
        oracle_pack:
          manifest_path: pack/manifest.yaml
          backend_path: b.py
          fixtures_path: /abs/f.json
          task_templates_path: ../t.yaml
          assertions_path: a.py
          validation_cases_path: v.yaml
    """
    assert load_config(write(tmp_path, text)).overrides == {
        "backend": tmp_path / "b.py",
        "fixtures": Path("/abs/f.json"),
        "templates": tmp_path.parent / "t.yaml",
        "assertions": tmp_path / "a.py",
        "validation_cases": tmp_path / "v.yaml",
    }


# What is refused: line of FULL to replace, replacement, dotted field, part of the message

REFUSALS = [
    ("family: bfcl", "family: mcq", "family", "one of `bfcl`"),
    ("family: bfcl", "famly: bfcl", "famly", "Did you mean `family`?"),
    ("family: bfcl", "x: 1", "`x`", "Nothing reads"),
    ("expt_name: desk", "expt_name: ../up", "expt_name", "one plain folder name"),
    ("expt_name: desk", "expt_name: a/b", "expt_name", "one plain folder name"),
    ("expt_name: desk", "expt_name: ..", "expt_name", "one plain folder name"),
    ("expt_name: desk", "expt_name: .", "expt_name", "one plain folder name"),
    ("expt_name: desk", 'expt_name: " desk"', "expt_name", "one plain folder name"),
    ("expt_name: desk", "expt_name: 5", "expt_name", "a text that is not blank"),
    ("output_dir: out", "output_dir: pack/out", "output_dir", "into the pack folder"),
    ("output_dir: out", "output_dir: ''", "output_dir", "a text that is not blank"),
    ('schema_version: "1.1"', 'schema_version: "9.9"', "schema_version", '"9.9"'),
    ("config_status: resolved", "config_status: done", "config_status", "`resolved`"),
    ("stage: all", "stage: REPLACE_ME_STAGE", "stage", "REPLACE_ME_"),
    ("stage: all", "stage: [all]", "stage", "must be a text"),
    ("random_seed: 7", "random_seed: true", "random_seed", "a whole number"),
    ("random_seed: 7", "random_seed: '7'", "random_seed", "a whole number"),
    ("ndd_batch_size: 32", "ndd_batch_size: 0", "ndd_batch_size", "at least 1"),
    ("ndd_batch_size: 32", "eval: []", "eval", "must be a mapping"),
    ("ndd_batch_size: 32", "eval: {}\neval_config_path: x", "eval", "cannot both"),
    ("  manifest_path: pack/manifest.yaml", "  manifest: x", "oracle_pack.manifest_path", "is missing"),
    ("  manifest_path: pack/manifest.yaml", "  manifest_path: null", "oracle_pack.manifest_path", "is null"),
    ("  manifest_path: pack/manifest.yaml", "  manifest_path: [x]", "oracle_pack.manifest_path", "not blank"),
    (
        "  manifest_path: pack/manifest.yaml",
        "  manifest_path: p/m.yaml\n  backend_path: a\n  endpoint_config_path: b",
        "oracle_pack.endpoint_config_path",
        "cannot both",
    ),
    ('  clock: "2026-03-02T09:00:00+07:00"', "  clock: yesterday", "oracle_runtime.clock", "UTC offset"),
    ('  clock: "2026-03-02T09:00:00+07:00"', "  clock: 2026-03-02T09:00:00", "oracle_runtime.clock", "UTC offset"),
    ('  clock: "2026-03-02T09:00:00+07:00"', "  clock: 5", "oracle_runtime.clock", "must be a text"),
    ("  worker: process", "  worker: fiber", "oracle_runtime.worker", "one of `process`, `thread`"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: 0", "oracle_runtime.tool_timeout_s", "more than 0"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: -1.5", "oracle_runtime.tool_timeout_s", "more than 0"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: true", "oracle_runtime.tool_timeout_s", "a finite number"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: .inf", "oracle_runtime.tool_timeout_s", "a finite number"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: -.inf", "oracle_runtime.tool_timeout_s", "a finite number"),
    ("  tool_timeout_s: 2", "  tool_timeout_s: .nan", "oracle_runtime.tool_timeout_s", "a finite number"),
    ("  tool_timeout_s: 2", "  tool_timeout: 2", "`tool_timeout`", "Did you mean `tool_timeout_s`?"),
    ("  allowed_roots: [data]", "  allowed_roots: data", "oracle_runtime.allowed_roots", "a list of names"),
    ("  policy: smoke_no_publication", "  policy: smoke", "lineage.policy", "`smoke_no_publication`"),
    ("    surface_judge: {enabled: false}", "    judge: {}", "`judge`", "Nothing reads"),
    (
        "    surface_judge: {enabled: false}",
        "    surface_judge: {enabled: 1}",
        "surface_judge.enabled",
        "true or false",
    ),
    (
        "    surface_judge: {enabled: false}",
        "    surface_judge: {model_config: {API-Key: hush}}",
        "lineage.roles.surface_judge.model_config.API-Key",
        "looks like a secret",
    ),
    (
        "    surface_judge: {enabled: false}",
        "    surface_judge: {model_config: {inference_parameters: []}}",
        "model_config.inference_parameters",
        "must be a mapping",
    ),
    (
        "  profile_influenced_surface: false",
        "  profile_influenced_surface: true",
        "profile_influenced_surface",
        "needs",
    ),
    ("  judge_advisory: null", "  judge_advisory: true", "lineage.judge_advisory", "must be null"),
    ("  language: en", "  language: ' '", "surface_generation.language", "not blank"),
    ("  language: en", "  langage: en", "`langage`", "Did you mean `language`?"),
    ("  paraphrases_per_template: 0", "  paraphrases_per_template: 1", "paraphrases_per_template", "must be 0"),
    ("  model_paraphrase_enabled: false", "  model_paraphrase_enabled: 'false'", "model_paraphrase_enabled", "true or"),
    ("  preserve_slot_values: true", "  surface_style_axes: []", "surface_style_axes", "must not be empty"),
    ("  preserve_slot_values: true", "  surface_style_axes: [a, a]", "surface_style_axes", "twice"),
    ('  contract_version: "1.1"', '  contract_version: "1.0"', "surface_quality_validation.contract_version", "`1.1`"),
    ("  drop_authority: false", "  drop_authority: true", "surface_quality_validation.drop_authority", "judge"),
    ("  tasks_per_category: 3", "  tasks_per_category: '4'", "task_generation.tasks_per_category", "a whole number"),
    ("  tasks_per_category: 3", "  tasks_per_category: 0", "task_generation.tasks_per_category", "at least 1"),
    ("  tasks_per_category: 3", "  tasks_per_category: 5", "task_generation.candidate_tasks_per_category", "at least"),
    ("  max_intent_share: 0.5", "  max_intent_share: 1.5", "task_generation.max_intent_share", "at most 1"),
    ("{easy: 0.25, medium: 0.75}", "{easy: 0.15, medium: 0.75}", "task_generation.difficulty_mix", "add up to 0.9"),
    ("{easy: 0.25, medium: 0.75}", "{easy: true, medium: 1.0}", "task_generation.difficulty_mix.easy", "a number"),
    ("{easy: 0.25, medium: 0.75}", "{}", "task_generation.difficulty_mix", "must not be empty"),
    ("{easy: 0.25, medium: 0.75}", "[easy]", "task_generation.difficulty_mix", "must be a mapping"),
    ("{easy: 0.25, medium: 0.75}", "{'': 1.0}", "task_generation.difficulty_mix.", "blank label"),
    ("policy_mix: {single_turn: 1.0}", "policy_mix: {single-turn: 1.0}", "policy_mix.single-turn", "Did you mean"),
    ("turn_mix: {single_turn: 1}", "turn_mix: {single_turn: 1.1, multi_turn: -0.1}", "turn_mix.single_turn", "from 0"),
    ("  eps: 0.08", "  eps: 0", "semantic_deduplication_config.eps", "below 1"),
    ("  eps: 0.08", "  eps: 1", "semantic_deduplication_config.eps", "below 1"),
    ("  eps: 0.08", "  eps: -0.1", "semantic_deduplication_config.eps", "below 1"),
    ("  eps: 0.08", "  eps: 1.1", "semantic_deduplication_config.eps", "below 1"),
    ("  eps: 0.08", '  contract_version: "1.1"', "semantic_deduplication_config.contract_version", "`1.0`"),
    ("  eps: 0.08", "  max_rows_per_intent: 1.5", "semantic_deduplication_config.max_rows_per_intent", "whole number"),
    ("  eps: 0.08", "  max_exact_surface_reuse: 0", "max_exact_surface_reuse", "at least 1"),
    ("  eps: 0.08", "  max_exact_surface_reuse: 'two'", "max_exact_surface_reuse", "whole number"),
    ("[template, model]", "[]", "semantic_deduplication_config.representative_source_preference", "must not be empty"),
    ("[template, model]", "[model, model]", "representative_source_preference", "twice"),
    ("[template, model]", "[oracle]", "representative_source_preference[0]", "`template`, `model`"),
    ("  unmet_target_policy: abort", "  unmet_target_policy: [abort]", "unmet_target_policy", "`publish_non_gold`"),
    ("  unmet_target_policy: abort", "  unmet_target_policy: halt", "unmet_target_policy", "`publish_non_gold`"),
    ("  unmet_target_policy: abort", "  unmet_target_policy: 1", "unmet_target_policy", "`publish_non_gold`"),
    ("[template, model]", "[judge]", "representative_source_preference[0]", "`template`, `model`"),
    ("exports: {bfcl_json: false", "exports: {bfcl_jsn: false", "`bfcl_jsn`", "Did you mean `bfcl_json`?"),
    ("exports: {bfcl_json: false", "exports: {bfcl_json: 0", "exports.bfcl_json", "true or false"),
]


@pytest.mark.parametrize(("old", "new", "name", "told"), REFUSALS, ids=[f"{new.strip()}" for _, new, *_ in REFUSALS])
def test_what_is_refused(tmp_path, old, new, name, told):
    assert FULL.count(old) == 1 or old in ("  eps: 0.08",)
    lines = refused(tmp_path, FULL.replace(old, new, 1))
    assert any(name in line and told in line for line in lines), lines
    assert not any("hush" in line for line in lines)
    at = FULL[: FULL.index(old)].count("\n") + 1
    if "\n" not in new and "is missing" not in told and "candidate" not in name:
        assert any(line.startswith(f"  validate.yaml:{at}:") for line in lines), lines


def test_faults_are_findings_too(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, FULL.replace("  eps: 0.08", "  eps: 2")))
    (found,) = caught.value.findings
    assert found.code == "invalid_setting"
    assert (found.place.file, found.place.line, found.place.column) == ("validate.yaml", 46, 8)


def test_all_faults_are_listed_at_once(tmp_path):
    text = FULL
    for old, new in [
        ("family: bfcl", "famly: bfcl"),
        ("  worker: process", "  worker: x"),
        ("  eps: 0.08", "  eps: 2"),
    ]:
        text = text.replace(old, new)
    lines = refused(tmp_path, text)
    assert [line.split(":")[1] for line in lines] == ["1", "13", "46"]


@pytest.mark.parametrize("section", ["oracle_pack", "oracle_runtime", "lineage", "task_generation", "exports"])
@pytest.mark.parametrize("value", ["[]", "5", "text"])
def test_a_section_that_is_no_mapping(tmp_path, section, value):
    data = yaml.safe_load(FULL) | {section: yaml.safe_load(value)}
    lines = refused(tmp_path, yaml.safe_dump(data))
    assert any(f"`{section}` must be a mapping" in line for line in lines)


def test_duplicate_keys_and_endless_numbers_are_refused(tmp_path):
    lines = refused(tmp_path, FULL + "family: bfcl\n")
    assert len(lines) == 1
    assert "`family`" in lines[0]


def test_words_that_yaml_versions_read_differently_are_no_fault(tmp_path):
    text = FULL.replace("drop_authority: false", "drop_authority: no")
    assert load_config(write(tmp_path, text)).random_seed == 7


def test_an_unquoted_clock_is_text_all_the_same(tmp_path):
    text = FULL.replace('"2026-03-02T09:00:00+07:00"', "2026-03-02T09:00:00+07:00")
    assert load_config(write(tmp_path, text)).clock == "2026-03-02T09:00:00+07:00"


def test_placeholders_are_allowed_in_a_template(tmp_path):
    text = FULL.replace("resolved", "template").replace("stage: all", "stage: REPLACE_ME_STAGE")
    assert load_config(write(tmp_path, text)).random_seed == 7


# Lineage

MODEL = "{alias: a, provider: p, model: m, canonical_id: %s}"


def roles(**canonical_ids: str) -> str:
    lines = [f"    {role}: {{enabled: true, model_config: {MODEL % name}}}" for role, name in canonical_ids.items()]
    text = FULL[: FULL.index("  roles:")] + "  roles:\n" + "\n".join(lines) + "\n" + FULL[FULL.index("surface_gen") :]
    return text.replace("smoke_no_publication", "strict_separation")


def test_strict_separation_wants_distinct_models(tmp_path):
    quality = "enabled: false\n  drop_authority: false", "enabled: true\n  drop_authority: false"
    text = roles(surface_judge="' Fox-1'", paraphrase="fox-1").replace(*quality)
    text = text.replace("model_paraphrase_enabled: false", "model_paraphrase_enabled: true")
    text = text.replace("paraphrases_per_template: 0", "paraphrases_per_template: 2")
    lines = refused(tmp_path, text)
    assert len(lines) == 1
    assert "lineage.roles.surface_judge.model_config.canonical_id" in lines[0]
    load_config(write(tmp_path, text.replace("strict_separation", "smoke_no_publication")))
    load_config(write(tmp_path, text.replace("fox-1}", "owl-1}")))


def test_an_enabled_role_names_its_model(tmp_path):
    lines = refused(tmp_path, roles(paraphrase="null"))
    assert any("lineage.roles.paraphrase.model_config.canonical_id` is null" in line for line in lines)
    assert any("surface_generation.model_paraphrase_enabled" in line for line in lines)


def test_the_judge_needs_quality_validation(tmp_path):
    lines = refused(tmp_path, roles(surface_judge="fox"))
    assert any("surface_quality_validation.enabled" in line for line in lines)


def test_deduplication_that_is_on_needs_its_settings(tmp_path):
    text = FULL.replace("_config:\n  enabled: false", "_config:\n  enabled: true")
    lines = refused(tmp_path, text)
    for name in ("model_identifier", "n_clusters", "remove_duplicates"):
        assert any(f"semantic_deduplication_config.{name}` is missing" in line for line in lines)
    assert any("needs `surface_quality_validation.enabled`" in line for line in lines)
    assert len(lines) == 4
    without_eps = refused(tmp_path, text.replace("  eps: 0.08\n", ""))
    assert any("semantic_deduplication_config.eps` is missing" in line for line in without_eps)


def test_quality_validation_needs_no_judge_unless_it_may_drop_rows(tmp_path):
    text = FULL.replace("  enabled: false\n  drop_authority: false", "  enabled: true\n  drop_authority: false")
    assert load_config(write(tmp_path, text)).random_seed == 7
    (line,) = refused(tmp_path, text.replace("drop_authority: false", "drop_authority: true"))
    assert "surface_quality_validation.drop_authority" in line
    assert "judge" in line


# Reference benchmark

SAMPLE = {"sample_id": "s1", "language": "en", "tags": ["x"], "messages": [{"role": "user", "content": "Hello"}]}


def with_samples(folder: Path, lines: list[str], content_hash: str | None = None) -> str:
    data = "\n".join(lines).encode()
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "samples.jsonl").write_bytes(data)
    pinned = content_hash or f"sha256:{digest_bytes(data)}"
    return f"{FULL}reference_benchmark:\n  name: b\n  samples_path: data/samples.jsonl\n  content_hash: '{pinned}'\n"


def test_samples_that_are_as_pinned(tmp_path):
    lines = [json.dumps(SAMPLE), "", json.dumps(SAMPLE | {"sample_id": "s2"})]
    text = with_samples(tmp_path, lines)
    assert load_config(write(tmp_path, text)).random_seed == 7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sample_id": ""}, "no `sample_id` in line 1"),
        ({"language": None}, "no `language`"),
        ({"tags": ["", 5]}, "`tags`"),
        ({"messages": []}, "no `messages`"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "no `messages`"),
        ({"meta": [{"expected_tool_calls": []}]}, "`expected_tool_calls`"),
    ],
)
def test_samples_that_may_not_be_used(tmp_path, change, told):
    lines = refused(tmp_path, with_samples(tmp_path, [json.dumps(SAMPLE | change)]))
    assert len(lines) == 1
    assert told in lines[0]
    assert "reference_benchmark.samples_path" in lines[0]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "holds no sample"),
        (["5"], "no object"),
        (["{"], "no usable JSON in line 1"),
        ([json.dumps(SAMPLE)] * 2, "`s1` again in line 2"),
    ],
)
def test_files_of_samples_that_may_not_be_used(tmp_path, lines, told):
    assert told in refused(tmp_path, with_samples(tmp_path, lines))[0]


def test_samples_that_differ_from_what_is_pinned(tmp_path):
    text = with_samples(tmp_path, [json.dumps(SAMPLE)], "sha256:" + "0" * 64)
    assert "is not the hash" in refused(tmp_path, text)[0]
    text = with_samples(tmp_path, [json.dumps(SAMPLE)], "md5:0")
    assert "64 hexadecimal digits" in refused(tmp_path, text)[0]


def test_samples_outside_the_roots_or_missing(tmp_path):
    text = with_samples(tmp_path, [json.dumps(SAMPLE)])
    assert "lies outside" in refused(tmp_path, text.replace("allowed_roots: [data]", "allowed_roots: []"))[0]
    assert "cannot be read" in refused(tmp_path, text.replace("samples.jsonl", "gone.jsonl"))[0]


def test_the_profile_role_needs_samples(tmp_path):
    lines = refused(tmp_path, roles(profile="fox"))
    assert any("reference_benchmark" in line and "profile role" in line for line in lines)


# Settings for cache keys


def test_settings_are_json_and_the_same_on_every_host(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    text = FULL.replace("manifest.yaml", "manifest.yaml\n  backend_path: b.py")
    names = ("clock", "limits", "task_generation", "surface_generation", "templates", "overrides", "random_seed")
    first, second = (load_config(write(tmp_path / host, text)).settings(names) for host in ("a", "b"))
    assert first == second
    assert json.loads(json.dumps(first)) == first
    assert first["overrides"] == ["backend"]
    assert first["limits"]["tool_s"] == 2.0


@pytest.mark.parametrize("name", ["manifest_path", "output_dir", "allowed_roots", "raw"])
def test_places_on_this_host_are_no_part_of_a_key(name):
    with pytest.raises(ValueError, match=name):
        RunConfig(manifest_path=Path("/x")).settings((name,))


def test_options_of_the_command_line_come_on_top():
    config = RunConfig(manifest_path=Path("/x"), templates=("a",))
    changed = config.with_options(exhaustive=True, language="vi", output_dir=Path("/o"))
    assert (changed.exhaustive, changed.templates, changed.output_dir) == (True, ("a",), Path("/o"))
    assert changed.surface_generation.language == "vi"
    assert config.with_options() == config


# Any value anywhere


def nodes(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from nodes(part, (*path, step))


DATA = yaml.safe_load(FULL)
VALUES = st.sampled_from(
    [None, True, "", 0, -1, 1.5, [], {}, "x", ["x"], {"x": 1}, [None], "a\0b", float("nan"), "..", "~"]
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(list(nodes(DATA))), VALUES)
def test_any_value_at_any_node_is_read_or_refused(tmp_path, path, value):
    copied = json.loads(json.dumps(DATA))
    parent = copied
    for step in path[:-1]:
        parent = parent[step]
    if path:
        parent[path[-1]] = value
    else:
        copied = value
    try:
        config = load_config(write(tmp_path, yaml.safe_dump(copied)))
    except ConfigError as error:
        assert str(error)
    else:
        assert config.manifest_path.is_absolute()

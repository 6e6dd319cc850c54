"""Reading a run config file, or making one up for a pack folder (`reference/loading.md` 11; ruling 5)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.config import values
from assay.config.lineage import check_lineage
from assay.config.reference_benchmark import check_reference_benchmark
from assay.config.run_config import DEFAULT_NAME, ConfigError, RunConfig, SurfaceGeneration, TaskGeneration
from assay.config.sections import check_deduplication, check_exports, check_quality, check_surface, check_tasks
from assay.findings import Severity
from assay.oracle.limits import Limits
from assay.pack.bounds import MAX_DOCUMENT_BYTES, MAX_PATH
from assay.pack.collector import Collector
from assay.pack.fields import Fields
from assay.pack.manifest import is_moment
from assay.pack.tree import TooLargeError, read_regular_file
from assay.pack.wording import described
from assay.pack.yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.findings import Finding

MANIFEST_NAME: Final = "manifest.yaml"

_SECTIONS: Final = (
    "surface_generation",
    "surface_quality_validation",
    "task_generation",
    "semantic_deduplication_config",
    "exports",
)
_CARRIED: Final = ("input_dir", "generation_model_config", "judge_model_config", "translation_config_path")
_TOP_KEYS: Final = (
    "family",
    "expt_name",
    "output_dir",
    "oracle_pack",
    "oracle_runtime",
    "lineage",
    "stage",
    "random_seed",
    "ndd_batch_size",
    "schema_version",
    "config_status",
    "eval_config_path",
    "eval",
    *_CARRIED,
    *_SECTIONS,
    "reference_benchmark",
)
_ROLE_OF: Final = {
    "backend_path": "backend",
    "endpoint_config_path": "endpoint",
    "fixtures_path": "fixtures",
    "task_templates_path": "templates",
    "assertions_path": "assertions",
    "validation_cases_path": "validation_cases",
}
_TIMEOUTS: Final = {
    "import_timeout_s": "import_s",
    "reset_timeout_s": "reset_s",
    "tool_timeout_s": "tool_s",
    "assertion_timeout_s": "assertion_s",
    "episode_timeout_s": "episode_s",
}
_PLACEHOLDER: Final = "REPLACE_ME_"


def config_for_pack(path: Path) -> RunConfig:
    """Return the run config of a pack folder alone, or of its manifest file: every setting has its default.

    Raises:
        ConfigError: when there is nothing at that path.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as given; loading judges them
    if absolute.is_dir():
        return RunConfig(manifest_path=absolute / MANIFEST_NAME)
    if absolute.is_file():
        return RunConfig(manifest_path=absolute)
    raise ConfigError(f"there is no pack at {path}")


def load_config(path: Path) -> RunConfig:
    """Read a run config file. Relative paths in it count from its own folder.

    Raises:
        ConfigError: when it cannot be used; it lists everything that is wrong.
    """
    found = Collector()
    fields = _read(path, found)
    config = None if fields is None else _build(fields, Path(os.path.abspath(path)).parent)  # noqa: PTH100
    faults = tuple(each for each in found.listed() if each.is_error)
    if config is None or faults:
        lines = [f"the run config {path} cannot be used:", *(_line(each) for each in faults)]
        raise ConfigError("\n".join(lines), faults)
    return config


def _line(fault: Finding) -> str:
    return f"  {fault.place}: {fault.message}" if fault.place is not None else f"  {fault.message}"


def _read(path: Path, found: Collector) -> Fields | None:
    """Return the reader of the document; None when it cannot be parsed or is no mapping, as reported.

    Raises:
        ConfigError: when the file cannot be read.
    """
    try:
        source = read_regular_file(path.resolve(), MAX_DOCUMENT_BYTES)
    except TooLargeError:
        raise ConfigError(f"the run config {path} holds more than {MAX_DOCUMENT_BYTES} bytes") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"the run config {path} cannot be read: {reason.lower()}") from None
    document, findings = read_yaml(path.name, source)
    found.keep_all(findings)
    if document is None:
        return None
    is_mapping = isinstance(document.data, dict)
    fields = Fields(data=document.data if is_mapping else {}, at=document.anchor(), found=found)
    if not is_mapping:
        fields.wrong("a mapping", document.data)
    return fields if is_mapping else None


def _build(fields: Fields, base: Path) -> RunConfig | None:
    """Return the config of a document, checked whole; None when it does not say where the pack is."""
    fields.check_keys(_TOP_KEYS, unknown=Severity.ERROR)
    _check_top(fields)
    pack = fields.below("oracle_pack", fields.mapping("oracle_pack"))
    manifest_path = _manifest_path(fields, pack, base)
    overrides = _overrides(pack, base)
    runtime = fields.below("oracle_runtime", fields.mapping("oracle_runtime"))
    allowed_roots = _runtime_roots(runtime, base)
    sections = {name: fields.below(name, fields.mapping(name)) for name in _SECTIONS}
    lineage = check_lineage(fields, sections["surface_generation"], sections["surface_quality_validation"])
    check_quality(sections["surface_quality_validation"], judge_enabled=lineage.judge_enabled)
    check_deduplication(sections["semantic_deduplication_config"], sections["surface_quality_validation"])
    check_exports(sections["exports"])
    roots = allowed_roots if manifest_path is None else (manifest_path.parent, *allowed_roots)
    check_reference_benchmark(fields, base, roots, required=lineage.profile_enabled)
    name, output_dir = _experiment(fields, base, manifest_path)
    if manifest_path is None:
        return None
    return RunConfig(
        manifest_path=manifest_path,
        expt_name=name,
        output_dir=output_dir,
        overrides=overrides,
        allowed_roots=allowed_roots,
        clock=_clock(runtime),
        worker=values.choice(runtime, "worker", ("process", "thread")) or "process",
        limits=_limits(runtime),
        random_seed=fields.whole("random_seed") or 0,
        lineage_policy=lineage.policy,
        task_generation=TaskGeneration(**check_tasks(sections["task_generation"])),
        surface_generation=SurfaceGeneration(**check_surface(sections["surface_generation"])),
        raw=dict(fields.data),
    )


def _check_top(fields: Fields) -> None:
    """Check the settings that only have to be right; nothing here reads them later."""
    values.choice(fields, "family", ("bfcl",))
    fields.text("stage")
    fields.whole("ndd_batch_size", at_least=1)
    version = fields.get("schema_version")
    if version is not None and str(version) != "1.1":
        values.invalid(fields, "schema_version", f'must be "1.1", but it is {described(version)}')
    values.nonblank(fields, "eval_config_path")
    fields.mapping("eval")
    if fields.get("eval_config_path") is not None and fields.get("eval") is not None:
        values.invalid(fields, "eval", "and `eval_config_path` cannot both be given")
    if values.choice(fields, "config_status", ("template", "resolved")) == "resolved":
        for path in _placeholders(dict(fields.data), ()):
            fields.report("invalid_setting", f"{fields.named(*path)} still holds `{_PLACEHOLDER}`.", *path)


def _placeholders(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all texts that were to be replaced."""
    if isinstance(value, str) and _PLACEHOLDER in value:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from _placeholders(part, (*path, step))


def _absolute(text: str, base: Path) -> Path:
    return Path(os.path.normpath(base / Path(text).expanduser()))


def _manifest_path(fields: Fields, pack: Fields, base: Path) -> Path | None:
    pack.check_keys(("manifest_path", *_ROLE_OF), unknown=Severity.ERROR)
    if isinstance(fields.get("oracle_pack") or {}, dict):
        pack.require("manifest_path")
    text = values.nonblank(pack, "manifest_path")
    return None if text is None else _absolute(text, base)


def _overrides(pack: Fields, base: Path) -> dict[str, Path]:
    given = {role: text for key, role in _ROLE_OF.items() if (text := values.nonblank(pack, key)) is not None}
    if "backend" in given and "endpoint" in given:
        values.invalid(pack, "endpoint_config_path", "and `oracle_pack.backend_path` cannot both be given")
    return {role: _absolute(text, base) for role, text in given.items()}


def _runtime_roots(runtime: Fields, base: Path) -> tuple[Path, ...]:
    runtime.check_keys(("clock", "worker", "allowed_roots", *_TIMEOUTS), unknown=Severity.ERROR)
    return tuple(_absolute(text, base) for _, text in runtime.names("allowed_roots", longest=MAX_PATH))


def _clock(runtime: Fields) -> str | None:
    clock = runtime.text("clock")
    if clock is not None and not is_moment(clock):
        what = 'must be a quoted ISO-8601 moment with a UTC offset, such as "2026-03-02T09:00:00+07:00"'
        values.invalid(runtime, "clock", f"{what}, but it is {described(clock)}")
    return clock


def _limits(runtime: Fields) -> Limits:
    defaults = Limits()
    given: dict[str, Any] = {
        limit: values.seconds(runtime, key, getattr(defaults, limit)) for key, limit in _TIMEOUTS.items()
    }
    return replace(defaults, **given)


def _experiment(fields: Fields, base: Path, manifest_path: Path | None) -> tuple[str, Path | None]:
    """Return the name and the output folder of the run, which must not lie in the pack folder."""
    name = values.nonblank(fields, "expt_name") or DEFAULT_NAME
    if name != name.strip() or name in (".", "..") or "/" in name or "\\" in name:
        values.invalid(fields, "expt_name", f"must be one plain folder name, but it is {described(name)}")
        return DEFAULT_NAME, None
    text = values.nonblank(fields, "output_dir")
    if text is None:
        return name, None
    output_dir = _absolute(text, base)
    if manifest_path is not None and _is_within(output_dir / name, manifest_path.parent):
        values.invalid(fields, "output_dir", "leads into the pack folder, which what a run writes would change")
    return name, output_dir


def _is_within(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))

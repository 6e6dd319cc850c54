"""Loading a pack: from a folder to the model, the snapshot, and everything that is wrong.

    folder -> tree (each file read once) -> manifest -> files by role -> documents -> model -> snapshot

Each step works with what the step before could save, so that a missing tools file does not hide a template's faults.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.findings import Place
from assay.pack.cases import read_cases
from assay.pack.collector import Collector
from assay.pack.exposure import Catalogue
from assay.pack.fields import Fields
from assay.pack.fingerprint import fingerprint, part_digests
from assay.pack.fixtures import (
    Collections,
    bound_collections,
    check_absent_ids,
    check_declared_keys,
    check_row_ids,
    read_fixtures,
)
from assay.pack.held_out import read_held_out
from assay.pack.json_reader import read_json
from assay.pack.manifest import manifest_fields, read_manifest
from assay.pack.mixes import check_mixes
from assay.pack.model import KnownBy, Pack
from assay.pack.paths import RoleFiles, choose_files
from assay.pack.prompt import read_prompt
from assay.pack.snapshot import note_identity, take_snapshot
from assay.pack.templates import read_templates
from assay.pack.tools import read_tools
from assay.pack.tree import Tree, read_tree
from assay.pack.yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.findings import Finding
    from assay.pack.document import Anchor, Document
    from assay.pack.model import HeldOut, Manifest, Template
    from assay.pack.request import LoadRequest
    from assay.values import JsonObject

    Reader = Callable[[str, bytes], tuple[Document | None, tuple[Finding, ...]]]

T = TypeVar("T")

CODE_ROLES = frozenset({"backend", "assertions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What came of loading.

    Attributes:
        pack: None when there is no usable manifest.
        findings: everything that is wrong, in the order of reports.
    """

    pack: Pack | None
    findings: tuple[Finding, ...]


def identify_pack(request: LoadRequest, snapshots: Path | None = None) -> KnownBy | None:
    """Return what a pack is known by and take its snapshot; of its documents, only the manifest is looked into.

    That is all one needs to find what was made of the pack before. It takes a fraction of `load_pack`, which would give
    the same.

    Returns:
        None when there is no usable manifest.

    Raises:
        OSError: when the snapshot cannot be written.
    """
    loading = _begin(request, Collector())
    return None if loading is None else loading.identify(snapshots or _default_snapshots())


def load_pack(request: LoadRequest, snapshots: Path | None = None) -> LoadResult:
    """Load a pack and take its snapshot.

    Args:
        request: the run config, or as much of it as loading needs.
        snapshots: the folder of all snapshots; None for one in the user's cache folder.

    Raises:
        OSError: when the snapshot cannot be written. Whatever is wrong with the pack is a finding.
    """
    found = Collector()
    loading = _begin(request, found)
    pack = None if loading is None else loading.load(snapshots or _default_snapshots())
    return LoadResult(pack=pack, findings=found.listed())


def _begin(request: LoadRequest, found: Collector) -> _Loading | None:
    """Read the files of a pack and its manifest; None, as reported, when there is no usable one."""
    root = Path(os.path.realpath(request.manifest_path.parent))
    name = request.manifest_path.name
    try:
        tree = read_tree(root, found)
    except OSError:
        found.add("missing_pack_file", "The pack folder cannot be listed.", at=None)
        return None
    manifest = _read_manifest_file(name, tree, found)
    if manifest is None:
        return None
    files = choose_files(manifest, name, tree, request.overrides, request.allowed_roots)
    return _Loading(request, tree, files, manifest, found)


def _default_snapshots() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - runs with a store of their own do not pay for it

    return user_cache_path("assay") / "snapshots"


def _read_manifest_file(name: str, tree: Tree, found: Collector) -> Fields | None:
    data = tree.read(name)
    if data is None:
        if not tree.is_refused(name):
            is_folder = (tree.root / name).is_dir()
            what = "is a folder, not a file" if is_folder else "does not exist"
            found.add(
                "not_a_file" if is_folder else "missing_pack_file", f"The manifest `{name}` {what}.", at=Place(name)
            )
        return None
    document, findings = read_yaml(name, data)
    found.keep_all(findings)
    return None if document is None else manifest_fields(document, found)


class _Loading:
    """One pack being read, once its manifest and its files are known."""

    def __init__(self, request: LoadRequest, tree: Tree, files: RoleFiles, manifest: Fields, found: Collector) -> None:
        self._request = request
        self._tree = tree
        self._files = files
        self._manifest = manifest
        self._found = found
        self._unusable = set(files.failed)
        if not tree.complete:
            self._unusable |= CODE_ROLES

    def identify(self, snapshots: Path) -> KnownBy:
        """Take the snapshot and return what the pack is known by."""
        manifest = read_manifest(self._manifest, self._prompt())
        _, whole, parts = self._kept(snapshots)
        return KnownBy(pack_id=manifest.pack_id, version=manifest.version, fingerprint=whole, part_digests=parts)

    def load(self, snapshots: Path) -> Pack:
        """Read all files, check what concerns several of them, and take the snapshot."""
        manifest = read_manifest(self._manifest, self._prompt())
        tools = self._read("tools", read_json, read_tools)
        collections = self._collections(manifest)
        catalogue = Catalogue(tuple(tool.name for tool in tools or ()), known=tools is not None)
        templates = self._read(
            "templates", read_yaml, lambda document, found: read_templates(document, catalogue, found)
        )
        cases = self._read("validation_cases", read_yaml, read_cases)
        self._read("endpoint", read_yaml, _check_endpoint)
        held_out = self._held_out(manifest, collections, templates)
        self._check_across(manifest, collections, templates or (), held_out)
        return self._pack(
            snapshots,
            manifest=manifest,
            tools=tools or (),
            fixtures=collections.data,
            fixtures_at=collections.at,
            templates=templates or (),
            cases=cases or (),
            held_out=held_out,
        )

    # Files

    def _bytes(self, role: str) -> bytes | None:
        name = self._files.names.get(role)
        if name is None:
            return None
        return self._files.outside[name] if name in self._files.outside else self._tree.read(name)

    def _read(self, role: str, reader: Reader, build: Callable[[Document, Collector], T | None]) -> T | None:
        """Return what the file of a role says; None when there is none or, reported, when it cannot be used."""
        data = self._bytes(role)
        if data is None:
            return None
        document, findings = reader(self._files.names[role], data)
        self._found.keep_all(findings)
        built = None if document is None else build(document, self._found)
        if built is None:
            self._unusable.add(role)
        return built

    def _collections(self, manifest: Manifest) -> Collections:
        def build(document: Document, found: Collector) -> tuple[JsonObject, Anchor] | None:
            fixtures = read_fixtures(document, found)
            return None if fixtures is None else (fixtures, document.anchor())

        fixtures, at = self._read("fixtures", read_json, build) or (None, None)
        return Collections(fixtures, at, manifest.primary_keys, known="fixtures" not in self._unusable)

    def _prompt(self) -> str | None:
        data = self._bytes("system_prompt")
        if data is None:
            return None
        prompt = read_prompt(self._files.names["system_prompt"], data, self._found)
        if prompt is None:
            self._unusable.add("system_prompt")
        return prompt

    # What concerns several files

    def _held_out(
        self, manifest: Manifest, collections: Collections, templates: tuple[Template, ...] | None
    ) -> HeldOut | None:
        ids = None if templates is None else [template.template_id for template in templates]
        source = self._files.held_out_source

        def build(document: Document, found: Collector) -> HeldOut | None:
            return read_held_out(
                document, found, source=source, manifest=manifest, collections=collections, template_ids=ids
            )

        return self._read("held_out", read_yaml, build)

    def _check_across(
        self, manifest: Manifest, collections: Collections, templates: tuple[Template, ...], held_out: HeldOut | None
    ) -> None:
        check_declared_keys(collections, manifest, self._found)
        reserved = held_out.fixtures if held_out is not None else {}
        check_row_ids(collections, {*manifest.primary_keys, *reserved, *bound_collections(templates)}, self._found)
        check_absent_ids(collections, manifest, self._found)
        if "templates" not in self._unusable:
            at = Place(self._files.names["templates"])
            check_mixes(templates, self._request.task_generation.mixes, at, self._found)

    # The snapshot

    def _kept(self, snapshots: Path) -> tuple[Path, str, Mapping[str, str]]:
        """Take the snapshot; return its folder, the pack's fingerprint, and the digests of its parts."""
        roles = dict(self._files.names)
        files = {**self._tree.files, **self._files.outside}
        failed = [(why, f"/{role}") for role, why in self._files.failed.items()]
        refused = [*self._tree.refused, *failed]
        whole = fingerprint(files, roles, refused)
        note_identity(snapshots, whole, roles, refused)
        return take_snapshot(snapshots, whole, files), whole, part_digests(files, roles, whole)

    def _pack(self, snapshots: Path, **parts: Any) -> Pack:
        root, whole, digests = self._kept(snapshots)
        return Pack(
            root=root,
            fingerprint=whole,
            part_digests=digests,
            paths=self._files.paths(),
            unusable=frozenset(self._unusable),
            **parts,
        )


def _check_endpoint(document: Document, found: Collector) -> bool | None:
    """Report an endpoint file that is no mapping; its fields are read by the endpoint transport."""
    if isinstance(document.data, dict):
        return True
    Fields(data={}, at=document.anchor(), found=found).wrong("a mapping", document.data)
    return None

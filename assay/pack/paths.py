"""Which file plays which role, and whether it may (`reference/loading.md` 1; rulings 10 and 11).

For each role the run config's file counts, else the manifest's, else the default name. A file must lie in the pack
folder or in an allowed root, and no symbolic link may lead to it. Files from outside get a name of their own in the
snapshot, so that nothing depends on where a host keeps them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Severity
from assay.pack.bounds import MAX_DOCUMENT_BYTES
from assay.pack.model import PackPaths
from assay.pack.tree import OUTSIDE_FOLDER, NotRegularFileError, TooLargeError, is_ignored, read_regular_file
from assay.pack.wording import described
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.pack.fields import Fields
    from assay.pack.tree import Tree

DEFAULT_NAMES: Final = {
    "tools": "tools.json",
    "fixtures": "fixtures.json",
    "templates": "task_templates.yaml",
    "assertions": "assertions.py",
    "validation_cases": "validation_cases.yaml",
    "backend": "backend.py",
    "endpoint": "endpoint_config.yaml",
}
_REQUIRED: Final = ("tools", "templates", "assertions", "validation_cases")
_TRANSPORTS: Final = ("backend", "endpoint")
_TOP_LEVEL: Final = {"system_prompt": "system_prompt_path", "held_out": "held_out"}


@dataclass(frozen=True, slots=True)
class _Choice:
    """The file chosen for a role: what was written, and by whom (as a path in the manifest; None: the run config)."""

    written: str
    declared_at: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The name for messages; of a path from the run config only the last part, which is the same on every host."""
        return self.written if self.declared_at is not None else Path(self.written).name


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleFiles:
    """The chosen files.

    Attributes:
        names: role -> path in the snapshot, for every role whose file can be read.
        outside: path in the snapshot -> bytes, for files from outside the pack folder.
        failed: role -> why, for roles that are declared or required and whose file cannot be read. Like everything
            that findings are made from, it is part of the fingerprint.
        held_out_source: the policy path that the manifest declares.
    """

    names: Mapping[str, str]
    outside: Mapping[str, bytes]
    failed: Mapping[str, str]
    held_out_source: str

    def paths(self) -> PackPaths:
        """Return the roles as the model has them."""
        manifest, *others = PackPaths.__slots__
        return PackPaths(manifest=self.names[manifest], **{role: self.names.get(role) for role in others})


def choose_files(
    manifest: Fields, manifest_name: str, tree: Tree, overrides: Mapping[str, Path], allowed_roots: tuple[Path, ...]
) -> RoleFiles:
    """Choose and read the file of every role, and report those that cannot be used.

    Args:
        manifest: reader of the manifest.
        manifest_name: its path in the pack folder.
        tree: the pack folder.
        overrides: role -> absolute path, from the run config.
        allowed_roots: absolute folders that files may lie in besides the pack's own.
    """
    chooser = _Chooser(manifest, tree, overrides, allowed_roots)
    return chooser.choose(manifest_name)


@dataclass(slots=True)
class _Chooser:
    manifest: Fields
    tree: Tree
    overrides: Mapping[str, Path]
    allowed_roots: tuple[Path, ...]
    names: dict[str, str] = field(default_factory=dict)
    outside: dict[str, bytes] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def choose(self, manifest_name: str) -> RoleFiles:
        self.names["manifest"] = manifest_name
        declared = self._declared()
        for role in ("tools", "fixtures", "templates", "assertions", "validation_cases", "system_prompt", "held_out"):
            choice = self._choice(role, declared)
            if choice is not None:
                self._settle(role, choice)
        transport = self._transport(declared)
        if transport is not None:
            self._settle(*transport)
        source = declared.get("held_out")
        return RoleFiles(
            names=self.names,
            outside=self.outside,
            failed=self.failed,
            held_out_source=source.written if source is not None else "",
        )

    # What is declared

    def _declared(self) -> dict[str, _Choice]:
        """Return what the manifest declares; roles whose path is no text are reported."""
        paths = self.manifest.below("paths", self.manifest.mapping("paths"))
        paths.check_keys(DEFAULT_NAMES)
        found = {role: self._declared_path(paths, role, ("paths", role), role) for role in DEFAULT_NAMES}
        for role, key in _TOP_LEVEL.items():
            found[role] = self._declared_path(self.manifest, key, (key,), role)
        if self.manifest.get("held_out") is not None and not self.manifest.get("held_out"):
            self.manifest.wrong("the path of a file", self.manifest.get("held_out"), "held_out")
        return {role: choice for role, choice in found.items() if choice is not None}

    def _declared_path(self, fields: Fields, key: str, at: tuple[str, ...], role: str) -> _Choice | None:
        value: Any = fields.get(key)
        if not value:
            self._report_nothing(fields, key, role)
            return None
        if isinstance(value, str) and value.strip() and "\0" not in value:
            return _Choice(value, at)
        fields.wrong("the path of a file", value, key)
        self.failed[role] = "wrong_type"
        return None

    def _report_nothing(self, fields: Fields, key: str, role: str) -> None:
        """Tell of a value that names no file and counts as none (`reference/loading.md` 1.1); null says so itself."""
        value = fields.get(key)
        if value is not None and role != "held_out":
            message = f"{fields.named(key)} names no file: it is {described(value)}, which counts as if it were absent."
            fix = "Name the file, or remove the key."
            fields.report("wrong_type", message, key, severity=Severity.WARNING, fix=fix)

    def _choice(self, role: str, declared: Mapping[str, _Choice]) -> _Choice | None:
        if role in self.overrides:
            return _Choice(str(self.overrides[role]), None)
        if role in declared or role in self.failed:
            return declared.get(role)
        default = DEFAULT_NAMES.get(role)
        if default is None or (role not in _REQUIRED and not self._exists(default)):
            return None
        return _Choice(default, ("paths", role))

    def _exists(self, name: str) -> bool:
        return self.tree.read(name) is not None or self.tree.is_refused(name)

    def _transport(self, declared: Mapping[str, _Choice]) -> tuple[str, _Choice] | None:
        """Return the one transport of the oracle: config, then manifest, then the default names; backend first.

        A pack without any is reported where the oracle is asked for (`oracle_missing`).
        """
        if all(role in declared for role in _TRANSPORTS):
            message = "`paths` declares both a backend and an endpoint; an oracle has exactly one transport."
            self.manifest.report("both_transports_declared", message, "paths", "endpoint", key=True)
        for role in _TRANSPORTS:
            if role in self.overrides:
                return role, _Choice(str(self.overrides[role]), None)
        for role in _TRANSPORTS:
            if role in declared:
                return role, declared[role]
        present = [role for role in _TRANSPORTS if role not in self.failed and self._exists(DEFAULT_NAMES[role])]
        if len(present) == len(_TRANSPORTS):
            message = (
                "Both `backend.py` and `endpoint_config.yaml` are there and `paths` names neither: the backend is used."
            )
            self.manifest.report("transport_not_declared", message, "paths", key=True)
        return next(((role, _Choice(DEFAULT_NAMES[role], ("paths", role))) for role in present), None)

    # Where it is

    def _settle(self, role: str, choice: _Choice) -> None:
        name = self._located(role, choice)
        if name is not None:
            self.names[role] = name
        else:
            self.failed.setdefault(role, "refused")

    def _located(self, role: str, choice: _Choice) -> str | None:
        """Return the path in the snapshot of a chosen file; None, reported, when it cannot be used."""
        written = Path(os.path.normpath(self.tree.root / choice.written))
        real = Path(os.path.realpath(written))
        inside = next((each for each in (written, real) if each.is_relative_to(self.tree.root)), None)
        if inside is not None:
            return self._located_inside(role, choice, inside.relative_to(self.tree.root).as_posix())
        base = next((root for root in self.allowed_roots if real.is_relative_to(os.path.realpath(root))), None)
        if base is None:
            self._report("path_outside_roots", role, choice, "lies outside the pack folder and the allowed roots")
        elif _leads_through_link(written, Path(os.path.realpath(base))):
            self._report("symbolic_link", role, choice, "is reached through a symbolic link")
        else:
            return self._read_outside(role, choice, written)
        return None

    def _located_inside(self, role: str, choice: _Choice, name: str) -> str | None:
        if self.tree.read(name) is not None:
            return name
        if self.tree.is_refused(name):
            return None
        if is_ignored(name):
            self._report("missing_pack_file", role, choice, "lies in a folder that is no part of a pack")
        elif os.path.isdir(self.tree.root / name):  # noqa: PTH112 - unlike Path.is_dir it bears names that are too long
            self._report("not_a_file", role, choice, "is a folder")
        else:
            self._report("missing_pack_file", role, choice, "does not exist")
        return None

    def _read_outside(self, role: str, choice: _Choice, path: Path) -> str | None:
        try:
            data = read_regular_file(path, MAX_DOCUMENT_BYTES)
        except NotRegularFileError:
            self._report("not_a_file", role, choice, "is no regular file")
        except TooLargeError:
            self._report("input_too_large", role, choice, f"holds more than {MAX_DOCUMENT_BYTES} bytes")
        except FileNotFoundError:
            self._report("missing_pack_file", role, choice, "does not exist")
        except OSError as error:
            self._report("unreadable_file", role, choice, f"cannot be read: {(error.strerror or 'error').lower()}")
        else:
            name = f"{OUTSIDE_FOLDER}/{role}/{path.name}"
            self.outside[name] = data
            return name
        return None

    def _report(self, code: str, role: str, choice: _Choice, what: str) -> None:
        by = " of the run config" if choice.declared_at is None else ""
        message = f"The {role.replace('_', ' ')} file {shown(choice.name, 80)}{by} {what}."
        self.failed[role] = f"{code} {choice.name}"
        self.manifest.report(code, message, *(choice.declared_at or ("paths", role)), detail={"role": role})


def _leads_through_link(path: Path, base: Path) -> bool:
    """Say whether a path, or a folder between it and the folder that it lies in, is a symbolic link."""
    for each in (path, *path.parents):
        if Path(os.path.realpath(each)) == base:
            return False
        if os.path.islink(each):  # noqa: PTH114 - unlike Path.is_symlink it bears names that are too long
            return True
    return False

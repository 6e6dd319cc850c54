"""A store that many machines share: artifacts in the mirror, pushed and pulled (`shared.place`).

Many writers may write the same key at once. Further tables are pushed first and the main one last, so that an artifact
is there exactly when its main table is and agrees with the others; the first that is complete stays. A reader that
finds anything else treats it as absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from assay.artifacts.shared.place import SharedPlace, shared_place
from assay.artifacts.store import Store, read_artifact, read_facts

if TYPE_CHECKING:
    from pathlib import Path

    from assay.artifacts.artifact import Artifact
    from assay.artifacts.artifact_writer import ArtifactWriter


@dataclass(frozen=True)
class SharedStore(Store):
    """Artifacts below a shared root. `root` is the mirror; snapshots are only there, because they are executed."""

    place: SharedPlace

    @classmethod
    def at(cls, root: str) -> Self:
        """Return the store at a URL."""
        place = shared_place(root)
        return cls(place.mirror, place)

    def find(self, stage: str, pack_id: str, key: str) -> Artifact | None:
        """Return the complete, final artifact of that key, or None. What counts is what others see, not the mirror.

        Raises:
            StoreError: when the shared place does not answer.
        """
        path = self.folder(stage, pack_id) / f"{key}.parquet"
        return read_artifact(path) if self._pulled(path) else None

    def _pulled(self, path: Path) -> bool:
        """Bring an artifact into the mirror; say whether the shared place has all its files."""
        if not self.place.pull([path]):
            return False
        facts = read_facts(path)
        siblings = () if facts is None else facts["siblings"]
        return self.place.pull([path.with_name(f"{path.stem}.{table}.parquet") for table in siblings])

    def holds_remains(self, stage: str, pack_id: str, key: str) -> bool:
        """Say whether there is a main file of that key, whole or not; raises what `find` raises."""
        return self.place.pull([self.folder(stage, pack_id) / f"{key}.parquet"])

    def publish(self, writer: ArtifactWriter, pack_id: str, *, provisional_run: str | None = None) -> Artifact:
        """Give what was written its name in this store, unless another has been there first.

        Raises:
            StoreError: when the file system or the shared place refuses; nothing readable is left behind then.
        """
        first = self.find(writer.stage, pack_id, writer.key) if provisional_run is None else None
        if first is not None:
            return first
        made = super().publish(writer, pack_id, provisional_run=provisional_run)
        for table in (*made.siblings, made.main):
            self.place.push(made.file_of(table))
        return made

    def address_of(self, artifact: Artifact) -> str:
        """Return how references and records name an artifact."""
        return self.place.address_of(artifact.path)

    def path_of(self, address: str) -> Path:
        """Return the main file that an address stands for, fetched with what belongs to it; raises what `open` raises.

        A copy in the mirror will do: whoever has the address has it from a stage that found or made the artifact.
        """
        path = self.place.path_of(address)
        if read_artifact(path) is None:
            self._pulled(path)
        return path

    def open(self, address: str) -> Artifact | None:
        """Return the complete artifact of that address, or None.

        Raises:
            StoreError: when the shared place does not answer.
        """
        return read_artifact(self.path_of(address))

    def fetch(self, path: Path) -> None:
        """Bring a file up to date before it is read; raises what `open` raises."""
        self.place.pull([path])

    def share(self, path: Path) -> None:
        """Let others see a file that was written.

        Raises:
            StoreError: when the shared place refuses.
        """
        self.place.push(path)

    def list_folder(self, name: str) -> list[Path]:
        """Return the files of a folder below the root, sorted and fetched; raises what `open` raises."""
        return sorted(self.place.pull_tree(self.root / name))

    def files(self) -> list[Path]:
        """Return the files of all final artifacts, fetched; raises what `open` raises."""
        names = [path for path in self.place.names(self.root) if path.parent.parent.parent == self.root]
        wanted = [path for path in names if path.parent.parent.name.startswith("stage=")]
        self.place.pull(wanted)
        return sorted(wanted)

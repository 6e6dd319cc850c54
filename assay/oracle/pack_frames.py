"""From an exception of pack code to a place, a message and a traceback that are the same in every run.

Paths become relative to the pack, or begin with what they belong to (`<python>`, `<site-packages>`, `<scratch>`);
memory addresses are blotted out; frames of our own worker never appear (ruling 2).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from assay.findings import Place
from assay.oracle import interpreter
from assay.values import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.oracle.faults import Fault, Frame

MESSAGE_LENGTH: Final = 500
SOURCE_LENGTH: Final = 200
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_CAUSE: Final = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT: Final = "\nDuring handling of the above exception, another exception occurred:\n\n"


class PackFrames:
    """Reads faults in one pack's code.

    Args:
        root: the folder that workers run the pack from.
        known: other absolute paths -> what to write in their place.
    """

    def __init__(self, root: Path, known: Mapping[Path, str]) -> None:
        self._root = root
        self._names = {str(path): f"{name}/" for path, name in known.items()} | {str(root): ""}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._paths = re.compile(f"({'|'.join(map(re.escape, longest_first))})(?:/|(?![\\w.-]))")
        self._lines: dict[str, Sequence[bytes]] = {}

    def text(self, text: str) -> str:
        """Return a text without absolute paths and addresses."""
        named = self._paths.sub(lambda found: self._names[found[1]], text)
        return storable(_ADDRESS.sub("0x...", named))

    def message(self, fault: Fault) -> str:
        """Return `Type: text` on one line."""
        line = " ".join(self.text(": ".join(filter(None, (fault.type, fault.text)))).split())
        return line if len(line) <= MESSAGE_LENGTH else f"{line[: MESSAGE_LENGTH - 3]}..."

    def place(self, fault: Fault) -> Place | None:
        """Return the innermost line of the pack that had a part in it."""
        if fault.syntax is not None and (file := self._relative(fault.syntax.file)) is not None:
            return Place(file, max(fault.syntax.line, 1), max(fault.syntax.column or 0, 0) + 1)
        return self.innermost(fault.frames)

    def innermost(self, frames: Sequence[Frame]) -> Place | None:
        """Return the place of the last frame that lies in the pack."""
        for frame in reversed(frames):
            if (file := self._relative(frame.file)) is not None:
                return Place(file, max(frame.line, 1), self._column(file, frame))
        return None

    def place_of(self, file: str, line: int) -> Place | None:
        """Return the place of an absolute file and line, if that lies in the pack."""
        relative = self._relative(file)
        return None if relative is None else Place(relative, max(line, 1))

    def traceback(self, fault: Fault) -> str | None:
        """Return the traceback as Python prints it, with the exceptions that led to this one; None without frames."""
        return storable("".join(self._parts(fault))) if fault.frames or fault.syntax else None

    def stack(self, frames: Sequence[Frame]) -> str | None:
        """Return where a process was, as a traceback without an exception; None when that is not known."""
        theirs = [frame for frame in frames if not interpreter.is_ours(frame.file)]
        lines = ("Stack (most recent call last):\n", *self._frame_lines(theirs))
        return storable("".join(lines)) if theirs else None

    def _parts(self, fault: Fault) -> Iterator[str]:
        if fault.cause is not None:
            yield from (*self._parts(fault.cause), _CAUSE)
        elif fault.context is not None:
            yield from (*self._parts(fault.context), _CONTEXT)
        if fault.frames:
            yield "Traceback (most recent call last):\n"
            yield from self._frame_lines(fault.frames)
        text = self.text(fault.text)
        yield f"{fault.type}: {text}\n" if text else f"{fault.type}\n"

    def _frame_lines(self, frames: Iterable[Frame]) -> Iterator[str]:
        for frame in frames:
            yield f'  File "{self.text(frame.file)}", line {frame.line}, in {frame.function}\n'
            file = self._relative(frame.file)
            source = self._line(file, frame.line).decode("utf-8", "replace").strip() if file is not None else ""
            if source:
                yield f"    {source[:SOURCE_LENGTH]}\n"

    def _relative(self, file: str) -> str | None:
        """Return a file's path in the pack; None for a file outside, also for one that only seems to lie inside."""
        prefix = f"{self._root}/"
        if not file.startswith(prefix) or ".." in PurePosixPath(file).parts:
            return None
        return storable(file.removeprefix(prefix))

    def _column(self, file: str, frame: Frame) -> int:
        """Return the column in characters from 1; without one, that of the line's first visible character.

        So it is for an `assert` as well, of which Python blames the statement up to 3.12 and the condition from 3.13.
        """
        line = self._line(file, frame.line)
        visible = line.lstrip()
        if frame.column is None or visible.startswith(b"assert "):
            return len(line) - len(visible) + 1
        return len(line[: frame.column].decode("utf-8", "replace")) + 1

    def _line(self, file: str, number: int) -> bytes:
        if file not in self._lines:
            self._lines[file] = self._read(file)
        lines = self._lines[file]
        return lines[number - 1] if 0 < number <= len(lines) else b""

    def _read(self, file: str) -> Sequence[bytes]:
        """Read a source file. A name that pack code made up has no lines."""
        path = self._root / file
        try:
            inside = path.resolve().is_relative_to(self._root)
            return path.read_bytes().splitlines() if inside else ()
        except (OSError, ValueError):
            return ()

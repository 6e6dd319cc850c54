"""Reading one mapping of a document field by field, with a finding for every value that is not what it must be.

A reader always returns something usable: the value, or the field's default when the value is wrong. That is how one
fault never hides the next (ruling 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.findings import Severity
from assay.findings.spelling import near_miss
from assay.pack.bounds import MAX_NAME, MAX_TEXT
from assay.pack.wording import described, quoted
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from assay.pack.collector import Collector
    from assay.pack.document import Anchor

_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """One mapping of a document.

    Attributes:
        data: the mapping.
        at: where it stands.
        found: takes the findings.
        label: how messages name the mapping, for its parts: `slots.record_id.`; empty at the top.
        concerns: ids that every finding carries: `template_id`, `slot`, `tool`, `case_id`.
    """

    data: Mapping[str, Any]
    at: Anchor
    found: Collector
    label: str = ""
    concerns: Mapping[str, Any] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def get(self, name: str) -> Any:
        """Return a value as it stands in the file; None when it is absent."""
        return self.data.get(name)

    def report(self, code: str, message: str, *path: str | int, key: bool = False, **facts: Any) -> None:
        """Report a finding at a part of this mapping (at its key, with `key`)."""
        place = self.at.key_place(*path) if key else self.at.place(*path)
        self.found.add(code, message, at=place, **{**self.concerns, **facts})

    def wrong(self, expected: str, value: Any, *path: str | int) -> None:
        """Report a value of the wrong type."""
        self.report(
            "wrong_type",
            f"{self.named(*path)} must be {expected}, but it is {described(value)}.",
            *path,
            detail={"expected": expected, "got": described(value)},
        )

    def named(self, *path: str | int) -> str:
        """Return the name of a part of this mapping for messages."""
        text = self.label
        for step in path:
            text += f"[{step}]" if isinstance(step, int) else f".{step}"
        return quoted(text.removeprefix("."), _LONGEST_PATH) if text else "The document"

    def below(self, name: str | int, data: Mapping[str, Any], **concerns: Any) -> Fields:
        """Return the reader of a mapping that stands in this one."""
        return Fields(
            data=data,
            at=self.at[name],
            found=self.found,
            label=self.label + (f"[{name}]" if isinstance(name, int) else f".{name}"),
            concerns={**self.concerns, **concerns},
        )

    # Keys

    def check_keys(self, known: Collection[str], *, unknown: Severity | None = Severity.WARNING) -> None:
        """Report keys that nothing reads: an error when it is a slip of a known key (ruling 6).

        Args:
            known: the keys that are read.
            unknown: how much a key that resembles none weighs; None: it is allowed.
        """
        for key in self.data:
            if key in known:
                continue
            slip = near_miss(key, known)
            if slip is None and unknown is None:
                continue
            severity = Severity.ERROR if slip is not None else unknown
            fix = f"Rename it to `{slip}`." if slip is not None else None
            hint = f" Did you mean `{slip}`?" if slip is not None else ""
            message = f"Nothing reads the key {quoted(key)}.{hint}"
            detail = None if slip is None else {"meant": slip}
            self.report("unknown_key", message, key, key=True, severity=severity, fix=fix, detail=detail)

    def require(self, name: str) -> bool:
        """Say whether a field is there and not null; report it when it is not."""
        if self.data.get(name) is not None:
            return True
        what = "is null" if name in self.data else "is missing"
        self.report("missing_field", f"{self.named(name)} {what}.", name, detail={"field": name})
        return False

    def refuse_null(self, name: str, expected: str) -> None:
        """Report a field that is there but null, where leaving it out is the only way to have none."""
        if name in self.data and self.data[name] is None:
            self.wrong(expected, None, name)

    # Values

    def text(self, name: str) -> str | None:
        """Return a text; None when it is absent, null or (reported) anything else."""
        value = self.data.get(name)
        if value is None or isinstance(value, str):
            return value
        self.wrong("a text", value, name)
        return None

    def name(self, name: str, *, longest: int = MAX_NAME) -> str | None:
        """Return a text that is neither blank nor endless; None when absent, null or (reported) anything else."""
        value = self.data.get(name)
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            return self._bounded(value, longest, name)
        self.wrong("a text that is not blank", value, name)
        return None

    def _bounded(self, text: str, longest: int, *path: str | int) -> str | None:
        """Return a text; None, reported, when it is too long to be a name."""
        if len(text) <= longest:
            return text
        message = f"{self.named(*path)} has {len(text)} characters; at most {longest} are read."
        self.report("name_too_long", message, *path)
        return None

    def label_text(self, name: str, *, longest: int = MAX_NAME) -> str | None:
        """Return a text or the text of a number (reported); None when it is absent, null, or (reported) blank."""
        if self.data.get(name) is None:
            return None
        return self.identity(name, blank=Severity.WARNING, longest=longest)

    def identity(self, name: str, *, blank: Severity = Severity.ERROR, longest: int = MAX_NAME) -> str | None:
        """Return a name that ids are made from. A number counts as its text, with a warning (ruling 7)."""
        value = self.data.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self._number_as_text(name, value)
            return str(value)
        if not isinstance(value, str):
            self.wrong("a text", value, name)
            return None
        if not value.strip():
            self.report("blank_text", f"{self.named(name)} is blank.", name, severity=blank)
            return None
        return self._bounded(value, longest, name)

    def _number_as_text(self, name: str, value: float) -> None:
        written = self.at.written(name) or shown(value)
        message = f"{self.named(name)} is the number {shown(value)}, written {written}, and is used as a text."
        self.report("identity_not_text", message, name, fix=f'Write it in quotes: {name}: "{written}".')

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean; the default when it is absent, null or (reported) anything else."""
        value = self.data.get(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            self.wrong("true or false", value, name)
        return default

    def whole(self, name: str, *, at_least: int | None = None) -> int | None:
        """Return a whole number; None when it is absent, null or (reported) anything else."""
        value = self.data.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and (at_least is None or value >= at_least):
            return value
        self.wrong("a whole number" + (f" of at least {at_least}" if at_least is not None else ""), value, name)
        return None

    def mapping(self, name: str) -> Mapping[str, Any]:
        """Return a mapping; an empty one when it is absent, null or (reported) anything else."""
        value = self.data.get(name)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.wrong("a mapping", value, name)
        return {}

    def sequence(self, name: str, of: str = "a list") -> list[Any]:
        """Return a list; an empty one when it is absent, null or (reported) anything else."""
        value = self.data.get(name)
        if isinstance(value, list):
            return value
        if value is not None:
            self.wrong(of, value, name)
        return []

    def mappings(self, name: str) -> Iterator[tuple[int, Fields]]:
        """Yield the mappings of a list with their indices; items that are none are reported and left out."""
        for index, item in enumerate(self.sequence(name, "a list of mappings")):
            if isinstance(item, dict):
                yield index, self.below(name, {}).below(index, item)
            else:
                self.wrong("a mapping", item, name, index)

    def names(self, name: str, *, longest: int = MAX_NAME) -> list[tuple[int, str]]:
        """Return the names of a list with their indices. A bare text is no list of names (ruling 10)."""
        listed = []
        for index, item in enumerate(self.sequence(name, "a list of names")):
            if not isinstance(item, str):
                self.wrong("a name", item, name, index)
            elif not item.strip():
                self.report("blank_text", f"{self.named(name, index)} is blank.", name, index)
            elif self._bounded(item, longest, name, index) is not None:
                listed.append((index, item))
        return listed

    def distinct_names(self, name: str) -> dict[str, int]:
        """Return the names of a list, outer blanks cut, each with its index; a repeated one is reported."""
        first: dict[str, int] = {}
        for index, item in self.names(name):
            trimmed = item.strip()
            if first.setdefault(trimmed, index) != index:
                message = f"{self.named(name)} names {quoted(trimmed)} twice, at positions "
                self.report("duplicate_entry", f"{message}{first[trimmed] + 1} and {index + 1}.", name, index)
        return first

    def texts(self, name: str) -> dict[str, str]:
        """Return texts by language; entries that are no text are reported and left out."""
        below = self.below(name, self.mapping(name))
        return {key: text for key in below.data if (text := below.language_text(key)) is not None}

    def language_text(self, key: str) -> str | None:
        """Return one entry of a mapping of texts by language; None when it is (reported) no text, null, or too long."""
        value = self.data[key]
        if not isinstance(value, str):
            self.wrong("a text", value, key)
            return None
        if len(value) > MAX_TEXT:
            message = f"{self.named(key)} has {len(value)} characters; at most {MAX_TEXT} are read."
            self.report("text_too_long", message, key)
            return None
        return value

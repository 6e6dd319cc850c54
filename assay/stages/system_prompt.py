"""The system prompt of a run, and the one that we bring along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.values import digest_bytes

if TYPE_CHECKING:
    from assay.pack.model import Manifest

DEFAULT_LANGUAGE: Final = "en"

DEFAULT_SYSTEM_PROMPT: Final = """\
You are an assistant that works for the user by means of the tools you are given.
Call a tool whenever the request needs it, with exactly the values that the user stated or earlier results returned.
When a required value is missing, ask for it; never invent one.
Before a tool changes something and wants confirmation, say what will be done and wait for the user to agree.
When none of the tools serves the request, say so and call none.
After the calls, tell the user what came of them, briefly and in the user's language."""


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """A system prompt.

    Attributes:
        text: trimmed.
        is_default: the pack brings none of its own.
    """

    text: str
    is_default: bool

    @property
    def bundle_hash(self) -> str:
        """`sha256:` and the text's 64 hexadecimal digits."""
        return f"sha256:{digest_bytes(self.text.encode('utf-8', 'surrogatepass'))}"

    @property
    def id(self) -> str:
        """`sha256:` and the first 16 hexadecimal digits: what a row names its prompt by."""
        return self.bundle_hash[: len("sha256:") + 16]


def system_prompt_of(manifest: Manifest) -> SystemPrompt:
    """Return the pack's own prompt, or ours when it has none that is not blank."""
    own = (manifest.system_prompt or "").strip()
    return SystemPrompt(own, is_default=False) if own else SystemPrompt(DEFAULT_SYSTEM_PROMPT, is_default=True)

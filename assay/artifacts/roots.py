"""Where a store may be: a folder, or a place in an object store that many machines share.

    /srv/assay/store          a folder; so is file:///srv/assay/store
    s3://bucket/prefix        an S3 bucket, or anything that speaks S3:
    s3://bucket/prefix?endpoint_override=10.0.0.7:9000&scheme=http&region=us-east-1

Credentials are never part of a root, because roots are shown and recorded; they come from where AWS's own tools look
for them (environment, configuration files, the machine's role).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from urllib.parse import SplitResult

S3_OPTIONS: Final = ("endpoint_override", "region", "scheme")


class RootError(ValueError):
    """What was named cannot be the root of a store. The text is for people, and repeats no credentials."""


def is_shared(root: str | Path) -> bool:
    """Say whether a root is a place in an object store."""
    return str(root).startswith("s3://")


def normal_root(root: str | Path) -> str:
    """Return a root as every process understands it: an absolute path, or a URL of an object store.

    Raises:
        RootError: when it is a URL of another kind, or holds what it must not hold.
    """
    text = str(root)
    if "://" not in text:
        return str(Path(text).absolute())
    url = urlsplit(text)
    if url.scheme == "file":
        return _folder_of(url)
    if url.scheme != "s3":
        raise RootError(f"a root is a folder, file:///FOLDER or s3://BUCKET/PREFIX; {url.scheme}:// is none of these")
    _require_plain_bucket(url)
    return text


def _folder_of(url: SplitResult) -> str:
    from urllib.request import url2pathname  # noqa: PLC0415 - slow, and file URLs are rare

    if url.netloc not in {"", "localhost"}:
        raise RootError(f"the folder of a file URL is on this machine, not on {url.netloc}")
    return str(Path(url2pathname(url.path)).absolute())


def _require_plain_bucket(url: SplitResult) -> None:
    if "@" in url.netloc:
        raise RootError("a root holds no credentials; put them in the environment, as for AWS's own tools")
    if not url.netloc or url.fragment:
        raise RootError("the root of a store in an object store is s3://BUCKET/PREFIX")
    odd = [name for name, _ in parse_qsl(url.query, keep_blank_values=True) if name not in S3_OPTIONS]
    if odd:
        raise RootError(f"an S3 root takes the options {', '.join(S3_OPTIONS)}; not {', '.join(sorted(odd))}")

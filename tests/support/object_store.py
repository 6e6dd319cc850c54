"""An S3 endpoint on loopback, and the roots of stores in it."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moto.server import ThreadedMotoServer
from pyarrow import fs

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = "127.0.0.1"
BUCKET = "bucket"
SECRET = "never-to-be-seen"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_EC2_METADATA_DISABLED": "true",
}


class ObjectStore:
    """What lies in the bucket, for tests to look at and to damage."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"{LOOPBACK}:{port}"
        self.files = fs.S3FileSystem(
            endpoint_override=self.endpoint,
            scheme="http",
            region="us-east-1",
            access_key="somebody",
            secret_key=SECRET,
            allow_bucket_creation=True,
        )
        self.files.create_dir(BUCKET)

    def root(self, prefix: str) -> str:
        """Return the URL of a root."""
        return f"s3://{BUCKET}/{prefix}?endpoint_override={self.endpoint}&scheme=http&region=us-east-1"

    def contents(self, prefix: str) -> dict[str, bytes]:
        """Return name below a root -> bytes."""
        selector = fs.FileSelector(f"{BUCKET}/{prefix}", recursive=True)
        names = [info.path for info in self.files.get_file_info(selector) if info.is_file]
        return {name.removeprefix(f"{BUCKET}/{prefix}/"): self.read(name) for name in names}

    def tables(self, prefix: str) -> dict[str, bytes]:
        """Return name below a root -> bytes, of every file of every final artifact."""
        return {name: data for name, data in self.contents(prefix).items() if name.startswith("stage=")}

    def read(self, name: str) -> bytes:
        with self.files.open_input_stream(name) as stream:
            return stream.read()

    def put(self, prefix: str, name: str, data: bytes) -> None:
        with self.files.open_output_stream(f"{BUCKET}/{prefix}/{name}") as stream:
            stream.write(data)

    def delete(self, prefix: str, name: str) -> None:
        self.files.delete_file(f"{BUCKET}/{prefix}/{name}")


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(LOOPBACK, 0, verbose=False)
    server.start()
    try:
        yield ObjectStore(server.get_host_and_port()[1])
    finally:
        server.stop()

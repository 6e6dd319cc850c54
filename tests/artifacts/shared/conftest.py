"""An endpoint of an object store, and machines that use it."""

from __future__ import annotations

import pytest

from assay.artifacts.shared.place import shared_place
from tests.support.object_store import CREDENTIALS, object_store


@pytest.fixture(scope="module")
def bucket():
    with object_store() as store, pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        yield store


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Give a function after which this process has another cache of its own, as another machine has."""

    def another(name):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        shared_place.cache_clear()

    another("first machine")
    yield another
    shared_place.cache_clear()

from __future__ import annotations

import pytest

from tests.faults.driver import undisturbed_run


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    return undisturbed_run(tmp_path_factory.mktemp("undisturbed") / "store")

"""What all tests share: Prefect never touches the home of whoever runs them, and its server is started once."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from flows import settings
from tests.support.emissions import EmissionWatch

if TYPE_CHECKING:
    from collections.abc import Iterator


# A deadline per example measures the machine, not the code: CI shares two cores among workers, servers and tests.
hypothesis_settings.register_profile("shared-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("shared-machine")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(EmissionWatch(), "emission-watch")
    home = tempfile.mkdtemp(prefix="assay-tests-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    for name in [each for each in os.environ if each.startswith("PREFECT_")]:
        del os.environ[name]
    os.environ["PREFECT_HOME"] = home
    settings.prepare()


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[str]:
    """Run a real Prefect server for the whole session; give the URL of its API."""
    from prefect.settings import PREFECT_API_URL, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    from flows.embedded_server import EmbeddedServer, deliver

    with EmbeddedServer() as server:
        url = server.wait_until_up()
        with temporary_settings({PREFECT_API_URL: url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            yield url
            deliver()

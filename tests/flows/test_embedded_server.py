from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from flows.embedded_server import EmbeddedServer, ServerUnavailable, is_first_start

pytestmark = pytest.mark.xdist_group("prefect")

PATIENCE_S = 15

OWNER = """
import sys
from flows import settings
settings.prepare()
from flows.embedded_server import EmbeddedServer
with EmbeddedServer() as server:
    print(server.wait_until_up(), flush=True)
    sys.stdin.read()
"""


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


def test_the_server_ends_with_its_owner_even_when_that_is_killed(prefect_api):
    # The session's server has made the database, so this start is a quick one.
    assert not is_first_start()
    with subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        url = owner.stdout.readline().decode().strip()
        assert answers(url)
        owner.send_signal(signal.SIGKILL)
        owner.wait(PATIENCE_S)
    deadline = time.monotonic() + PATIENCE_S
    while answers(url):
        assert time.monotonic() < deadline, "the server outlived its owner"
        time.sleep(0.1)


def test_a_server_that_cannot_start_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.setenv("PREFECT_SERVER_DATABASE_CONNECTION_URL", "no-such-scheme://nowhere")
    with EmbeddedServer() as server, pytest.raises(ServerUnavailable, match="ended at once") as caught:
        server.wait_until_up()
    assert str(tmp_path / "server.log") in str(caught.value)


def test_a_home_that_cannot_be_used_says_so(monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.write_text("a file")
    monkeypatch.setenv("PREFECT_HOME", str(home))
    with pytest.raises(ServerUnavailable, match="cannot be started"), EmbeddedServer():
        pass


def test_the_first_start_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    assert is_first_start()
    (tmp_path / "prefect.db").touch()
    assert not is_first_start()

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flows import settings


@pytest.fixture
def bare_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # What is not there before cannot be restored by monkeypatch unless it is told about it.
    for name in ("PREFECT_HOME", "PREFECT_PROFILES_PATH", *settings._DEFAULTS, *settings._QUIET):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return tmp_path


def write_profile(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "profiles.toml").write_text(text)


def test_what_is_left_open_is_set(bare_environment):
    settings.prepare()
    assert os.environ["PREFECT_HOME"] == str(bare_environment / "cache" / "assay" / "prefect")
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert os.environ["DO_NOT_TRACK"] == "1"
    assert os.environ["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] == "120"
    assert "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL" not in os.environ


def test_quiet_keeps_prefects_lines_off_the_terminal(bare_environment):
    settings.prepare(quiet=True)
    assert os.environ["PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL"] == "CRITICAL"


def test_what_the_operator_exported_stays(bare_environment, monkeypatch):
    monkeypatch.setenv("PREFECT_HOME", "/srv/prefect")
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "true")
    monkeypatch.setenv("PREFECT_SERVER_LOGGING_LEVEL", "DEBUG")
    settings.prepare()
    assert settings.home() == Path("/srv/prefect")
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "true"
    assert os.environ["PREFECT_SERVER_LOGGING_LEVEL"] == "DEBUG"


def test_what_the_active_profile_says_stays(bare_environment):
    write_profile(
        bare_environment / "home" / ".prefect",
        'active = "site"\n'
        '[profiles.site]\nPREFECT_API_URL = "http://prefect.internal/api"\nPREFECT_SERVER_LOGGING_LEVEL = "INFO"\n'
        '[profiles.other]\nDO_NOT_TRACK = "0"\n',
    )
    settings.prepare()
    assert "PREFECT_SERVER_LOGGING_LEVEL" not in os.environ
    assert os.environ["DO_NOT_TRACK"] == "1"
    assert os.environ["PREFECT_PROFILES_PATH"] == str(bare_environment / "home" / ".prefect" / "profiles.toml")


@pytest.mark.parametrize("again", [1, 2])
def test_a_server_in_the_active_profile_counts_before_and_after(bare_environment, again):
    write_profile(
        bare_environment / "home" / ".prefect", 'active = "site"\n[profiles.site]\nPREFECT_API_URL = "http://p/api"\n'
    )
    assert settings.names_a_server()
    for _ in range(again):
        settings.prepare()
    assert settings.names_a_server()


def test_a_server_in_the_environment_counts(bare_environment, monkeypatch):
    assert not settings.names_a_server()
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    assert settings.names_a_server()


@pytest.mark.parametrize("text", ["not = [toml", 'active = "gone"\n', "profiles = 3\n", ""])
def test_a_profile_that_says_nothing_changes_nothing(bare_environment, text):
    write_profile(bare_environment / "home" / ".prefect", text)
    settings.prepare()
    assert os.environ["DO_NOT_TRACK"] == "1"
    assert not settings.names_a_server()

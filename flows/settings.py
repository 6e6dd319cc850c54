"""Prefect's environment, set in this one place before Prefect is imported.

Prefect reads its settings when it is imported, so whoever runs flows from a process of ours calls `prepare` first. What
an operator has chosen, in the environment or in the active Prefect profile, is never touched. (A value in a
`prefect.toml` or `.env` of the working folder is not looked for; export it to make it win.)
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

FIRST_START_S: Final = 120
"""How long Prefect's server may take to start. Its very first start creates the database: ten seconds and more."""

_DEFAULTS: Final = {
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": str(FIRST_START_S),
    # No host but the server is ever contacted.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # An embedded server that is stopped logs every request that it drops; that is no news.
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    # States of task runs reach the database in batches. One by one, as is Prefect's default, they are two seconds late
    # after a dozen tasks, keep the database locked meanwhile, and those that are late when the server ends are lost.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "2000",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
}
_QUIET: Final = {
    # The command shows progress and errors itself; Prefect's own lines go to its server only.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
}


def prepare(*, quiet: bool = False) -> None:
    """Set what the operator left open. Call it before `import prefect`; afterwards it is too late.

    Args:
        quiet: keep Prefect's log lines off standard error.
    """
    profile = _active_profile()
    chosen = profile.keys() | os.environ.keys()
    if "PREFECT_HOME" not in chosen:
        if profile:
            os.environ["PREFECT_PROFILES_PATH"] = str(_profiles_file())
        os.environ["PREFECT_HOME"] = str(user_cache_path("assay", appauthor=False) / "prefect")
    for name, value in (_DEFAULTS | (_QUIET if quiet else {})).items():
        if name not in chosen:
            os.environ[name] = value


def names_a_server() -> bool:
    """Say whether the operator named a Prefect server, in the environment or in the active profile."""
    return bool(os.environ.get("PREFECT_API_URL") or _active_profile().get("PREFECT_API_URL"))


def home() -> Path:
    """Return the folder where Prefect keeps its database. Call `prepare` first."""
    return Path(os.environ["PREFECT_HOME"])


def _profiles_file() -> Path:
    named = os.environ.get("PREFECT_PROFILES_PATH")
    if named:
        return Path(named)
    return Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect") / "profiles.toml"


def _active_profile() -> dict[str, str]:
    """Return the settings of the operator's active Prefect profile; nothing when there is none that can be read."""
    try:
        facts = tomllib.loads(_profiles_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    name = os.environ.get("PREFECT_PROFILE") or facts.get("active")
    profiles = facts.get("profiles")
    profile = profiles.get(name) if isinstance(profiles, dict) else None
    return profile if isinstance(profile, dict) else {}

"""Makes hard links: to its snapshot's files and to those of a home, in its scratch folder and beside them."""

import os
from pathlib import Path

import desk
import target


def link():
    secret = Path(target.SECRET_FILE)
    return {
        "snapshot": desk.outcome(os.link, __file__, "mine.py"),
        "secret": desk.outcome(os.link, secret, "mine.txt"),
        "beside": desk.outcome(os.link, secret, secret.with_name("assay-hostile")),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=link)

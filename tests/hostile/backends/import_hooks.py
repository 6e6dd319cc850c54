"""Puts itself in charge of imports, and removes the standard library from the search path."""

import sys

import desk


class Finder:
    def find_spec(self, name, path=None, target=None):
        raise SystemExit(f"{name} is not for you")


sys.meta_path.insert(0, Finder())
sys.path_hooks.clear()
sys.path.clear()
sys.path_importer_cache.clear()

list_tools, reset, call_tool, get_state = desk.backend()

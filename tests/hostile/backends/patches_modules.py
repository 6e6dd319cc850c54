"""Replaces modules under their names, ours and those of the standard library."""

import sys
import types

import desk


class Everything(types.ModuleType):
    def __getattr__(self, name):
        return lambda *arguments, **options: b"{}"


for name in ("json", "os", "struct", "sys", "_assay_worker", "_assay_worker.channel", "_assay_worker.encoding"):
    sys.modules[name] = Everything(name)

list_tools, reset, call_tool, get_state = desk.backend()

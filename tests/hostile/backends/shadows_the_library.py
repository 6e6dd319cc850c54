"""Comes with modules that are called like those of the standard library and of our worker."""

import importlib

import desk

NAMES = ("json", "random", "channel", "protocol", "_assay_worker", "confinement")


def shadow():
    return {name: hasattr(importlib.import_module(name), "SHADOW") for name in NAMES}


list_tools, reset, call_tool, get_state = desk.backend(call=shadow)

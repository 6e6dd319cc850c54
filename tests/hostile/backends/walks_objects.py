"""Walks over all objects of its process in search of what another pack or our process might have left there."""

import gc

import desk
import target


def walk():
    texts = [each for each in gc.get_objects() if isinstance(each, (str, bytes, list, dict))]
    written = "".join(repr(each)[:2000] for each in texts if id(each) != id(texts))
    return {
        "secret_found": "secret-" + "of-the-environment" in written,
        "parent_found": f"'{target.NEIGHBOUR}" in written.replace(repr(vars(target))[:2000], ""),
        "kinds": sorted(
            {type(each).__name__ for each in gc.get_objects()} & {"Engine", "ProcessEngine", "Pack", "Run"}
        ),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=walk)

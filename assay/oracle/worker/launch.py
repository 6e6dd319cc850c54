"""The program of a worker process; see the package's docstring.

It loads the package under a private name by its folder, so that neither a module of the pack can take the place of one
of ours, nor one of ours the place of a module of the pack.
"""

import sys
from importlib import import_module
from types import ModuleType

PRIVATE_NAME = "_assay_worker"


def launch() -> None:
    """Load the worker and run it."""
    package = ModuleType(PRIVATE_NAME)
    package.__path__ = [__file__.rpartition("/")[0]]
    sys.modules[PRIVATE_NAME] = package
    main = import_module(f"{PRIVATE_NAME}.main").main
    arguments, sys.argv[:] = sys.argv[1:], [""]
    main(arguments)


if __name__ == "__main__":
    launch()

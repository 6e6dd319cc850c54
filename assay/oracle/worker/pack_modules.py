"""Importing a module of a pack, and saying which installed modules came along.

The module is loaded by its file, under a private name. Its own folder and the pack's root come first on the search path
for its helpers, then the standard library, then the folders of installed packages. Those are only appended: no `.pth`
file and no `sitecustomize` runs.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def prepare_search_path(root: str, file: str, packages: Sequence[str]) -> None:
    """Set where imports are looked for."""
    folder = f"{root}/{file}".rpartition("/")[0]
    standard = [each for each in sys.path if each and not each.endswith(".zip")]
    sys.path[:] = dict.fromkeys([folder, root, *standard, *packages])


def load(root: str, file: str, name: str) -> ModuleType:
    """Import a module of the pack by its file. Runs pack code and raises whatever that raises."""
    path = f"{root}/{file}"
    loader = SourceFileLoader(name, path)
    module = ModuleType(name)
    module.__file__ = path
    module.__loader__ = loader
    module.__spec__ = ModuleSpec(name, loader, origin=path)
    sys.modules[name] = module
    exec(compile(loader.get_data(path), path, "exec", dont_inherit=True), vars(module))  # noqa: S102
    return module


def installed_modules(packages: Sequence[str]) -> list[str]:
    """Return the files of modules loaded from the folders of installed packages, relative to their folder, sorted.

    One file stands for each top-level module, which is enough to find the distribution that brought it; of a
    namespace package, which has no file, all loaded parts are named.
    """
    files: set[str] = set()
    for name, module in list(sys.modules.items()):
        top = sys.modules.get(name.partition(".")[0])
        file = _relative_file(top, packages) or _relative_file(module, packages)
        if file is not None:
            files.add(file)
    return sorted(files)


def _relative_file(module: object, packages: Sequence[str]) -> str | None:
    file = getattr(module, "__file__", None)
    if type(file) is not str:
        return None
    return next((file[len(each) + 1 :] for each in packages if file.startswith(f"{each}/")), None)

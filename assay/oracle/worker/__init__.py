"""The program that runs inside a worker process.

A worker is a bare interpreter (`python -S -P -s`) that runs `launch.py`. It uses the standard library alone, confines
itself, imports one module of a pack and then answers requests until it is killed. Nothing here is imported by pack
code: the launcher loads this package under a private name and takes it out of `sys.modules` before the pack comes in.

A worker has to be ready in milliseconds, so nothing here imports `typing`, `pathlib`, `dataclasses` or `inspect` on its
way (three, three, fifteen and ten milliseconds); type checkers read what stands under `TYPE_CHECKING`.

Our own process imports only `protocol` from here: the two ends of the channel share one description of it.
"""

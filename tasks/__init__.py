"""Prefect tasks: one for each stage of one pack, and one that closes the run.

A task adds to its stage what a service needs and nothing else: a name that people can read, a cache key, retries for
faults of the machine, logging. What a stage *does* is in the core (`assay.pipeline`); a task takes small JSON values
(the run request, references to artifacts) and gives back a reference to the artifact that now exists.

Modules here hold one task each and are named after it; `tasks.catalogue` lists them.
"""

"""Running the pipeline over one pack: find each stage's artifact, or compute and store it.

Two roads lead through here and leave the same artifacts and the same report: the direct one (`validate`: the stages one
after the other, in this process, no server) and Prefect's, where each stage is a task in whatever process it lands in
(`begin`, `execute_stage`, `finish`).

What can go wrong, as seen by callers; everything else is a finding of the pack:

    RunError          no verdict can be reached (exit code 1)
    ├── StageCrash       a stage met a fault of the machine: nothing was cached, trying again is the answer
    ├── NotReproducible  a stage that was computed again came out as other bytes under the same key
    └── DeadlinePassed   the time that the run was given is over
    ConfigError       the run config cannot be used (from assay.config)
"""

from assay.runner.direct import carry_out, validate
from assay.runner.errors import DeadlinePassed, NotReproducible, RunError, StageCrash
from assay.runner.request import ArtifactRef, RunRequest, default_root
from assay.runner.run import Run
from assay.runner.steps import begin, close_without_verdict, execute_stage, finish, serve, stage_key

__all__ = [
    "ArtifactRef",
    "DeadlinePassed",
    "NotReproducible",
    "Run",
    "RunError",
    "RunRequest",
    "StageCrash",
    "begin",
    "carry_out",
    "close_without_verdict",
    "default_root",
    "execute_stage",
    "finish",
    "serve",
    "stage_key",
    "validate",
]

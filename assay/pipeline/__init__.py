"""The pipeline, declared once as data.

The direct runner and the Prefect flow both walk `PIPELINE`; neither knows a stage by name. A stage is a pure
function: it reads the tables of earlier stages, parts of the pack and of the run config, and gives back tables and
findings. Its artifact is a function of exactly what it declares to read, which is what makes its cache key honest.
"""

from assay.pipeline.declaration import PIPELINE, stage_named, stages_from
from assay.pipeline.stage import RowStream, Stage, StageContext, StageOutput

__all__ = ["PIPELINE", "RowStream", "Stage", "StageContext", "StageOutput", "stage_named", "stages_from"]

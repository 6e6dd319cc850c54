"""The direct road: all stages in this process, one after the other. No server, about a second."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from assay.artifacts.ledger import DIRECT
from assay.artifacts.roots import normal_root
from assay.config import ConfigError
from assay.pipeline import PIPELINE
from assay.runner.errors import RunError
from assay.runner.request import ArtifactRef, RunRequest
from assay.runner.run import Run
from assay.runner.steps import close_without_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.checks.report import Report


def carry_out(request: RunRequest, observe: Callable[[ArtifactRef], None] | None = None) -> Report:
    """Carry out a request and return its report.

    Args:
        request: what to run.
        observe: told of each stage as it ends.

    Raises:
        StageCrash: for a fault of the machine.
        ConfigError: when the run config cannot be used.
    """
    references: dict[str, ArtifactRef] = {}
    with Run(request) as run:
        run.begin(DIRECT)
        try:
            for stage in PIPELINE:
                references[stage.name] = run.execute(stage, references)
                if observe is not None:
                    observe(references[stage.name])
            return run.finish(references)
        except (RunError, ConfigError) as error:
            close_without_verdict(request, str(error), road=DIRECT)
            raise
        except KeyboardInterrupt:
            close_without_verdict(request, "interrupted", road=DIRECT)
            raise


def validate(
    pack: str | Path | None = None,
    *,
    config: str | Path | None = None,
    root: str | Path | None = None,
    templates: Sequence[str] = (),
    exhaustive: bool = False,
    mutants: bool = True,
) -> Report:
    """Prove a pack and return the report: `from assay import validate`.

    Args:
        pack: a pack folder or its manifest.
        config: a run config that names one, instead.
        root: artifact store to keep the results in, as `assay.artifacts.roots` says; without one they are thrown away.
        templates: prove only these; never Gold.
        exhaustive: prove every instance, not one representative of each template.
        mutants: measure whether the assertions would notice wrong evidence.

    Raises:
        TypeError: unless exactly one of `pack` and `config` is given.
        StageCrash: for a fault of the machine.
        ConfigError: when the run config cannot be used.
    """
    if (pack is None) == (config is None):
        raise TypeError("validate() takes a pack or a config, one of the two")
    with ExitStack() as stack:
        store = root if root is not None else stack.enter_context(TemporaryDirectory(prefix="assay-"))
        request = RunRequest(
            pack="" if pack is None else str(Path(pack).absolute()),
            config=None if config is None else str(Path(config).absolute()),
            root=normal_root(store),
            templates=tuple(templates),
            exhaustive=exhaustive,
            mutants=mutants,
        )
        return carry_out(request)

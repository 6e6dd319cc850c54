"""Packages whose names are imported at their first use."""

from importlib import import_module
from pkgutil import resolve_name

import pytest

from assay.pipeline import PIPELINE


@pytest.mark.parametrize("package", ["assay", "assay.artifacts.codec", "assay.reporting", "flows"])
def test_every_public_name_is_there(package):
    module = import_module(package)
    assert all(getattr(module, name) is not None for name in module.__all__)


@pytest.mark.parametrize("package", ["assay", "assay.artifacts.codec", "assay.reporting", "flows"])
def test_another_name_is_refused_as_by_any_module(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'of_no_use'"):
        import_module(package).of_no_use  # noqa: B018 - asking is the point


@pytest.mark.parametrize("stage", PIPELINE, ids=lambda stage: stage.name)
def test_every_stage_names_a_function_that_computes_it(stage):
    assert callable(resolve_name(stage.computation))

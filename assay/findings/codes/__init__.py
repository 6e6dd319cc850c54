"""Every code, declared once, by the part of the work that emits it."""

from assay.findings.codes import (
    assertions,
    binding,
    held_out,
    loading,
    oracle,
    planning,
    probing,
    rendering,
    replaying,
    reporting,
    schema,
    tracing,
)

ALL = (
    *loading.CODES,
    *binding.CODES,
    *planning.CODES,
    *rendering.CODES,
    *tracing.CODES,
    *schema.CODES,
    *oracle.CODES,
    *assertions.CODES,
    *replaying.CODES,
    *probing.CODES,
    *held_out.CODES,
    *reporting.CODES,
)

"""Findings: what assay has to say about a pack.

A *finding* is one fault, doubt or remark with a code, a place and a fix. Every code is declared once, in
`assay.findings.codes`, with its meaning, the reason it matters and the way to mend it; `finding` makes a finding from
a declared code and refuses any other. Nothing about a pack is ever reported as an exception (ruling 1).
"""

from assay.findings.finding import Check, Code, Finding, Place, Severity
from assay.findings.registry import REGISTRY, code_named, finding

__all__ = ["REGISTRY", "Check", "Code", "Finding", "Place", "Severity", "code_named", "finding"]

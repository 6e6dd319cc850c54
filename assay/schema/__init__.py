"""The JSON-Schema subset that tool parameters may use, and what it means for arguments.

Three questions, each answered in one place: is a tool definition within the subset (`definition_problems`), do
arguments obey a parameter schema (`argument_problems`), which defaults does a schema fill in (`with_defaults`).
"""

from assay.schema.arguments import ArgumentProblem, argument_problems, find_argument_problems
from assay.schema.defaults import with_defaults
from assay.schema.definition import definition_problems
from assay.schema.findings import definition_findings, tool_findings
from assay.schema.node_rules import Problem

__all__ = [
    "ArgumentProblem",
    "Problem",
    "argument_problems",
    "definition_findings",
    "definition_problems",
    "find_argument_problems",
    "tool_findings",
    "with_defaults",
]

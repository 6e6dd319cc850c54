"""Codes of the held-out policy as a whole (`reference/validation.md` 16, rows 13 and 22)."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="held_out_contract_invalid",
        severity=Severity.ERROR,
        check=None,
        meaning="The held-out policy has faults, so what it reserves is not certain.",
        why="A row that its author believes to be kept back could be published.",
        fix="Mend the finding that this one follows from.",
    ),
    Code(
        name="held_out_leak_detected",
        severity=Severity.ERROR,
        check=Check.REPRESENTATIVE_GENERATION_CONTRACT,
        meaning="A row that passed touches held-out material, or nobody can say that none does.",
        why="What is published once can never be held out again.",
        fix="Read `held_out_scan.json`, take the reserved id out of the template or release it, and validate again.",
    ),
)

"""How much time, memory and room pack code gets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Deadlines in seconds (run config `oracle_runtime`) and bounds in bytes or counts (ours).

    Attributes:
        import_s: from starting a worker until its module is imported.
        tool_s: one tool call, one state read, one listing.
        episode_s: a whole episode, whatever its steps; a further reset begins it anew.
        frame_bytes: the largest message in either direction.
        output_bytes: how much of standard output and error is kept; the rest is counted and dropped.
        memory_bytes: address space of a worker.
        cpu_s: processor seconds of one worker's life.
        file_bytes: the largest file that a worker may write in its scratch folder.
        scratch_bytes: the whole scratch folder, where the system gives each worker a file system of its own.
        open_files: descriptors.
        processes: threads and processes of one worker; kept by the system for ordinary users alone, and only where a
            worker has a count of its own (see `assay.oracle.worker.resource_limits`).
    """

    import_s: float = 10.0
    reset_s: float = 5.0
    tool_s: float = 5.0
    assertion_s: float = 5.0
    episode_s: float = 60.0
    frame_bytes: int = 16 * 1024 * 1024
    output_bytes: int = 64 * 1024
    memory_bytes: int = 1024 * 1024 * 1024
    cpu_s: int = 3600
    file_bytes: int = 64 * 1024 * 1024
    scratch_bytes: int = 128 * 1024 * 1024
    open_files: int = 128
    processes: int = 64

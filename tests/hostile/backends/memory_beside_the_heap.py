"""Takes memory that is not on its heap: shared, in files without a name, in queues of the system."""

import ctypes
import mmap
import os

import desk


def take():
    libc = ctypes.CDLL(None, use_errno=True)
    return {
        "anonymous": desk.outcome(mmap.mmap, -1, 2 * 1024**3),
        "memfd": desk.outcome(os.memfd_create, "bomb"),
        "sysv": libc.shmget(0, 1024**3, 0o1600),
        "messages": libc.msgget(0, 0o1600),
        "semaphores": libc.semget(0, 1000, 0o1600),
        "dev_shm": desk.outcome(os.open, "/dev/shm/assay-hostile", os.O_CREAT | os.O_RDWR),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=take)

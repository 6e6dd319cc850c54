"""Asks for the parts of the kernel that a pack has no business with."""

import ctypes
import errno
import os

import desk

X86 = os.uname().machine == "x86_64"
CALLS = {
    "io_uring_setup": 425,
    "bpf": 321 if X86 else 280,
    "perf_event_open": 298 if X86 else 241,
    "userfaultfd": 323 if X86 else 282,
    "keyctl": 250 if X86 else 219,
    "add_key": 248 if X86 else 217,
    "memfd_secret": 447,
    "pidfd_getfd": 438,
    "open_by_handle_at": 304 if X86 else 265,
    "syslog": 103 if X86 else 116,
    "reboot": 169 if X86 else 142,
}


def ask():
    libc = ctypes.CDLL(None, use_errno=True)
    return sorted(name for name, number in CALLS.items() if not _refused(libc, number))


def _refused(libc, number):
    return libc.syscall(number, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM


list_tools, reset, call_tool, get_state = desk.backend(call=ask)

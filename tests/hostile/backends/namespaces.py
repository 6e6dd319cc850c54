"""Makes itself a world of its own, in which it would be root, and undoes the mounts of this one."""

import ctypes

import desk


def leave():
    libc = ctypes.CDLL(None)
    return {
        "unshare_user": libc.unshare(0x10000000),
        "unshare_mounts": libc.unshare(0x00020000),
        "mount": libc.mount(b"none", b"/", None, 0x20 | 0x1000, None),
        "unmount": libc.umount2(b"/", 2),
        "pivot": libc.syscall(155, b".", b"."),
        "host_name": libc.sethostname(b"hostile", 7),
        "setns": libc.setns(0, 0),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=leave)

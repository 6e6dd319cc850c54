"""Opens and maps devices: memory, the kernel's log, disks, terminals, virtual machines."""

import os

import desk

DEVICES = (
    "/dev/mem",
    "/dev/kmsg",
    "/dev/kvm",
    "/dev/vda",
    "/dev/sda",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/fuse",
    "/dev/port",
)


def open_all():
    outcomes = {desk.outcome(os.open, device, os.O_RDWR) for device in DEVICES if os.access(device, os.F_OK)}
    made = desk.outcome(os.mknod, "disk", 0o60600, os.makedev(8, 0))
    return [*sorted(outcomes - {"FileNotFoundError", "OSError"}), made]


list_tools, reset, call_tool, get_state = desk.backend(call=open_all)

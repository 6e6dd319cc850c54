"""Makes our process the owner of a pipe and of a socket, so that the kernel signals it when data arrives."""

import fcntl
import os
import signal
import socket
import struct

import desk
import target

FIOASYNC, FIOSETOWN, SIOCSPGRP = 0x5452, 0x8901, 0x8902
F_SETOWN_EX = 15


def send():
    reading, writing = os.pipe()
    ours, theirs = socket.socketpair()
    number = struct.pack("i", target.PARENT)
    seen = {
        "owner": desk.outcome(fcntl.fcntl, reading, fcntl.F_SETOWN, target.PARENT),
        "owner_ex": desk.outcome(fcntl.fcntl, reading, F_SETOWN_EX, struct.pack("ii", 1, target.PARENT)),
        "signal": desk.outcome(fcntl.fcntl, reading, fcntl.F_SETSIG, signal.SIGURG.value),
        "ioctl": desk.outcome(fcntl.ioctl, ours, FIOSETOWN, number),
        "socket": desk.outcome(fcntl.ioctl, ours, SIOCSPGRP, number),
    }
    for each in (reading, ours.fileno()):
        fcntl.fcntl(each, fcntl.F_SETFL, fcntl.fcntl(each, fcntl.F_GETFL) | os.O_ASYNC)
    os.write(writing, b"x")
    theirs.send(b"x")
    return seen


list_tools, reset, call_tool, get_state = desk.backend(call=send)

"""Tries to outlive us: closes, copies or replaces the pipe that ends the worker when our process ends."""

import fcntl
import os
import socket

import desk
import inside


def cut():
    (lifeline,) = inside.others()
    return {
        "close": desk.outcome(os.close, lifeline),
        "range": desk.outcome(inside.close_range, lifeline),
        "copy": desk.outcome(os.dup, lifeline),
        "copy_by_fcntl": desk.outcome(fcntl.fcntl, lifeline, fcntl.F_DUPFD, 0),
        "copy_over": desk.outcome(os.dup2, lifeline, 50),
        "replace": desk.outcome(os.dup2, 0, lifeline),
        "flags": desk.outcome(fcntl.fcntl, lifeline, fcntl.F_SETFL, 0),
        "owner": desk.outcome(fcntl.fcntl, lifeline, fcntl.F_SETOWN, 0),
        "async": desk.outcome(fcntl.ioctl, lifeline, 0x5452, bytes(4)),
        "hand_on": desk.outcome(socket.send_fds, socket.socketpair()[0], [b"x"], [lifeline]),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=cut)

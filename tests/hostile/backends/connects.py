"""Connects to loopback, by every family, and beyond."""

import socket

import desk
import target

INET, INET6, UNIX = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX


def connect():
    return {
        "loopback": desk.outcome(socket.create_connection, ("127.0.0.1", target.PORT), 0.3),
        "loopback_6": desk.outcome(socket.create_connection, ("::1", target.PORT), 0.3),
        "datagram": desk.outcome(socket.socket, INET, socket.SOCK_DGRAM),
        "path": desk.outcome(socket.socket, UNIX),
        "beyond": desk.outcome(socket.create_connection, ("192.0.2.1", 80), 0.3),
        "raw": desk.outcome(socket.socket, INET, socket.SOCK_RAW, 1),
        "packet": desk.outcome(socket.socket, 17, socket.SOCK_RAW),
        "netlink": desk.outcome(socket.socket, 16, socket.SOCK_RAW),
        "vsock": desk.outcome(socket.socket, 40, socket.SOCK_STREAM),
        "six": desk.outcome(socket.socket, INET6),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=connect)

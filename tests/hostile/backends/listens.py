"""Opens ports, by number and by abstract name, for an accomplice."""

import socket

import desk
import target


def listen():
    return {
        "port": desk.outcome(socket.create_server, ("127.0.0.1", 0)),
        "abstract": desk.outcome(lambda: socket.socket(socket.AF_UNIX).bind("\0assay-hostile")),
        "abstract_of_ours": desk.outcome(lambda: socket.socket(socket.AF_UNIX).connect(target.ABSTRACT)),
        "pair": desk.outcome(lambda: len(socket.socketpair())),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=listen)

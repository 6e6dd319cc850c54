"""Pack code that touches the channel."""

from __future__ import annotations

import os
import time

import pytest

from assay.oracle.channel import BadReply, Channel, ChannelClosed, Printed
from assay.oracle.evidence import CallTool, FailureKind, GetState, Reset
from assay.oracle.worker.protocol import ANSWER, REPLY_HEADER, STARTED
from tests.oracle.running import backend, call, episode

FIND = """
    import json, os, stat, struct


    def descriptors(mode):
        found = []
        for fd in range(3, 1024):
            try:
                facts = os.fstat(fd)
                if stat.S_ISFIFO(facts.st_mode):
                    (os.write if mode == "w" else os.read)(fd, b"" if mode == "w" else 0)
                    found.append(fd)
            except OSError:
                pass
        return found


    def reply(sequence, body, token=b"t" * 16):
        return struct.pack(">I16sQc", len(body), token, sequence, b"A") + body
"""


def run_hostile(engine_of, code, **limits):
    engine = engine_of(backend(code, top=FIND), limits={"tool_s": 0.5} | limits)
    started = time.monotonic()
    hostile, after = engine.run([episode(Reset(), call({"bad": 1}), GetState()), episode(Reset(), GetState())])
    assert time.monotonic() - started < 4
    assert after.completed, after
    return hostile.failure


@pytest.mark.parametrize(
    "code",
    [
        "[os.write(fd, reply(n, b'{}')) for fd in descriptors('w') for n in range(5)]\nreturn {}",
        "[os.write(fd, reply(2, b'{\"forged\": true}')) for fd in descriptors('w')]\nreturn {}",
        "[os.write(fd, b'x') for fd in descriptors('w')]\nreturn {}",
        "[os.write(fd, b'\\xff' * 60000) for fd in descriptors('w')]\nreturn {}",
        "[os.write(fd, struct.pack('>I', 2**32 - 1) * 20) for fd in descriptors('w')]\nreturn {}",
    ],
)
def test_what_is_forged_is_no_reply(engine_of, code):
    failure = run_hostile(engine_of, code)
    assert failure is not None
    assert (failure.kind, failure.op) == (FailureKind.BAD_REPLY, "call_tool")
    assert "pack code wrote to its channel" in failure.message


@pytest.mark.parametrize(
    "code", ["os.closerange(3, 1024)\nreturn {}", "[os.close(fd) for fd in descriptors('w')]\nreturn {}"]
)
def test_a_closed_channel_is_told_as_what_it_is(engine_of, code):
    failure = run_hostile(engine_of, code)
    assert failure is not None
    assert failure.kind is FailureKind.BAD_REPLY
    assert "closed the channel" in failure.message


def test_a_channel_that_is_closed_while_the_worker_goes_on(engine_of):
    failure = run_hostile(engine_of, "import time\nos.closerange(3, 1024)\ntime.sleep(60)")
    assert failure is not None
    assert failure.kind is FailureKind.BAD_REPLY


def test_stealing_requests_harms_nobody_else(engine_of):
    code = "[os.read(fd, 65536) for fd in descriptors('r')]\nreturn {}"
    assert run_hostile(engine_of, code) is not None


def test_a_reply_that_begins_and_never_ends_is_cut_off_by_the_limit_of_its_call(engine_of):
    code = "[os.write(fd, bytes(3)) for fd in descriptors('w')]\nimport time\ntime.sleep(60)"
    failure = run_hostile(engine_of, code, episode_s=12.0)
    assert failure is not None
    assert (failure.kind, failure.op, failure.limit) == (FailureKind.TIMEOUT, "call_tool", "tool")


def test_endless_garbage_is_cut_off(engine_of):
    failure = run_hostile(
        engine_of, "fds = descriptors('w')\nwhile True:\n    [os.write(fd, b'g' * 4096) for fd in fds]"
    )
    assert failure is not None
    assert failure.kind is FailureKind.BAD_REPLY


def test_a_stray_write_between_episodes_is_not_taken_for_an_answer(engine_of):
    code = """
        import threading
        fds = descriptors("w")
        threading.Timer(0.1, lambda: [os.write(fd, b"stray") for fd in fds]).start()
        return {}
    """
    later = CallTool("probe", lambda results: time.sleep(0.3) or {})
    first, second = engine_of(backend(code, top=FIND)).run([episode(Reset(), call()), episode(Reset(), later)])
    assert first.completed
    failure = second.failure
    assert failure is not None
    assert failure.kind is FailureKind.BAD_REPLY


class Ends:
    """A channel without a process: the other ends of its pipes are ours."""

    def __init__(self):
        self.requests, requests = os.pipe()
        replies, self.replies = os.pipe()
        output, self.output = os.pipe()
        self.printed = Printed(5)
        self.channel = Channel(
            requests=requests, replies=replies, output=output, process_end=None, frame_bytes=100, printed=self.printed
        )
        self.channel.send(b"hello")
        assert self.channel.receive(0) is None
        sent = os.read(self.requests, 100)
        self.token, self.message = sent[:16], sent[16:]

    def reply(self, sequence=0, kind=ANSWER, body=b"{}", token=None):
        return REPLY_HEADER.pack(len(body), token or self.token, sequence, kind) + body

    def close(self):
        self.channel.close()
        for descriptor in (self.requests, self.replies, self.output):
            os.close(descriptor)


@pytest.fixture
def ends():
    made = Ends()
    yield made
    made.close()


class TestChannel:
    def test_a_request_is_a_length_and_a_body(self, ends):
        assert ends.message == b"\x00\x00\x00\x05hello"

    def test_replies_come_in_order(self, ends):
        os.write(ends.replies, ends.reply(0, STARTED, b"1") + ends.reply(1, ANSWER, b"2"))
        assert [(reply.kind, reply.body) for reply in (ends.channel.receive(1), ends.channel.receive(1))] == [
            (STARTED, b"1"),
            (ANSWER, b"2"),
        ]

    def test_a_reply_in_pieces(self, ends):
        whole = ends.reply(body=b"[1, 2]")
        for part in (whole[:10], whole[10:30]):
            os.write(ends.replies, part)
            assert ends.channel.receive(0.01) is None
        os.write(ends.replies, whole[30:])
        assert ends.channel.receive(1).body == b"[1, 2]"

    @pytest.mark.parametrize("facts", [{"sequence": 1}, {"token": b"x" * 16}, {"kind": b"?"}])
    def test_a_reply_with_one_thing_wrong(self, ends, facts):
        os.write(ends.replies, ends.reply(**facts))
        with pytest.raises(BadReply):
            ends.channel.receive(1)

    def test_a_reply_that_is_sent_twice(self, ends):
        os.write(ends.replies, ends.reply() * 2)
        ends.channel.receive(1)
        with pytest.raises(BadReply):
            ends.channel.receive(1)

    def test_no_reply_in_time(self, ends):
        started = time.monotonic()
        assert ends.channel.receive(0.05) is None
        assert 0.04 < time.monotonic() - started < 1

    def test_a_reply_that_is_already_there_is_taken_without_any_time(self, ends):
        os.write(ends.replies, ends.reply())
        assert ends.channel.receive(0) is not None

    def test_a_closed_channel(self, ends):
        replacement = os.open("/dev/null", os.O_WRONLY)
        os.dup2(replacement, ends.replies)
        os.close(replacement)
        with pytest.raises(ChannelClosed):
            ends.channel.receive(1)

    def test_printed_text_is_kept_up_to_its_bound_and_counted(self, ends):
        os.write(ends.output, b"123")
        ends.channel.receive(0.01)
        os.write(ends.output, b"4567")
        ends.channel.receive(0.01)
        assert (ends.printed.text, ends.printed.count) == ("12345", 7)

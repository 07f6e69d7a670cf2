"""What the checks of this folder share: sessions, the server's memory and descriptors, clients to be killed."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import protocol

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 20
USER = [("user", "postgres"), ("database", "postgres")]


def resident_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0


def measurable(pid):
    """Sanitizers keep freed memory: their builds are not measured."""
    with open(f"/proc/{pid}/exe", "rb") as binary:
        program = binary.read()
    return b"__asan_init" not in program and b"__tsan_init" not in program


def assert_memory(pid, grown_kb, limit_kb):
    if grown_kb >= limit_kb and measurable(pid):
        raise AssertionError(f"{grown_kb:.0f} kB of memory, more than {limit_kb} kB")


def assert_memory_returns(pid, before_kb, limit_kb):
    """The allocator gives back what is free while the server is idle."""
    until = time.monotonic() + 20
    while resident_kb(pid) - before_kb > limit_kb and time.monotonic() < until and measurable(pid):
        time.sleep(0.1)
    assert_memory(pid, resident_kb(pid) - before_kb, limit_kb)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def connect(address, **parameters):
    connection = protocol.Connection(address, {})
    got = connection.start(list((dict(USER) | parameters).items()))
    assert got == "ReadyForQuery I", got
    return connection


def answers(address):
    connection = connect(address)
    got = connection.query("select 41 + 1")
    assert 'DataRow "42"' in got, got
    connection.close()


def done(connection, text):
    """Runs statements that must succeed; the messages."""
    got = connection.query(text)
    assert got[-1].startswith("ReadyForQuery") and not any(m.startswith("ErrorResponse") for m in got), got
    return got


def value(connection, text):
    """The single value of a query."""
    rows = [m for m in done(connection, text) if m.startswith("DataRow ")]
    assert len(rows) == 1, rows
    return rows[0].removeprefix("DataRow ").strip('"')


def eventually(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)


@contextlib.contextmanager
def client_process(address, code):
    """A process that runs `code` with a connection `c`, and has come to where it prints a line. It is killed at the end."""
    prelude = (
        "import socket, struct, sys, time\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import probes, protocol\n"
        "c = probes.connect((sys.argv[2], int(sys.argv[3])))\n"
    )
    command = [sys.executable, "-c", prelude + code, HERE, address[0], str(address[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
        try:
            assert client.stdout.readline(), "the client ended"
            yield client
        finally:
            client.send_signal(signal.SIGKILL)


class Served:
    """A server of its own, started with these arguments."""

    def __init__(self, binary, directory, *arguments):
        command = [binary, "serve", "-k", directory, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()
        ready = re.fullmatch(r"indigo: ready, port (\d+), socket (\S+)\n", self.line)
        assert ready, (self.line, self.process.stderr.read())
        assert ready[2] == directory
        self.port, self.pid = int(ready[1]), self.process.pid
        self.address = (directory, self.port)

    def end(self, number):
        self.process.send_signal(number)
        status = self.process.wait(TIMEOUT_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


BINARY = []  # of the server under test, set by run


@contextlib.contextmanager
def served(*arguments):
    """A server of its own with these arguments, which must stop cleanly."""
    with tempfile.TemporaryDirectory(prefix="indigo-wire-") as directory:
        server = Served(BINARY[0], directory, "-p", "0", *arguments)
        try:
            yield server
        except BaseException:
            server.process.kill()
            raise
        assert server.end(signal.SIGTERM) == 0

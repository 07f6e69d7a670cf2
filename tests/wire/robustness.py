"""Bad clients: killed, silent, lying, many. After each check the server answers others and its memory has returned."""
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

import protocol

USER = [("user", "postgres"), ("database", "postgres")]


def resident_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0


def assert_memory(pid, grown_kb, limit_kb):
    """Sanitizers keep freed memory: their builds are not measured."""
    if grown_kb < limit_kb:
        return
    with open(f"/proc/{pid}/exe", "rb") as binary:
        program = binary.read()
    if b"__asan_init" not in program and b"__tsan_init" not in program:
        raise AssertionError(f"{grown_kb:.0f} kB of memory, more than {limit_kb} kB")


def connect(address):
    connection = protocol.Connection(address, {})
    got = connection.start(USER)
    assert got == "ReadyForQuery I", got
    return connection


def answers(address):
    connection = connect(address)
    got = connection.query("select 41 + 1")
    assert 'DataRow "42"' in got, got
    connection.close()


def eventually(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def ten_thousand_connects(address, pid):
    answers(address)
    before_kb, before_fds = resident_kb(pid), descriptors(pid)
    for _ in range(10_000):
        client = socket.socket(socket.AF_UNIX)
        client.connect(f"{address[0]}/.s.PGSQL.{address[1]}")
        client.close()
    for _ in range(1_000):
        connect(address).close()
    eventually(lambda: descriptors(pid) <= before_fds + 2)
    answers(address)
    assert_memory(pid, resident_kb(pid) - before_kb, 64 * 1024)


def a_thousand_at_once(address, pid):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    before_fds = descriptors(pid)
    before_kb = resident_kb(pid)
    clients = [connect(address) for _ in range(1_000)]
    for client in clients:
        got = client.query("select 1")
        assert 'DataRow "1"' in got, got
    each_kb = (resident_kb(pid) - before_kb) / len(clients)
    for client in clients:
        client.close()
    eventually(lambda: descriptors(pid) <= before_fds + 2)
    assert_memory(pid, each_kb, 96)
    # The allocator gives back what the sessions had, while the server is idle.
    until = time.monotonic() + 20
    while resident_kb(pid) - before_kb > 16 * 1024 and time.monotonic() < until:
        time.sleep(0.1)
    assert_memory(pid, resident_kb(pid) - before_kb, 16 * 1024)


def gigabyte_lengths(address, pid):
    before_kb = resident_kb(pid)
    clients = [connect(address) for _ in range(20)]
    for client in clients:
        client.send(b"Q" + struct.pack(">I", (1 << 30) - 100) + b"select")
    answers(address)
    assert_memory(pid, resident_kb(pid) - before_kb, 32 * 1024)
    for client in clients:
        client.close()


def killed_clients(address, pid):
    """Processes that ask for much and are killed while they get it."""
    before_fds = descriptors(pid)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import protocol, robustness\n"
        "c = robustness.connect((sys.argv[2], int(sys.argv[3])))\n"
        "c.send(protocol.message(b'Q', b'select * from generate_series(1, 100000000)\\0'))\n"
        "c.receive(); print('receiving', flush=True)\n"
        "while True: c.receive()\n"
    )
    here = os.path.dirname(os.path.abspath(__file__))
    for _ in range(5):
        command = [sys.executable, "-c", code, here, address[0], str(address[1])]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
            assert client.stdout.readline() == b"receiving\n"
            client.send_signal(signal.SIGKILL)
    eventually(lambda: descriptors(pid) <= before_fds + 2)
    answers(address)


def a_killed_clients_locks_are_released(address, pid):
    first, second = connect(address), connect(address)
    first.query("create table killed (a int primary key, b int)")
    first.query("insert into killed values (1, 1)")
    first.query("begin")
    got = first.query("update killed set b = 2")
    assert 'CommandComplete "UPDATE 1"' in got, got
    second.send(protocol.message(b"Q", b"update killed set b = 3\0"))
    first.close()
    got = second.next()
    assert got == 'CommandComplete "UPDATE 1"', got
    second.next()
    second.query("drop table killed")
    second.close()


def random_bytes(address, pid):
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    before_fds = descriptors(pid)
    try:
        for number in range(500):
            client = protocol.Connection(address, {})
            if number % 3:
                client.start(USER)
            data = b""
            for _ in range(rng.randrange(6)):
                body = rng.randbytes(rng.randrange(60))
                length = len(body) + 4 if rng.randrange(8) else rng.randrange(1 << 32)
                data += rng.choice(b"QPBEDCHSFdcfy").to_bytes(1, "big") + struct.pack(">I", length) + body
            client.send(data if number % 5 else rng.randbytes(100))
            client.close()
        eventually(lambda: descriptors(pid) <= before_fds + 2)
        answers(address)
    except BaseException:
        print(f"random_bytes: seed {seed}")
        raise


def a_slow_reader_stops_only_itself(address, pid):
    slow = connect(address)
    before_kb = resident_kb(pid)
    slow.send(protocol.message(b"Q", b"select * from generate_series(1, 50000000)\0"))
    for _ in range(20):
        answers(address)
    assert_memory(pid, resident_kb(pid) - before_kb, 64 * 1024)
    slow.close()


CHECKS = [
    ten_thousand_connects,
    a_thousand_at_once,
    gigabyte_lengths,
    killed_clients,
    a_killed_clients_locks_are_released,
    random_bytes,
    a_slow_reader_stops_only_itself,
]

"""Bad clients: killed, silent, lying, many. After each check the server answers others and its memory has returned."""
import random
import resource
import socket
import struct

import protocol
from probes import USER, answers, assert_memory, assert_memory_returns, client_process, connect, descriptors, eventually
from probes import resident_kb


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
    assert_memory_returns(pid, before_kb, 16 * 1024)


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
        "c.send(protocol.message(b'Q', b'select * from generate_series(1, 100000000)\\0'))\n"
        "c.receive(); print('receiving', flush=True)\n"
        "while True: c.receive()\n"
    )
    for _ in range(5):
        with client_process(address, code):
            pass
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

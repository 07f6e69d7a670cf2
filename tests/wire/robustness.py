"""Bad clients: killed, silent, lying, many. After each check the server answers others and its memory has returned."""
import random
import resource
import socket
import struct

import protocol
from probes import USER, answers, assert_memory, assert_memory_returns, connect, descriptors, eventually, resident_kb, served


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
    clients = [connect(address) for _ in range(24)]
    for number, client in enumerate(clients):
        kind = b"QPBEDCHSFdcf"[number // 2 :][:1]
        if kind in b"dcf":
            client.send(protocol.message(b"Q", b"create temp table g (a int); copy g from stdin\0"))
        client.send(kind + struct.pack(">I", (1 << 30) - 100) + b"select")
    for length in (0, 3, 10_001, (1 << 30) - 100, 1 << 31, (1 << 32) - 1):
        stranger = protocol.Connection(address, {})
        stranger.send(struct.pack(">II", length, 3 << 16) + b"user")
        clients.append(stranger)
    answers(address)
    assert_memory(pid, resident_kb(pid) - before_kb, 32 * 1024)
    for client in clients:
        client.close()


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


HALVES = (
    protocol.message(b"Q", b"select 1\0"),
    protocol.message(b"P", b"s\0select $1::int\0\0\1\0\0\0\x17") + protocol.message(b"D", b"Ss\0"),
    protocol.message(b"P", b"\0select $1::int\0\0\0")
    + protocol.message(b"B", b"\0\0\0\1\0\1\0\1\0\0\0\4\0\0\0\7\0\1\0\1")
    + protocol.message(b"E", b"\0\0\0\0\0")
    + protocol.message(b"S"),
    protocol.message(b"Q", b"create temp table h (a int); copy h from stdin\0") + protocol.message(b"d", b"1\n2\n") * 2
    + protocol.message(b"c"),
    protocol.message(b"F", b"\0\0\0\1\0\0\0\0\0\0"),
)


def half_messages(address, pid):
    """Clients that leave, or fall silent, after every single byte of a dialogue."""
    before_fds = descriptors(pid)
    startup = protocol.startup_packet(3 << 16, USER)
    silent = []
    for cut in range(len(startup)):
        client = protocol.Connection(address, {})
        client.send(startup[:cut])
        silent.append(client) if cut % 4 == 0 else client.close()
    for dialogue in HALVES:
        for cut in range(1, len(dialogue)):
            client = connect(address)
            client.send(dialogue[:cut])
            silent.append(client) if cut % 8 == 0 else client.close()
    answers(address)
    for client in silent:
        client.close()
    eventually(lambda: descriptors(pid) <= before_fds + 2)
    answers(address)


def more_clients_than_allowed(address, pid):
    """2,000 at once where 50 may come in: each of the others is told, or closed, and the places are free again afterwards."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with served("-c", "max_connections=50") as server:
        without_clients = descriptors(server.pid)
        clients = [protocol.Connection(server.address, {}) for _ in range(2_000)]
        for client in clients:
            client.send(protocol.startup_packet(3 << 16, USER))
        inside = []
        for client in clients:
            got = client.started()
            assert got in ("ReadyForQuery I", "closed") or got.startswith("ErrorResponse FATAL 53300"), got
            if got == "ReadyForQuery I":
                inside.append(client)
        assert len(inside) == 50, len(inside)
        for client in inside:
            assert 'DataRow "1"' in client.query("select 1")
        for client in clients:
            client.close()
        eventually(lambda: descriptors(server.pid) <= without_clients)
        again = [connect(server.address) for _ in range(50)]
        for client in again:
            client.close()


def no_time_for_half_a_startup(address, pid):
    with served("-c", "authentication_timeout=1") as server:
        for sent in (b"", protocol.startup_packet(3 << 16, USER)[:9]):
            client = protocol.Connection(server.address, {})
            client.send(sent)
            got = client.next()
            assert got == "closed" or got.startswith("ErrorResponse FATAL"), got
            client.close()
        answers(server.address)


def wrong_cancel_requests_reach_no_one(address, pid):
    """Thousands, for sessions that are there with keys that are not theirs: statements run on, and others are served."""
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    before_fds = descriptors(pid)
    sleeper = connect(address)
    sleeper.send(protocol.message(b"Q", b"select pg_sleep(1), 'slept'\0"))
    for number in range(2_000):
        stranger = protocol.Connection(address, {})
        key = rng.randrange(1 << 32)
        if key != sleeper.key:
            stranger.send(struct.pack(">IIII", 16, 80877102, sleeper.pid if number % 2 else rng.randrange(1 << 32), key))
        stranger.close()
    answers(address)
    assert sleeper.next().startswith("RowDescription"), seed
    assert sleeper.next() == 'DataRow "" "slept"', seed
    sleeper.close()
    eventually(lambda: descriptors(pid) <= before_fds + 2)


def floods_that_nobody_reads(address, pid):
    """Messages without end from clients that never read: they are stopped, their memory is bounded, others are served."""
    before_kb = resident_kb(pid)
    clients = []
    for flood in (protocol.message(b"S"), protocol.message(b"Q", b"selec\0"), protocol.message(b"P", b"\0select 1\0\0\0"),
                  protocol.message(b"H"), protocol.message(b"Q", b"\0"), protocol.message(b"d", b"x")):
        client = connect(address)
        client.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < 20_000_000:
                client.socket.sendall(flood * 10_000)
                sent += len(flood) * 10_000
        except TimeoutError:
            pass  # it does not read on, as nobody reads what it answers
        answers(address)
        clients.append(client)
    assert_memory(pid, resident_kb(pid) - before_kb, 64 * 1024)
    for client in clients:
        client.close()
    assert_memory_returns(pid, before_kb, 32 * 1024)


CHECKS = [
    floods_that_nobody_reads,
    wrong_cancel_requests_reach_no_one,
    ten_thousand_connects,
    a_thousand_at_once,
    gigabyte_lengths,
    half_messages,
    more_clients_than_allowed,
    no_time_for_half_a_startup,
    random_bytes,
]

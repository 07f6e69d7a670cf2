"""Results larger than anybody's buffers: read slowly, not at all, cancelled, timed out."""
import struct

import protocol
from probes import answers, assert_memory, connect, done, resident_kb

ENDLESS = b"select i, repeat('x', 100) from generate_series(1, 100000000) i\0"


def cancel(address, session):
    canceller = protocol.Connection(address, {})
    canceller.send(struct.pack(">IIII", 16, 80877102, session.pid, session.key))
    assert canceller.next() == "closed"


def to_the_end(session):
    """Rows, and the last two messages."""
    rows, got = 0, []
    while True:
        kind, body = session.receive()
        if kind == b"D":
            rows += 1
            continue
        got.append(protocol.decode(kind, body))
        if kind == b"Z":
            return rows, got[-2:]


def a_slow_reader_stops_only_itself(address, pid):
    slow = connect(address)
    before_kb = resident_kb(pid)
    slow.send(protocol.message(b"Q", b"select * from generate_series(1, 50000000)\0"))
    for _ in range(20):
        answers(address)
    assert_memory(pid, resident_kb(pid) - before_kb, 64 * 1024)
    slow.close()


def a_slow_reader_gets_everything(address, pid):
    slow = connect(address)
    slow.send(protocol.message(b"Q", b"select i, repeat('x', 500) from generate_series(1, 100000) i\0"))
    for _ in range(5):
        answers(address)
    assert slow.next().startswith("RowDescription")
    expected = 0
    while True:
        kind, body = slow.receive()
        if kind != b"D":
            break
        expected += 1
        (length,) = struct.unpack(">I", body[2:6])
        assert body[6 : 6 + length] == b"%d" % expected and body.endswith(b"x" * 500), (expected, body[:20])
        if expected % 20000 == 0:
            answers(address)
    assert expected == 100000 and protocol.decode(kind, body) == 'CommandComplete "SELECT 100000"'
    slow.close()


def a_huge_result_is_cancelled(address, pid):
    session = connect(address)
    session.send(protocol.message(b"Q", ENDLESS))
    for _ in range(1000):
        session.receive()
    cancel(address, session)
    rows, last = to_the_end(session)
    assert last == ['ErrorResponse ERROR 57014 "canceling statement due to user request"', "ReadyForQuery I"], last
    assert rows < 50_000_000, rows
    answers(address)
    done(session, "select 1")
    session.close()


def a_huge_result_is_cancelled_before_it_is_read(address, pid):
    session = connect(address)
    session.send(protocol.message(b"Q", ENDLESS))
    session.receive()
    cancel(address, session)  # the server waits for room: it sees this when the client reads on
    _, last = to_the_end(session)
    assert last == ['ErrorResponse ERROR 57014 "canceling statement due to user request"', "ReadyForQuery I"], last
    session.close()


def a_huge_copy_is_cancelled(address, pid):
    session = connect(address)
    session.send(protocol.message(b"Q", b"copy (" + ENDLESS[:-1] + b") to stdout\0"))
    for _ in range(1000):
        session.receive()
    cancel(address, session)
    while session.receive()[0] == b"d":
        pass
    assert session.next() == "ReadyForQuery I"
    done(session, "select 1")
    session.close()


def a_huge_result_times_out(address, pid):
    session = connect(address)
    done(session, "set statement_timeout = '100ms'")
    session.send(protocol.message(b"Q", ENDLESS))
    _, last = to_the_end(session)
    assert last[0] == 'ErrorResponse ERROR 57014 "canceling statement due to statement timeout"', last
    done(session, "select 1")
    session.close()


CHECKS = [
    a_slow_reader_stops_only_itself,
    a_slow_reader_gets_everything,
    a_huge_result_is_cancelled,
    a_huge_result_is_cancelled_before_it_is_read,
    a_huge_copy_is_cancelled,
    a_huge_result_times_out,
]

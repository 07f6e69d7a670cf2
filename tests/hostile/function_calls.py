"""Every function of the catalog by the protocol's own function call: arguments in text and binary form that rarely fit their types,
too few and too many of them, nulls. Each call is answered, and the session goes on."""
import random
import struct

import protocol
from functions import LEFT_OUT

VALUES = [b"", b"1", b"0", b"-1", b"a", b"{1,2}", b"[1,2)", b"\0\0\0\1", b"\0" * 8, b"\xff" * 16, b"2020-01-01", b'{"a":1}', b"(1,2)", b"pg_class",
          b"t", b"x" * 1000, b"\0\1", b"1 day", b"127.0.0.1", b"<a/>", b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0\7"]


def connect(address):
    connection = protocol.Connection(address, {})
    started = connection.start([("user", "postgres"), ("database", "postgres")])
    if not started.startswith("ReadyForQuery"):
        raise RuntimeError(started)
    return connection


def random_call(oid, arguments, random_numbers):
    count = arguments if random_numbers.random() < 0.9 else random_numbers.choice([0, arguments + 1, max(0, arguments - 1)])
    formats = random_numbers.choice([[], [0], [1], [random_numbers.randint(0, 1) for _ in range(count)]])
    body = struct.pack(">IH", oid, len(formats)) + b"".join(struct.pack(">H", f) for f in formats) + struct.pack(">H", count)
    for _ in range(count):
        value = None if random_numbers.random() < 0.1 else random_numbers.choice(VALUES)
        body += struct.pack(">i", -1) if value is None else struct.pack(">I", len(value)) + value
    return protocol.message(b"F", body + struct.pack(">H", random_numbers.randint(0, 1)))


def run_function_calls(address, suite, seed):
    random_numbers = random.Random(seed)
    connection = connect(address)
    rows = connection.query("select oid, pronargs, proname from pg_proc where prokind <> 'p' order by oid")
    calls = lost = 0
    for row in rows:
        if not row.startswith("DataRow "):
            continue
        oid, arguments, name = (word.decode() for word in protocol.words(row.removeprefix("DataRow ")))
        if name.startswith(LEFT_OUT):
            continue
        for _ in range(2):
            connection.send(random_call(int(oid), int(arguments), random_numbers))
            calls += 1
            got = connection.next()
            while not got.startswith(("ReadyForQuery", "closed", "nothing came")):
                got = connection.next()
            if not got.startswith("ReadyForQuery"):
                lost += 1
                suite.failed(f"function call of {name}", f"seed {seed}, OID {oid}: {got}")
                connection = connect(address)
    connection.close()
    if lost == 0:
        suite.passed(f"function calls ({calls})")

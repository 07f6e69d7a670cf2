"""Other servers that answer anything: a publisher, a foreign server and one for dblink, whose rows have other numbers of columns than
were asked for, nulls, or no UTF-8. Whoever asks them gets rows or an error, and the next statement its answer. Answers that are far
larger than a session may hold are read as they come."""
import pathlib
import socket
import struct
import threading
import time

from protocol import Closed, message

COLUMNS = range(10)
VALUES = [b"a", None, b"\xff", b"a\0b"]
# What each kind of question is known by, and its right answer.
KINDS = {
    "publications": ("pg_publication t", [[b"p"]]),
    "filters": ("t.rowfilter", [[None]]),
    "columns": ("c.relkind", [[b"a", b"r"]]),
    "tables": ("t.schemaname, t.tablename", [[b"public", b"told", b"{a}"]]),
    "slot": ("CREATE_REPLICATION_SLOT", [[b"s", b"0/100", b"x", b"pgoutput"]]),
    "schema": ("FROM pg_catalog.pg_namespace", [[b"1"]]),
    "relations": ("format_type", [[b"told", b"a", b"integer", b"f", None, b"", None, None]]),
    "rows": ("FETCH", [[b"1"]]),
    "query": ("any rows", [[b"1"]]),
    "changed": ("RETURNING", [[b"1"]]),
}
STATEMENTS = {
    "publications": ["create subscription hostile connection '{0}' publication p"],
    "tables": ["create subscription hostile connection '{0}' publication p"],
    "slot": ["create subscription hostile connection '{0}' publication p"],
    "columns": ["create subscription hostile connection '{0}' publication p with (create_slot = false)"],
    "filters": ["create subscription hostile connection '{0}' publication p with (create_slot = false)"],
    "schema": ["import foreign schema s from server hostile into public"],
    "relations": ["import foreign schema s from server hostile into hostile_imports"],
    "changed": ["insert into hostile_table values (1), (2) returning a", "with i as (insert into hostile_table values (1) returning *) select * from i"],
    "rows": ["select * from hostile_table", "update hostile_table set a = 2 returning *", "delete from hostile_table returning a", "select * from hostile_table for update", "select count(*) from hostile_table where a = 1",
             "select dblink_connect('c', '{0}'), dblink_open('c', 'r', 'any rows'); select * from dblink_fetch('c', 'r', 10) as t(a text)"],
    "query": ["select * from dblink('{0}', 'any rows') as t(a text, b text)", "select dblink_exec('{0}', 'any rows')",
              "select dblink_connect('c', '{0}'), dblink_send_query('c', 'any rows'); select * from dblink_get_result('c') as t(a int)",
              "select dblink_connect('c', '{0}'), dblink_exec('c', 'listen x'); select * from dblink_get_notify('c')"],
}
FLOOD = "flood"
FLOODED = [
    ("query", "select dblink_exec('{0}', 'any rows')", "2F003"),
    ("query", "select count(*) from dblink('{0}', 'any rows') as t(a text)", ("5000", "53200")),
    ("rows", "select count(*) from hostile_flood", "53200"),
    ("rows", "select dblink_connect('c', '{0}'), dblink_open('c', 'r', 'any rows'); "
             "select count(*) from dblink_fetch('c', 'r', 10) as t(a text)", ("OK", "53200")),
]
# What a publisher streams, in no order that means anything: of transactions in progress, and of two-phase commit.
N, T, X = struct.pack(">Q", 1 << 40), b"\0" * 8, struct.pack(">I", 7)
STREAMED = {b"S": X + b"\1", b"E": b"", b"A": X + struct.pack(">I", 8), b"c": X + b"\0" + N + N + T, b"b": N + N + T + X + b"x\0", b"P": b"\0" + N + N + T + X + b"x\0",
            b"p": b"\0" + N + N + T + X + b"x\0", b"K": b"\0" + N + N + T + X + b"x\0", b"r": b"\0" + N + N + T + T + X + b"x\0",
            b"R": X + X + b"public\0told\0d\0\1\1a\0" + b"\0" * 8, b"I": X + X + b"N\0\1t\0\0\0\0011", b"B": N + T + X, b"C": b"\0" + N + N + T}
STREAMS = ["E", "SS", "SBE", "SREc", "SIEc", "SRIEp", "SRIEAEc", "bRI", "bPK", "PPK", "K", "rr", "p", "c", "A", "SEAc", "bbP", "BbPC", "bCP", "SSRIEcK", "SKE"]
SUBSCRIBE = "create subscription hostile connection '{0}' publication p with (create_slot = false, copy_data = false, streaming, two_phase)"
FLOOD_GROWTH_KB = 200 * 1024
OF_WORKERS = ("columns", "filters")  # a worker asks them, after the statement
SETUP = ["create extension postgres_fdw; create extension dblink; create table told (a int); create schema hostile_imports",
         "create server hostile foreign data wrapper postgres_fdw options (host '127.0.0.1', port '{1}', dbname 'x')",
         "create user mapping for public server hostile options (user 'x', password 'y')",
         "create foreign table hostile_table (a int) server hostile",
         "create foreign table hostile_flood (a text) server hostile options (fetch_size '100000')"]
CLEAR = ["alter subscription hostile disable", "alter subscription hostile set (slot_name = none)", "drop subscription if exists hostile",
         "select dblink_disconnect('c')", "drop foreign table if exists hostile_imports.told"]


def rows(values):
    width = len(values[0])
    out = message(b"T", struct.pack(">H", width) + (b"c\0" + struct.pack(">IHIhih", 0, 0, 25, -1, -1, 0)) * width)
    for row in values:
        fields = b"".join(struct.pack(">i", -1) if v is None else struct.pack(">i", len(v)) + v for v in row)
        out += message(b"D", struct.pack(">H", width) + fields)
    return out + message(b"C", b"SELECT 1\0")


def flood():
    """Half a gigabyte of rows."""
    head, row, end = rows([[b"1" * 100_000]]).partition(message(b"D", struct.pack(">Hi", 1, 100_000) + b"1" * 100_000))
    yield head
    for _ in range(100):
        yield row * 50
    yield end + message(b"Z", b"I")


def stream(kinds, cut):
    """CopyBoth and a message of each kind; the last one is cut off."""
    yield message(b"W", b"\0\0\0")
    for i, kind in enumerate(kinds):
        body = kind.encode() + STREAMED[kind.encode()]
        yield message(b"d", b"w" + T * 3 + (body[:-cut] if cut and i == len(kinds) - 1 else body))


class OtherServer:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.hostile, self.answer, self.asked = None, None, threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def be(self, kind, answer):
        self.hostile, self.answer = kind, answer
        self.asked.clear()

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                self.speak(connection)
            except (OSError, struct.error):
                pass  # it was left

    def speak(self, connection):
        def read(size):
            return connection.recv(size, socket.MSG_WAITALL)

        body = b""
        while body[:2] != b"\0\3":
            body = read(struct.unpack(">I", read(4))[0] - 4)
            if body[:2] != b"\0\3":
                connection.sendall(b"N")
        connection.sendall(message(b"R", struct.pack(">I", 3)))
        read(struct.unpack(">xI", read(5))[0] - 4)
        settings = [b"server_version\0" + b"15.3\0", b"client_encoding\0UTF8\0", b"standard_conforming_strings\0on\0"]
        connection.sendall(message(b"R", struct.pack(">I", 0)) + b"".join(message(b"S", s) for s in settings) + message(b"Z", b"I"))
        while (head := read(5)) and head[:1] != b"X":
            query = read(struct.unpack(">I", head[1:])[0] - 4)[:-1].decode("latin1")
            if head[:1] == b"Q":
                for piece in self.answer_to(query):
                    connection.sendall(piece)

    def answer_to(self, query):
        ready = message(b"Z", b"I")
        if "DECLARE" not in query:
            for kind, (mark, right) in KINDS.items():
                if mark not in query:
                    continue
                if kind != self.hostile:
                    return [rows(right), ready]
                self.asked.set()
                return [rows(self.answer), ready] if self.answer != FLOOD else flood()
        if "listen" in query:
            value = self.answer[0][0] if self.answer[0] else None
            return [message(b"A", struct.pack(">I", 1) + (value or b"") + b"\0" + (value or b"") + b"\0") + message(b"C", b"LISTEN\0"), ready]
        if query.startswith("START_REPLICATION") and self.hostile == "stream":
            self.asked.set()
            return stream(*self.answer)
        if query.startswith(("COPY", "START_REPLICATION")):
            return [message(b"E", b"SERROR\0C" + b"\xff" * 5 + b"\0M\xff\0\0"), ready]
        return [message(b"C", b"SET\0") * (query.count(";") + 1), ready]


def highest_kb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def run_flood(connect, other, options, pid, suite):
    before = highest_kb(pid)
    for kind, sql, expected in FLOODED:
        server = connect()
        server.run("set session_memory_limit = 24576")
        other.be(kind, FLOOD)
        got = server.run(sql.format(options))
        if got not in expected:
            raise RuntimeError(f"{sql}: expected {expected}, got {got}")
    if (grown := highest_kb(pid) - before) > FLOOD_GROWTH_KB:
        raise RuntimeError(f"the server has grown by {grown} kB")
    suite.passed("other servers: floods")


def run_large_row(connect, other, options, suite):
    """A row that the session could not hold is not taken from what it holds when it goes."""
    server = connect()
    server.run("set session_memory_limit = 24576")
    other.be("query", [[b"1" * 60_000_000]])
    for sql in (f"select count(*) from dblink('{options}', 'any rows') as t(a text)",
                "select array_length(array_agg(repeat('x', 1000) || i), 1) from generate_series(1, 60000) i"):
        if (got := server.run(sql)) != "53200":
            raise RuntimeError(f"{sql}: expected 53200, got {got}")
    suite.passed("other servers: a large row")


def run_streams(connect, other, options, suite):
    for kinds in STREAMS:
        for cut in range(3):
            server = connect()
            other.be("stream", (kinds, cut))
            server.run(SUBSCRIBE.format(options))
            if not other.asked.wait(30):
                raise RuntimeError(f"nobody asked: {kinds}")
            time.sleep(0.05)
            if server.run("select 'alive'") != "alive":
                raise RuntimeError(f"no answer: {kinds}")
            other.be(None, None)
            for clear in CLEAR[:3]:
                server.run(clear)
    suite.passed("other servers: streams")


def run_servers(connect, suite, names, pid):
    """`pid`: the server's, whose memory is looked at; none: it tells nothing."""
    other = OtherServer()
    options = f"host=127.0.0.1 port={other.port} user=x password=y dbname=z"
    server = connect()
    for sql in SETUP:
        if server.run(sql.format(options, other.port)) == "0A000":
            return  # there is no libpq
    for kind, statements in STATEMENTS.items():
        name = f"other servers: {kind}"
        if names and not any(n in name for n in names):
            continue
        at = None
        try:
            for answer in [[[value] * width] * 2 for width in COLUMNS for value in VALUES]:
                other.be(kind, answer)
                for sql in statements:
                    at = (sql, answer)
                    server.run(sql.format(options))
                    if kind in OF_WORKERS and not other.asked.wait(30):
                        raise RuntimeError("nobody asked")
                    time.sleep(0.01 if kind in OF_WORKERS else 0)
                    if server.run("select 'alive'") != "alive":
                        raise RuntimeError("no answer")
                    other.be(None, answer)
                    for clear in CLEAR:
                        server.run(clear)
                    server = connect()
            suite.passed(name)
        except (Closed, OSError, RuntimeError) as error:
            suite.failed(name, f"{at}: {error!r}")
            try:
                server = connect()
            except (OSError, RuntimeError):
                break  # the server is gone
    if not names or any(n in "other servers: streams" for n in names):
        try:
            run_streams(connect, other, options, suite)
        except (Closed, OSError, RuntimeError) as error:
            suite.failed("other servers: streams", repr(error))
    if pid is not None:
        try:
            run_flood(connect, other, options, pid, suite)
            run_large_row(connect, other, options, suite)
        except (Closed, OSError, RuntimeError) as error:
            suite.failed("other servers: floods", repr(error))
    other.listener.close()

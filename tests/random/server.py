"""A connection to one of the two servers that survives what is sent through it: an answer is a value even if none came."""
import os
import pathlib
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "wire"), str(ROOT / "tools")]
import protocol  # noqa: E402

DATABASE = os.environ.get("RANDOM_DATABASE", "random_differential")  # several runs at once need several
STATEMENT_TIMEOUT_S = 10
SETTINGS = [
    "SET TimeZone = 'America/New_York'",
    f"SET statement_timeout = '{STATEMENT_TIMEOUT_S}s'",
    "SET client_min_messages = error",
]
ROWS_MAX = 200_000  # of one answer: more take long to read
# In place of an SQLSTATE: the connection ended, nothing came in time, there were more rows than are read.
LOST, SILENT, TOO_MANY = "LOST", "SILENT", "TOO MANY"


class TooMany(Exception):
    """More rows than are read."""


@dataclass
class Answer:
    """What came back for one query message."""

    state: str = ""  # SQLSTATE of the error, "" without one
    message: str = ""
    types: tuple = ()
    rows: list = field(default_factory=list)
    tags: list = field(default_factory=list)
    seconds: float = 0.0
    told: dict = field(default_factory=dict)  # all fields of the error by their letters
    notices: list = field(default_factory=list)  # (severity, SQLSTATE, message, detail, hint, context)
    copied: bytes = b""  # what COPY TO STDOUT sent

    def text(self, other, limit=12):
        """In short; of more than a few rows those that `other` does not have."""
        if self.state:
            return "\n    ".join([f"{self.state} {self.message}", *self.extra()])
        rows = self.rows if len(self.rows) <= limit else list((Counter(self.rows) - Counter(other.rows)).elements())
        lines = ["|".join("NULL" if cell is None else cell for cell in row) for row in rows[:limit]]
        more = [f"... {len(self.rows)} rows"] if len(self.rows) > limit else []
        return "\n    ".join([" ".join([*self.tags, str(self.types)]), *(line[:600] for line in lines), *more, *self.extra()])

    def extra(self):
        """What an error tells beside its message, and the notices."""
        return [*(f"{letter}: {self.told[letter]}" for letter in "DHW" if letter in self.told), *(" | ".join(notice) for notice in self.notices)]


class Server:
    def __init__(self, address, setup=()):
        directory, port = address.rsplit(":", 1)
        self.address, self.database = (directory, int(port)), "postgres"
        self.settings = SETTINGS
        self.copy_in = None  # what COPY FROM STDIN gets
        self.connect()
        for _ in range(100):  # a connection that has just been closed may still be ending
            if not self.ask(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)").state:
                break
            time.sleep(0.1)
        self.must(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
        self.connection.close()
        self.database = DATABASE
        self.connect()
        for sql in setup:
            self.must(sql)

    def connect(self):
        for attempt in range(100):
            try:
                self.connection = protocol.Connection(self.address, {})
                got = self.connection.start([("user", "postgres"), ("database", self.database)])
                if got.startswith("ReadyForQuery"):
                    break
            except (OSError, protocol.Closed):
                pass
            if attempt == 99:
                raise RuntimeError(f"no connection to {self.address}")
            time.sleep(0.1)
        self.connection.socket.settimeout(STATEMENT_TIMEOUT_S + 20)
        for setting in self.settings:
            self.must(setting)

    def must(self, sql):
        answer = self.ask(sql)
        if answer.state:
            raise RuntimeError(f"{self.address}: {sql[:200]}: {answer.state} {answer.message}")

    def ask(self, sql):
        answer, started = Answer(), time.monotonic()
        try:
            self.connection.send(protocol.message(b"Q", str(sql).encode("utf-8", "surrogateescape") + b"\0"))
            while True:
                kind, body = self.connection.receive()
                if kind == b"T":
                    answer.types = column_types(body)
                elif kind == b"D":
                    answer.rows.append(cells(body))
                    if len(answer.rows) > ROWS_MAX:
                        answer.rows.clear()
                        raise TooMany
                elif kind == b"C":
                    answer.tags.append(body[:-1].decode())
                elif kind == b"E" and not answer.state:
                    found = protocol.fields(body)
                    answer.told = {letter: text.decode("utf-8", "replace") for letter, text in found.items()}
                    answer.state, answer.message = answer.told["C"], answer.told["M"]
                elif kind == b"N":
                    found = protocol.fields(body)
                    answer.notices.append(tuple(found.get(letter, b"").decode("utf-8", "replace") for letter in "SCMDHW"))
                elif kind == b"d":
                    answer.copied += body
                elif kind == b"G" and self.copy_in is None:  # COPY FROM STDIN: there are no rows
                    self.connection.send(protocol.message(b"f", b"no rows\0"))
                elif kind == b"G":
                    self.connection.send(protocol.message(b"d", self.copy_in) + protocol.message(b"c"))
                elif kind == b"Z":
                    break
        except (protocol.Closed, OSError, TooMany) as error:  # a timeout of the socket is an OSError too
            answer.state = {TooMany: TOO_MANY, TimeoutError: SILENT}.get(type(error), LOST)
            answer.message = f"{type(error).__name__} {error}"
            self.connection.close()
            try:
                self.connect()
            except RuntimeError as gone:
                sys.exit(f"{gone} after: {sql}")
        answer.seconds = time.monotonic() - started
        return answer


def cells(body):
    at, out = 2, []
    for _ in range(int.from_bytes(body[:2], "big")):
        length = int.from_bytes(body[at : at + 4], "big", signed=True)
        at += 4
        out.append(None if length < 0 else body[at : at + length].decode("utf-8", "replace"))
        at += max(length, 0)
    return tuple(out)


def column_types(body):
    """The OIDs; the database's own types, whose OIDs are not fixed, count as one."""
    at, out = 2, []
    for _ in range(int.from_bytes(body[:2], "big")):
        at = body.index(b"\0", at) + 1
        out.append(min(int.from_bytes(body[at + 6 : at + 10], "big"), 16384))
        at += 18
    return tuple(out)

"""As much of PostgreSQL's protocol as it takes to run a script where no password is asked for."""
import socket
import struct


class SqlError(Exception):
    """What the server said; `sqlstate` has its five characters."""

    def __init__(self, fields):
        super().__init__(fields.get("M", "the server said nothing"))
        self.sqlstate = fields.get("C", "")


def _texts(body):
    return [text.decode() for text in body.split(b"\0")]


class _Connection:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.input = self.socket.makefile("rb")

    def send(self, kind, body):
        self.socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def messages(self):
        """Up to ReadyForQuery, or to the end of the connection."""
        while head := self.input.read(5):
            kind, size = head[:1], struct.unpack("!i", head[1:])[0]
            yield kind, self.input.read(size - 4)
            if kind == b"Z":
                return

    def close(self):
        self.input.close()
        self.socket.close()


def run_script(address, user, database, sql):
    """Answers the rows of the last statement that has any: tuples of texts, None for null."""
    connection = _Connection(address)
    try:
        words = ["user", user, "database", database, "client_encoding", "UTF8", "", ""]
        connection.send(b"", struct.pack("!i", 3 << 16) + "\0".join(words).encode())
        error, rows = _answer(connection)
        if error is None:
            connection.send(b"Q", sql.encode() + b"\0")
            error, rows = _answer(connection)
            connection.send(b"X", b"")
    finally:
        connection.close()
    if error is not None:
        raise error
    return rows


def _answer(connection):
    error, rows = None, []
    for kind, body in connection.messages():
        if kind == b"T":
            rows = []
        elif kind == b"D":
            rows.append(_row(body))
        elif kind == b"E":
            error = SqlError({text[0]: text[1:] for text in _texts(body) if text})
        elif kind == b"R" and body[:4] != b"\0\0\0\0":
            error = SqlError({"C": "28000", "M": "the server wants a password"})
            break
    return error, rows


def _row(body):
    count, at = struct.unpack("!h", body[:2])[0], 2
    row = []
    for _ in range(count):
        size = struct.unpack_from("!i", body, at)[0]
        at += 4
        row.append(None if size < 0 else body[at : at + size].decode())
        at += max(size, 0)
    return tuple(row)

"""Protocol 3 in words: messages to bytes, bytes to messages, and connections that speak it."""
import os
import re
import socket
import struct

PATIENCE = int(os.environ.get("INDIGO_PATIENCE", "1"))  # scripts/run_tests has more of it with sanitizers
TIMEOUT_S = 20 * PATIENCE


class Closed(Exception):
    """The server has closed the connection."""


ROUTINES = ("RevalidateCachedQuery", "FetchPreparedStatement", "transformAssignedExpr")


def message(type_byte, body=b""):
    return type_byte + struct.pack(">I", len(body) + 4) + body


def cstring(text):
    return text.encode("utf-8", "surrogateescape") + b"\0"


def startup_packet(code, parameters=()):
    body = struct.pack(">I", code)
    if code >> 16 == 3:
        body += b"".join(cstring(name) + cstring(value) for name, value in parameters) + b"\0"
    return struct.pack(">I", len(body) + 4) + body


def unescape(text):
    r"""The inside of a quoted word: \n, \t, \", \\ and \xHH."""

    def one(match):
        code = match.group(1)
        if code[0] == "x":
            return chr(int(code[1:], 16))
        return {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(code, code)

    text = re.sub(r"\\(x[0-9a-fA-F]{2}|.)", one, text)
    # \xHH names a byte; other characters are their UTF-8.
    return b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode() for c in text)


def quote(data):
    out = ""
    for byte in data:
        char = chr(byte)
        if char in '"\\':
            out += "\\" + char
        elif char == "\n":
            out += "\\n"
        elif char == "\t":
            out += "\\t"
        elif 32 <= byte < 127:
            out += char
        else:
            out += f"\\x{byte:02x}"
    return f'"{out}"'


WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def words(line):
    """Splits at spaces; quoted words become bytes, others stay strings."""
    return [unescape(m.group(1)) if m.group(1) is not None else m.group(2) for m in WORD.finditer(line)]


def as_bytes(word):
    return word if isinstance(word, bytes) else word.encode()


def value(word):
    if word == "NULL":
        return struct.pack(">i", -1)
    data = as_bytes(word)
    return struct.pack(">I", len(data)) + data


def formats(words_, prefix):
    codes = []
    for word in words_:
        if isinstance(word, str) and word.startswith(prefix):
            codes = [int(code) for code in word[len(prefix) :].split(",")]
    return struct.pack(">H", len(codes)) + b"".join(struct.pack(">H", code) for code in codes)


def encode(line, connection):
    """One `>` line as bytes."""
    name, *args = words(line)
    if name == "Query":
        return message(b"Q", as_bytes(args[0]) + b"\0")
    if name == "Parse":
        types = [int(oid) for oid in args[2:]]
        body = as_bytes(args[0]) + b"\0" + as_bytes(args[1]) + b"\0" + struct.pack(">H", len(types))
        return message(b"P", body + b"".join(struct.pack(">I", oid) for oid in types))
    if name == "Bind":
        values = [word for word in args[2:] if isinstance(word, bytes) or word == "NULL"]
        body = as_bytes(args[0]) + b"\0" + as_bytes(args[1]) + b"\0" + formats(args, "in=")
        body += struct.pack(">H", len(values)) + b"".join(value(word) for word in values) + formats(args, "out=")
        return message(b"B", body)
    if name in ("Describe", "Close"):
        return message(name[0].encode(), args[0].encode() + as_bytes(args[1]) + b"\0")
    if name == "Execute":
        return message(b"E", as_bytes(args[0]) + b"\0" + struct.pack(">i", int(args[1]) if len(args) > 1 else 0))
    if name in ("Sync", "Flush", "Terminate"):
        return message({"Sync": b"S", "Flush": b"H", "Terminate": b"X"}[name])
    if name == "CopyData":
        return message(b"d", as_bytes(args[0]))
    if name == "CopyDone":
        return message(b"c")
    if name == "CopyFail":
        return message(b"f", as_bytes(args[0]) + b"\0")
    if name == "FunctionCall":
        values = [word for word in args[1:] if isinstance(word, bytes) or word == "NULL"]
        body = struct.pack(">I", int(args[0])) + formats(args, "in=") + struct.pack(">H", len(values))
        result = next((int(word[4:]) for word in args if isinstance(word, str) and word.startswith("out=")), 0)
        return message(b"F", body + b"".join(value(word) for word in values) + struct.pack(">H", result))
    if name == "Password":
        return message(b"p", as_bytes(args[0]) + b"\0")
    if name == "bytes":
        return b"".join(word if isinstance(word, bytes) else bytes.fromhex(word) for word in args)
    if name == "Startup":
        code = 3 << 16
        parameters = []
        for word in args:
            key, _, text = word.partition("=") if isinstance(word, str) else word.decode().partition("=")
            if key == "version":
                major, minor = text.split(".")
                code = int(major) << 16 | int(minor)
            else:
                parameters.append((key, text))
        return startup_packet(code, parameters)
    if name == "SSLRequest":
        return startup_packet(80877103)
    if name == "GSSENCRequest":
        return startup_packet(80877104)
    if name == "CancelRequest":
        other = connection.others[args[0]]
        return struct.pack(">IIII", 16, 80877102, other.pid, other.key)
    raise ValueError(f"unknown message {name}")


def fields(body):
    """ErrorResponse's fields by their letters."""
    return {part[:1].decode(): part[1:] for part in body.split(b"\0") if part}


def decode(type_byte, body, others=None):
    """One message in words, as `<` lines have it. `others`: connections by name."""
    name = {
        b"1": "ParseComplete",
        b"2": "BindComplete",
        b"3": "CloseComplete",
        b"n": "NoData",
        b"I": "EmptyQueryResponse",
        b"s": "PortalSuspended",
        b"c": "CopyDone",
    }.get(type_byte)
    if name:
        return name
    if type_byte == b"R":
        return f"Authentication {struct.unpack('>I', body[:4])[0]}"
    if type_byte == b"K":
        return "BackendKeyData"
    if type_byte == b"S":
        key, text, _ = body.split(b"\0")
        return f"ParameterStatus {key.decode()} {quote(text)}"
    if type_byte == b"Z":
        return f"ReadyForQuery {body.decode()}"
    if type_byte == b"C":
        return f"CommandComplete {quote(body[:-1])}"
    if type_byte == b"D":
        (count,) = struct.unpack(">H", body[:2])
        at, parts = 2, []
        for _ in range(count):
            (length,) = struct.unpack(">i", body[at : at + 4])
            at += 4
            if length < 0:
                parts.append("NULL")
            else:
                parts.append(quote(body[at : at + length]))
                at += length
        return " ".join(["DataRow"] + parts)
    if type_byte == b"T":
        (count,) = struct.unpack(">H", body[:2])
        at, parts = 2, []
        for _ in range(count):
            end = body.index(b"\0", at)
            _, _, oid, length, modifier, code = struct.unpack(">IHIhih", body[end + 1 : end + 19])
            parts.append(f"{quote(body[at:end])}:{oid}{'b' if code else ''}")
            at = end + 19
        return " ".join(["RowDescription"] + parts)
    if type_byte == b"t":
        (count,) = struct.unpack(">H", body[:2])
        return " ".join(["ParameterDescription"] + [str(oid) for oid in struct.unpack(f">{count}I", body[2:])])
    if type_byte in b"EN":
        field = fields(body)
        kind = "ErrorResponse" if type_byte == b"E" else "NoticeResponse"
        position = f" at {field['P'].decode()}" if "P" in field else ""
        # PostgreSQL names the routine of every error; drivers look for these.
        routine = field.get("R", b"").decode()
        routine = f" by {routine}" if routine in ROUTINES else ""
        # The line of the context that is about parameters.
        about = [line for line in field.get("W", b"").split(b"\n") if b"portal" in line]
        values = f" in {quote(about[0])}" if about else ""
        return f"{kind} {field['V'].decode()} {field['C'].decode()} {quote(field['M'])}{position}{routine}{values}"
    if type_byte in b"GH":
        code, count = struct.unpack(">BH", body[:3])
        return f"{'CopyInResponse' if type_byte == b'G' else 'CopyOutResponse'} {code} {count}"
    if type_byte == b"d":
        return f"CopyData {quote(body)}"
    if type_byte == b"A":
        channel, payload, _ = body[4:].split(b"\0")
        sender = next((name for name, other in (others or {}).items() if other.pid == struct.unpack(">I", body[:4])[0]), "?")
        return f"NotificationResponse {sender} {quote(channel)} {quote(payload)}"
    if type_byte == b"V":
        return "FunctionCallResponse " + ("NULL" if body == b"\xff\xff\xff\xff" else quote(body[4:]))
    if type_byte == b"v":
        minor, count = struct.unpack(">II", body[:8])
        return " ".join([f"NegotiateProtocolVersion {minor}"] + [quote(part) for part in body[8:].split(b"\0")[:count]])
    return f"unknown message {type_byte!r} {quote(body)}"


class Connection:
    def __init__(self, address, others):
        """`address`: (directory, port) for a unix socket, (host, port) for TCP."""
        if address[0].startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(TIMEOUT_S)
            self.socket.connect(f"{address[0]}/.s.PGSQL.{address[1]}")
        else:
            self.socket = socket.create_connection(address, TIMEOUT_S)
        self.buffer = b""
        self.others = others
        self.pid = self.key = 0

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the script will read why

    def read(self, count):
        while len(self.buffer) < count:
            try:
                piece = self.socket.recv(1 << 16)
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise Closed
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def receive(self):
        """The next message's type and body."""
        head = self.read(5)
        (length,) = struct.unpack(">I", head[1:])
        body = self.read(length - 4)
        if head[:1] == b"K":
            self.pid, self.key = struct.unpack(">II", body)
        return head[:1], body

    def next(self):
        try:
            return decode(*self.receive(), self.others)
        except Closed:
            return "closed"
        except TimeoutError:
            return "nothing came"

    def start(self, parameters):
        self.send(startup_packet(3 << 16, parameters))
        return self.started()

    def started(self):
        """What comes after the startup packet: ReadyForQuery, or why not."""
        while True:
            got = self.next()
            if not got.startswith(("Authentication 0", "ParameterStatus", "BackendKeyData")):
                return got

    def query(self, text):
        """All messages of a simple query in words."""
        self.send(message(b"Q", text.encode() + b"\0"))
        got = []
        while not got or not got[-1].startswith(("ReadyForQuery", "closed", "nothing came")):
            got.append(self.next())
        return got

    def close(self):
        self.socket.close()

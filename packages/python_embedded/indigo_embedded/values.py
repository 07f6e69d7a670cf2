"""Python's values as texts of PostgreSQL, and the other way."""
import datetime
import decimal
import enum
import json
import re
import time as clock
import uuid

from indigo_embedded import errors

Date, Time, Timestamp = datetime.date, datetime.time, datetime.datetime
Binary = bytes


def DateFromTicks(ticks):  # noqa: N802, the interface's name
    return Date(*clock.localtime(ticks)[:3])


def TimeFromTicks(ticks):  # noqa: N802
    return Time(*clock.localtime(ticks)[3:6])


def TimestampFromTicks(ticks):  # noqa: N802
    return Timestamp(*clock.localtime(ticks)[:6])


# To texts.

def text_of(value):
    """A parameter: bytes for the library, None for null."""
    text = _text(value)
    if text is None:
        return None
    data = text.encode()
    if b"\0" in data:
        raise errors.DataError("texts cannot have a zero byte")
    return data


def _text(value):
    if value is None or isinstance(value, str) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, enum.Enum):
        return _text(value.value)
    if isinstance(value, (int, float, decimal.Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "\\x" + bytes(value).hex()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{value.days} days {value.seconds} seconds {value.microseconds} microseconds"
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, list):
        return _array(value)
    if isinstance(value, tuple):
        return "(" + ",".join("" if v is None else _quoted(_text(v)) for v in value) + ")"
    raise errors.ProgrammingError(f"cannot send a value of type {type(value).__name__}")


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _array(values):
    def element(value):
        if value is None:
            return "NULL"
        return _array(value) if isinstance(value, list) else _quoted(_text(value))
    return "{" + ",".join(map(element, values)) + "}"


# From texts.

_INTERVAL = re.compile(r"(?:(-?\d+) years? ?)?(?:([-+]?\d+) mons? ?)?(?:([-+]?\d+) days? ?)?"
                       r"(?:([-+]?)(\d+):(\d\d):(\d\d(?:\.\d+)?))?$")


def _interval(text):
    """Months count thirty days, as what has no length of its own must."""
    match = _INTERVAL.match(text)
    if match is None:
        raise ValueError(f"interval {text!r} is not in style postgres")
    years, months, days, sign, hours, minutes, seconds = match.groups()
    time = datetime.timedelta()
    if hours is not None:
        micros = int(decimal.Decimal(seconds) * 1_000_000)
        time = datetime.timedelta(hours=int(hours), minutes=int(minutes), microseconds=micros)
    whole = int(years or 0) * 365 + int(months or 0) * 30 + int(days or 0)
    return datetime.timedelta(days=whole) + (-time if sign == "-" else time)


def _iso(kind):
    def read(text):
        text = re.sub(r"([+-]\d\d)$", r"\1:00", text) if kind is not datetime.date else text
        # Python before 3.11 reads three or six digits of a second alone.
        text = re.sub(r"\.(\d+)", lambda part: "." + part[1].ljust(6, "0"), text)
        return kind.fromisoformat(text)
    return read


def _bytes(text):
    if not text.startswith("\\x"):
        raise ValueError("bytea_output is not hex")
    return bytes.fromhex(text[2:])


_SCALARS = {
    16: lambda text: text == "t", 17: _bytes, 20: int, 21: int, 23: int, 26: int, 114: json.loads, 700: float, 701: float,
    1082: _iso(datetime.date), 1083: _iso(datetime.time), 1114: _iso(datetime.datetime), 1184: _iso(datetime.datetime),
    1186: _interval, 1266: _iso(datetime.time), 1700: decimal.Decimal, 2950: uuid.UUID, 3802: json.loads,
}
# pg_type.oid of an array: that of its elements; 0 for what stays a text.
_ARRAYS = {
    199: 114, 1000: 16, 1001: 17, 1002: 0, 1003: 0, 1005: 21, 1007: 23, 1009: 0, 1014: 0, 1015: 0, 1016: 20, 1021: 700, 1022: 701,
    1028: 26, 1115: 1114, 1182: 1082, 1183: 1083, 1185: 1184, 1187: 1186, 1231: 1700, 1270: 1266, 2951: 2950, 3807: 3802,
}
_ELEMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}"]+)')


def _elements(text, read):
    """An array's text as nested lists."""
    if text.startswith("["):  # bounds that do not begin at 1
        text = text[text.index("=") + 1:]
    stack, at = [[]], 0
    while at < len(text):
        if text[at] == "{":
            stack.append([])
            at += 1
        elif text[at] == "}":
            inner = stack.pop()
            stack[-1].append(inner)
            at += 1
        elif text[at] == ",":
            at += 1
        else:
            match = _ELEMENT.match(text, at)
            quoted, plain = match.groups()
            if quoted is not None:
                stack[-1].append(read(re.sub(r"\\(.)", r"\1", quoted, flags=re.S)))
            else:
                stack[-1].append(None if plain == "NULL" else read(plain))
            at = match.end()
    return stack[0][0]


def reader(oid):
    """What makes a Python value of a text of this type."""
    if oid in _SCALARS:
        return _SCALARS[oid]
    if oid in _ARRAYS:
        element = _SCALARS.get(_ARRAYS[oid], str)
        return lambda text: _elements(text, element)
    return str


class _Kind(frozenset):
    """Compares equal to the type codes that it has."""

    def __eq__(self, other):
        return other in self if isinstance(other, int) else frozenset.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = frozenset.__hash__


STRING = _Kind([18, 19, 25, 1042, 1043])
BINARY = _Kind([17])
NUMBER = _Kind([20, 21, 23, 700, 701, 1700])
DATETIME = _Kind([1082, 1083, 1114, 1184, 1186, 1266])
ROWID = _Kind([26])

"""Random values of every built type as text of SQL: boundary values (tools/coverage/values.py), and made ones around them."""
import server  # noqa: F401  puts tools/ on the path
from coverage import values as edges

LETTERS = ["abcxyz", "ABCXYZ", "0123456789", " \t", "äßéÇøİıſŒ", "αβΣςΩ", "дЖ", "日本語한", "𝄞😀", ".,;:-_/%\\'\"(){}[]*+?|^$"]
ZONES = ["UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe", "+05:30", "-08", "EST", "EST5EDT",
         "PDT", "Z", "<+03>-03", "Africa/Monrovia", "nowhere", ""]
UNITS = ["year", "month", "day", "hour", "minute", "second", "millisecond", "microseconds", "week", "quarter", "decade", "century", "millennium",
         "dow", "isodow", "doy", "epoch", "julian", "timezone", "timezone_hour", "isoyear", "YEAR", "mons", "fortnight", ""]
DATE_PARTS = ["YYYY", "Y,YYY", "YYY", "YY", "Y", "IYYY", "IY", "BC", "a.d.", "MONTH", "Month", "Mon", "MM", "DAY", "Dy", "DDD", "IDDD", "DD", "D", "ID",
              "W", "WW", "IW", "CC", "J", "Q", "RM", "rm", "HH", "HH24", "HH12", "MI", "SS", "MS", "US", "FF3", "FF6", "SSSSS", "AM", "p.m.", "TZ",
              "TZH", "TZM", "OF", "FM", "TH", "th", "FX", "TM", " ", "-", "/", ":", ",", ".", '"x Q"', "\\\"", "ä"]
NUMBER_PARTS = ["9", "9", "99", "0", "00", ".", "D", ",", "G", "PR", "S", "MI", "PL", "SG", "L", "RN", "rn", "TH", "th", "V", "EEEE", "FM", "B", " ", '"x"', "x"]
REGEX_PARTS = ["a", "b", "ab", ".", "[a-c]", "[^b]", "(a|b)", "(a)", "(?:b+)", "\\d", "\\w", "\\s", "^", "$", "*", "+", "?", "{2}", "{1,3}", "|", "*?",
               "\\1", "(?=b)", "(?!a)", "[[:alpha:]]", "[[:upper:]]", "\\m", "\\M", "\\y", "ß", "ä", "Σ", "[а-я]", "\\A", "\\Z", "(?i)", "(", ")", "[", "\\"]
FLAGS = ["", "g", "i", "gi", "n", "x", "s", "p", "w", "c", "q", "z", "in"]
LIKE_PARTS = ["a", "b", "%", "_", "\\", "\\%", "ab", "ä", "😀", "%a%"]
FORMAT_PARTS = ["%s", "%I", "%L", "%%", "%1$s", "%2$L", "%10s", "%-10s", "%*s", "%2$*1$s", "%x", "%", "text", " ", "ä"]
ENCODINGS = ["UTF8", "LATIN1", "latin-2", "WIN1252", "SQL_ASCII", "KOI8R", "ISO_8859_5", "nothing", ""]
JSON_KEYS = ["a", "b", "c", "ä", ""]
PATH_PARTS = [".a", ".b", '."ä"', "[0]", "[*]", "[last]", "[1 to last]", "[-1]", ".*", ".**", ".**{1 to 2}", " ? (@ > 1)", " ? (@.a == 1)", ' ? (@ like_regex "^a" flag "i")',
              " ? (exists(@.b))", ' ? (@ starts with "a")', ".size()", ".type()", ".double()", ".abs()", ".floor()", ".ceiling()", ".keyvalue()", " + 1", " * 2", " % 3",
              " == 1", ".datetime()", " ? (@ == null)", " ? (!(@ < 2) && @ != 7)", " ? ((@ > 0) is unknown)"]


def chosen(rng, parts, least=1, most=5):
    return "".join(rng.choice(parts) for _ in range(rng.randint(least, most)))


def text(rng, longest=12):
    alphabets = rng.sample(LETTERS, rng.randint(1, 3))
    made = "".join(rng.choice(rng.choice(alphabets)) for _ in range(rng.randint(0, longest)))
    return made * rng.randint(50, 400) if rng.random() < 0.02 else made


def digits(rng, most):
    return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, most)))


def integer(rng, bits):
    limit = (1 << bits) - 1
    near = rng.choice([0, 10, 100, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 53, limit])
    value = rng.choice([rng.randint(-20, 20), near + rng.randint(-3, 3), rng.randrange(1 << rng.randint(1, bits))]) * rng.choice([1, 1, -1])
    return str(min(max(value, -limit - 1), limit))


def decimal(rng):
    most = rng.choice([3, 3, 8, 20, 60])
    made = rng.choice(["", "-"]) + digits(rng, most) + rng.choice(["", "." + digits(rng, most)])
    return made + (f"e{rng.randint(-30, 30)}" if rng.random() < 0.1 else "")


def real(rng):
    return rng.choice([decimal(rng), repr(rng.uniform(-1, 1)), repr(rng.uniform(-1000, 1000)), f"{rng.uniform(-9, 9):.3g}e{rng.randint(-30, 30)}"])


def day(rng):
    year = rng.choice([rng.randint(1, 4713), rng.randint(1970, 2040), rng.randint(1, 9999), rng.randint(1, 200000)])
    era = " BC" if year <= 4713 and rng.random() < 0.2 else ""
    return f"{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}", era


def clock(rng):
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}" + rng.choice(["", f".{rng.randrange(1000000):06}", f".{rng.randrange(10)}"])


def offset(rng):
    return f"{rng.choice('+-')}{rng.randint(0, 14):02}{rng.choice(['', ':30', ':45', ':00:17'])}"


def moment(rng, with_offset=False):
    date, era = day(rng)
    return f"{date} {clock(rng)}{offset(rng) if with_offset and rng.random() < 0.5 else ''}{era}"


def interval(rng):
    parts = [f"{rng.choice(['', '-'])}{rng.randint(0, rng.choice([3, 40, 5000]))} {unit}" for unit in rng.sample(["years", "mons", "days", "hours", "mins", "secs"], rng.randint(1, 3))]
    return " ".join(parts) + rng.choice(["", "", f" {rng.choice(['', '-'])}{rng.randint(0, 50):02}:00:0{rng.randint(0, 9)}.5"])


def xml(rng, depth=3):
    name = rng.choice(["a", "b", "n:c"])
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(["text", "&lt;", "<!-- c -->", "<?p i?>", "<![CDATA[<]]>", f"<{name}/>", "<", "&x;"][: 6 if depth else 8])
    inner = "".join(xml(rng, depth - 1) for _ in range(rng.randint(0, 3)))
    attribute = rng.choice(["", " x='1'", " xmlns:n='u'", ' y="&amp;"'])
    return f"<{name}{attribute}>{inner}</{name}>"


def json(rng, depth=3):
    kind = rng.randrange(10 if depth else 5)
    if kind < 5:
        return rng.choice(["null", "true", "false", decimal(rng), integer(rng, 31), '"a"', '""', '"2020-01-02"', '"1.5"', '"\\u00e4\\n"', '"ab c"'])
    items = [json(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind < 7:
        return "[" + rng.choice([", ", ","]).join(items) + "]"
    return "{" + ", ".join(f'"{rng.choice(JSON_KEYS)}": {item}' for item in items) + "}"


def address(rng):
    if rng.random() < 0.6:
        return ".".join(str(rng.randrange(256)) for _ in range(4)), 32
    groups = [f"{rng.randrange(1 << rng.choice([1, 8, 16])):x}" for _ in range(8)]
    return rng.choice([":".join(groups), "::" + ":".join(groups[:3]), ":".join(groups[:2]) + "::" + groups[3]]), 128


def network(rng):
    words, bits = address(rng)
    return words + rng.choice(["", f"/{rng.randint(0, bits)}"])


def hex_pairs(rng, count, separator):
    return separator.join(f"{rng.randrange(256):02x}" for _ in range(count))


def zoned_time(rng):
    return clock(rng) + offset(rng)


MAKERS = {
    "int2": lambda r: integer(r, 15),
    "int4": lambda r: integer(r, 31),
    "int8": lambda r: integer(r, 63),
    "oid": lambda r: str(abs(int(integer(r, 31)))),
    "float4": real,
    "float8": real,
    "numeric": decimal,
    "money": lambda r: f"{r.choice(['', '-'])}{digits(r, 12)}.{digits(r, 2)}",
    "text": text,
    "varchar": text,
    "bpchar": lambda r: text(r) + " " * r.randrange(3),
    "name": lambda r: text(r, 20)[:20],
    "bytea": lambda r: "\\x" + hex_pairs(r, r.randint(0, 20), ""),
    "date": lambda r: "".join(day(r)),
    "time": clock,
    "timetz": zoned_time,
    "timestamp": moment,
    "timestamptz": lambda r: moment(r, True),
    "interval": interval,
    "uuid": lambda r: hex_pairs(r, 16, ""),
    "json": json,
    "jsonb": json,
    "jsonpath": lambda r: r.choice(["", "", "strict ", "lax "]) + "$" + chosen(r, PATH_PARTS, 0, 3),
    "xml": xml,
    "inet": network,
    "macaddr": lambda r: hex_pairs(r, 6, ":"),
    "tsvector": lambda r: " ".join(
        r.choice(["a", "b", "cat", "'x y'"]) + r.choice(["", f":{r.randint(1, 9)}{r.choice(['', 'A', 'B', 'C'])}"]) for _ in range(r.randint(0, 4))
    ),
    "tsquery": lambda r: r.choice(["", "!"])
    + r.choice([" & ", " | ", " <-> ", " <2> ", " & !"]).join(
        r.choice(["a", "b", "cat", "c:A", "c:*", "(a | b)"]) for _ in range(r.randint(1, 4))
    ),
    "macaddr8": lambda r: hex_pairs(r, 8, ":"),
    "bit": lambda r: "".join(r.choice("01") for _ in range(r.randint(0, 40))),
    "varbit": lambda r: "".join(r.choice("01") for _ in range(r.randint(0, 40))),
    "xid": lambda r: str(r.randrange(1 << 32)),
    "xid8": lambda r: str(r.randrange(1 << 64)),
    "cid": lambda r: str(r.randrange(1 << 32)),
    "tid": lambda r: f"({r.randrange(100)},{r.randrange(100)})",
    "pg_lsn": lambda r: f"{r.randrange(1 << 32):X}/{r.randrange(1 << 32):X}",
    "int2vector": lambda r: " ".join(integer(r, 15) for _ in range(r.randint(0, 4))),
    "oidvector": lambda r: " ".join(str(r.randrange(1 << 32)) for _ in range(r.randint(0, 4))),
    "aclitem": lambda r: f"{r.choice(['', 'postgres'])}={chosen(r, list('arwdDxtXUCTc'), 0, 4)}/postgres",
}


def unescaped(edge):
    return edge.replace("\\\\", "\\")


def value_text(rng, type_name):
    """The text of a value, or None where the type has none that can be written."""
    if type_name.startswith("_"):
        return array_text(rng, type_name[1:])
    maker, pool = MAKERS.get(type_name), edges.VALUES.get(type_name)
    if maker and (not pool or rng.random() < 0.5):
        return maker(rng)
    return unescaped(rng.choice(pool)) if pool else None


def array_text(rng, element):
    if value_text(rng, element) is None:
        return None

    def item():
        if rng.random() < 0.15:
            return "NULL"
        return '"' + value_text(rng, element).replace("\\", "\\\\").replace('"', '\\"') + '"'

    shape = rng.randrange(8)
    if shape == 0:
        return "{}"
    count = rng.randint(1, 4)
    if shape == 1:
        return "{" + ",".join("{" + ",".join(item() for _ in range(count)) + "}" for _ in range(2)) + "}"
    body = "{" + ",".join(item() for _ in range(count)) + "}"
    if shape == 2:
        low = rng.choice([0, -3, 2, 5, 2147483600])
        return f"[{low}:{low + count - 1}]={body}"
    return body


def mutated(rng, words):
    """The text of a value with a letter dropped, doubled or replaced: what input must refuse, or just take."""
    if not words:
        return rng.choice(edges.HOSTILE)
    at = rng.randrange(len(words))
    letter = rng.choice(list(" 0-+.:eE{}[],\"\\/x~é") + [words[at] * 2, ""])
    return words[:at] + letter + words[at + 1 :]


def type_text(type_name):
    if type_name.startswith("_"):
        return type_text(type_name[1:]) + "[]"
    return {"char": '"char"', "any": "text"}.get(type_name, type_name)


def quoted(words):
    words = words.replace("\0", "")
    if "\\" in words:
        return "E'" + words.replace("\\", "\\\\").replace("'", "''") + "'"
    return "'" + words.replace("'", "''") + "'"


def typed(words, type_name):
    """A literal of that type; None is NULL."""
    return ("NULL" if words is None else quoted(words)) + "::" + type_text(type_name)


def literal(rng, type_name, null=0.06):
    if type_name == "record":
        return rng.choice(["ROW(1, 'a'::text)", "ROW(2, NULL::text)", "ROW(NULL::int4, 'b'::text)", "ROW(1, 'a'::text, 2.5)"])
    if type_name == "_record":
        return "ARRAY[ROW(1, 'a'::text), ROW(2, NULL::text)]"
    words = value_text(rng, type_name)
    if words is None:
        return None
    return typed(None if rng.random() < null else words, type_name)

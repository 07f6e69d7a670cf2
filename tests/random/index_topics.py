"""What index_answers asks about: for each topic a table `t(id, c)` with copies that have an index each, and statements by chance."""
from dataclasses import dataclass


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


@dataclass
class Setup:
    tables: list
    indexes: list
    copies: list


class Topic:
    """`indexes`: what follows ON TABLE in CREATE INDEX; each gets a copy of the table of its own."""

    rows = 400
    equal_look_different = False  # distances that are equal may be written in several ways

    def __init__(self, name, type_name, indexes):
        self.name, self.type_name, self.indexes = name, type_name, indexes

    def literal(self, draw):
        return f"{quoted(self.value(draw))}::{self.type_name}"

    def setup(self, draw):
        values = [f"({i}, {'null' if draw.random() < 0.03 else quoted(self.value(draw))})" for i in range(self.rows)]
        tables = [f"create table t(id int primary key, c {self.type_name})", "insert into t values " + ", ".join(values)]
        copies = [f"t{i}" for i in range(len(self.indexes))]
        indexes = []
        for copy, index in zip(copies, self.indexes):
            indexes += [f"create table {copy}(id int primary key, c {self.type_name})", f"insert into {copy} select * from t",
                        f"create index on {copy} using {index}"]
        return Setup(tables, indexes, copies)

    def statement(self, draw):
        return self.found(self.condition(draw))

    def changes(self, draw):
        """Changes of TABLE that fail on no server."""
        kinds = [f"update TABLE set c = {self.literal(draw)} where id % {draw.randint(2, 9)} = 0", f"delete from TABLE where id < {draw.randint(1, 300)}",
                 f"insert into TABLE select id + 100000, {self.literal(draw)} from TABLE where id % 5 = 1",
                 f"update TABLE set id = id + 200000 where id % {draw.randint(2, 9)} = 0"]
        return draw.sample(kinds, draw.randint(1, 3))

    @staticmethod
    def found(condition):
        return f"select count(*), array_agg(id order by id) from t where {condition}"

    def nearest(self, draw, distance, condition="true"):
        limit = draw.choice([1, 3, 10, 50, 1000])
        offset = f" offset {draw.choice([1, 7, 300, 5000])}" if draw.random() < 0.3 else ""
        if draw.random() < 0.5 and not self.equal_look_different:
            return f"select {distance} from t where {condition} order by {distance} limit {limit}{offset}"
        return f"select id, {distance} from t where {condition} order by {distance}, id limit {limit}{offset}"


class Scalars(Topic):
    """Values of one type in its order: several conditions on the one column, and its distance, if it has one."""

    def __init__(self, name, type_name, value, *, gin=True, gist=True, distance=False, different=False):
        indexes = [f"{method} (c)" for method, has in (("gin", gin), ("gist", gist)) if has]
        super().__init__(name, type_name, indexes)
        self.value, self.distance, self.equal_look_different = value, distance, different

    def statement(self, draw):
        if self.distance and draw.random() < 0.6:
            sides = ("c", self.literal(draw))
            if draw.random() < 0.2:
                sides = sides[::-1]
            return self.nearest(draw, " <-> ".join(sides), self.condition(draw) if draw.random() < 0.4 else "true")
        return self.found(self.condition(draw))

    def condition(self, draw):
        parts = []
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if kind < 0.7:
                parts.append(f"c {draw.choice(['<', '<=', '=', '>=', '>', '>', '<', '<>'])} {self.literal(draw)}")
            elif kind < 0.8:
                parts.append(f"c between {self.literal(draw)} and {self.literal(draw)}")
            elif kind < 0.9:
                parts.append(f"c in ({self.literal(draw)}, {self.literal(draw)})")
            else:
                parts.append(f"{self.literal(draw)} {draw.choice(['<', '<=', '=', '>=', '>'])} c")
        return draw.choice([" and ", " and ", " or "]).join(parts)


class Beside(Scalars):
    """Indexes of the column and another one, and of a part of the rows."""

    def __init__(self):
        super().__init__("int4 beside others", "int4", lambda draw: str(draw.randint(-300, 300)), distance=True)
        self.indexes = ["gist (id, c)", "gist (c, id)", "gin (id, c)", "gist (c) where id % 2 = 0", "gist ((c + 0))"]

    def condition(self, draw):
        other = draw.choice(["id % 2 = 0", "id % 2 = 0", f"id {draw.choice(['<', '>='])} {draw.randint(0, 400)}", "c + 0 > 7"])
        return f"{other} and {super().condition(draw)}" if draw.random() < 0.5 else other


class Cubes(Topic):
    SPECIAL = ("0", "-0", "1e30", "-1e30", "1e-30", "NaN", "Infinity", "-Infinity", "1e300")

    def __init__(self, name, special):
        super().__init__(name, "cube", ["gist (c)"])
        self.special = self.equal_look_different = special

    def side(self, draw):
        if draw.random() < self.special:
            return draw.choice(self.SPECIAL)
        return draw.choice([str(draw.randint(-5, 5)), f"{draw.uniform(-6, 6):.2f}"])

    def value(self, draw):
        dimensions = draw.choice([0, 1, 1, 2, 2, 3, 3, 3, 4, 5])
        corner = [self.side(draw) for _ in range(dimensions)]
        if draw.random() < 0.4 or dimensions == 0:
            return f"({','.join(corner)})"
        return f"({','.join(corner)}),({','.join(self.side(draw) for _ in range(dimensions))})"

    def condition(self, draw):
        return " and ".join(f"c {draw.choice(['&&', '@>', '<@', '='])} {self.literal(draw)}" for _ in range(draw.choice([1, 1, 1 if self.special else 2])))

    def statement(self, draw):
        if draw.random() < 0.5:
            return self.nearest(draw, f"c {draw.choice(['<->', '<#>', '<=>'])} {self.literal(draw)}",
                                self.condition(draw) if draw.random() < 0.2 else "true")
        return self.found(self.condition(draw))


class Ranges(Topic):
    OPERATORS = ("&&", "@>", "<@", "=", "<<", ">>", "&<", "&>", "-|-")

    def __init__(self, type_name, bound, of_multi=False):
        methods = ["gist (c)"] if of_multi else ["gist (c)", "spgist (c)"]
        super().__init__(type_name.replace("range", "multirange") if of_multi else type_name,
                         type_name.replace("range", "multirange") if of_multi else type_name, methods)
        self.range_type, self.bound, self.of_multi = type_name, bound, of_multi

    def range(self, draw):
        if draw.random() < 0.05:
            return "empty"
        bounds = sorted((self.bound(draw), self.bound(draw)), key=lambda b: b[0])
        ends = ["" if draw.random() < 0.08 else b[1] for b in bounds]
        return f"{draw.choice('[(')}{ends[0]},{ends[1]}{draw.choice('])')}"

    def value(self, draw):
        if not self.of_multi:
            return self.range(draw)
        return "{" + ",".join(r for r in (self.range(draw) for _ in range(draw.randint(0, 3))) if r != "empty") + "}"

    def condition(self, draw):
        parts = []
        for _ in range(draw.choice([1, 1, 1, 2])):
            if draw.random() < 0.2:
                parts.append(f"c @> {quoted(self.bound(draw)[1])}::{BOUNDS[self.range_type]}")
                continue
            multi = draw.random() < (0.6 if self.of_multi else 0.2)
            if multi:
                text = "{" + ",".join(r for r in (self.range(draw) for _ in range(draw.randint(0, 3))) if r != "empty") + "}"
                other = f"{quoted(text)}::{self.range_type.replace('range', 'multirange')}"
            else:
                other = f"{quoted(self.range(draw))}::{self.range_type}"
            operators = self.OPERATORS if multi == self.of_multi else [o for o in self.OPERATORS if o != "="]
            operator = draw.choice(operators)
            parts.append(f"c {operator} {other}" if draw.random() < 0.8 else f"{other} {operator} c")
        return " and ".join(parts)


class Bookings(Ranges):
    """Indexes of a range and a number together."""

    def __init__(self):
        super().__init__("int4range", integer_bound)
        self.name, self.indexes = "int4range beside a number", ["gist (id, c)", "gist (c, id)", "gist (c, (id % 7))"]

    def condition(self, draw):
        number = draw.choice(["id", "id", "id % 7"])
        parts = [f"{number} {draw.choice(['=', '<', '>=', '>', '<='])} {draw.randint(0, 7 if number != 'id' else 400)}" for _ in range(draw.randint(0, 3))]
        if draw.random() < 0.8 or not parts:
            parts.append(super().condition(draw))
        return " and ".join(parts)


class Segments(Topic):
    def __init__(self):
        super().__init__("seg", "seg", ["gist (c)"])

    def value(self, draw):
        ends = sorted(draw.choice([draw.randint(-9, 9), draw.randint(-90, 90) / 10]) for _ in range(2))
        return draw.choice(["{} .. {}", "{} .. {}", "{}", "{} ..", ".. {}", "~{}"]).format(*ends)

    def condition(self, draw):
        return f"c {draw.choice(['&&', '@>', '<@', '=', '<<', '>>', '&<', '&>'])} {self.literal(draw)}"


class Networks(Topic):
    def __init__(self):
        super().__init__("inet", "inet", ["gist (c inet_ops)", "spgist (c)"])

    def value(self, draw):
        if draw.random() < 0.7:
            bits = draw.choice([0, 1, 8, 15, 16, 23, 24, 30, 31, 32, 32])
            return f"{draw.choice([10, 192, 255, 0])}.{draw.choice([0, 1, 255])}.{draw.choice([0, 1, 128])}.{draw.randint(0, 255)}/{bits}"
        bits = draw.choice([0, 1, 16, 48, 63, 64, 65, 96, 127, 128])
        return f"{draw.choice(['2001:db8', 'fe80', 'ffff:ffff:ffff:ffff', '0'])}::{draw.choice(['', '1:'])}{draw.randint(0, 9)}/{bits}"

    def condition(self, draw):
        operator = draw.choice(["&&", "=", "<<", "<<=", ">>", ">>="])
        return f"c {operator} {self.literal(draw)}" if draw.random() < 0.8 else f"{self.literal(draw)} {operator} c"


class Shapes(Topic):
    SHAPES = {"point": 1, "box": 2, "circle": 1, "polygon": 4}

    def __init__(self, type_name):
        methods = ["gist (c)", "spgist (c)"] if type_name != "circle" else ["gist (c)"]
        super().__init__(type_name, type_name, methods + (["spgist (c kd_point_ops)"] if type_name == "point" else []))

    def number(self, draw):
        return draw.choice([str(draw.randint(-5, 5)), f"{draw.uniform(-9, 9):.2f}", draw.choice(["1e20", "-1e20", "0"] if self.type_name in ("point", "circle") else ["0"])])

    def place(self, draw):
        return f"({self.number(draw)},{self.number(draw)})"

    def of_type(self, draw, type_name):
        if type_name == "circle":
            return f"<{self.place(draw)},{draw.randint(0, 4)}>"
        return ",".join(self.place(draw) for _ in range(self.SHAPES[type_name]))

    def value(self, draw):
        return self.of_type(draw, self.type_name)

    def condition(self, draw):
        if self.type_name == "point":
            kind = draw.choice(["box", "point", "polygon", "circle"])
            operator = draw.choice(["<<", ">>", "<<|", "|>>"]) if kind == "point" else "<@"
            return f"c {operator} {quoted(self.of_type(draw, kind))}::{kind}"
        return f"c {draw.choice(['&&', '@>', '<@', '<<', '>>', '&<', '&>', '<<|', '|>>', '&<|', '|&>', '~='])} {self.literal(draw)}"

    def statement(self, draw):
        if draw.random() < 0.4:
            return self.nearest(draw, f"c <-> {quoted(self.place(draw))}::point")
        return self.found(self.condition(draw))


class Texts(Topic):
    """Patterns and similarities of trigrams."""

    def __init__(self, name, letters, collation=None):
        collate = f' collate "{collation}"' if collation else ""
        super().__init__(name, "text" + collate, ["gin (c gin_trgm_ops)", "gist (c gist_trgm_ops)"])
        self.letters = letters

    def literal(self, draw):
        return quoted(self.value(draw))

    def word(self, draw, most=6):
        return "".join(draw.choice(self.letters) for _ in range(draw.randint(1, most)))

    def value(self, draw):
        return draw.choice([" ", " ", ", ", "-"]).join(self.word(draw) for _ in range(draw.randint(0, 4)))

    def pattern(self, draw):
        parts = [draw.choice(["%", "_", "%", self.word(draw), self.word(draw, 3), " ", "\\_", "\\" + draw.choice(self.letters)])
                 for _ in range(draw.randint(1, 5))]
        return draw.choice(["%", ""]) + "".join(parts) + draw.choice(["%", "%", ""])

    def statement(self, draw):
        kind = draw.random()
        if kind < 0.25:
            operator = draw.choice(["<->", "<->", "<->>", "<->>>", "<<->", "<<<->"])
            return self.nearest(draw, f"c {operator} {self.literal(draw)}" if draw.random() < 0.6 else f"{self.literal(draw)} {operator} c")
        if kind < 0.7:
            return self.found(f"c {draw.choice(['like', 'ilike', 'ilike', 'not like'])} {quoted(self.pattern(draw))}")
        if kind < 0.8:
            return self.found(f"c = {self.literal(draw)}")
        operator = draw.choice(["%", "%", "<%", "%>", "<<%", "%>>"])
        return self.found(f"c {operator} {self.literal(draw)}" if draw.random() < 0.5 else f"{self.literal(draw)} {operator} c")


class Paths(Topic):
    """jsonpath over documents, by both classes of gin."""

    NAMES = ("a", "b", "c", "", "a b", "deep")
    SCALARS = ("null", "true", "false", "0", "1", "1.0", "-1", "2.50", "1e3", "1000", '"a"', '"b"', '""', '"1"', '"true"', '"abc"')

    def __init__(self):
        super().__init__("jsonpath", "jsonb", ["gin (c)", "gin (c jsonb_path_ops)"])

    def document(self, draw, depth=0):
        kind = draw.random()
        if kind < 0.25 + 0.2 * depth:
            return draw.choice(self.SCALARS)
        if kind < 0.5 + 0.15 * depth:
            return "[" + ", ".join(self.document(draw, depth + 1) for _ in range(draw.randint(0, 3))) + "]"
        names = draw.sample(self.NAMES, draw.randint(0, 4))
        return "{" + ", ".join(f'"{name}": {self.document(draw, depth + 1)}' for name in names) + "}"

    def value(self, draw):
        document = self.document(draw)
        for _ in range(draw.choice([0] * 30 + [1, 62, 63, 64, 65, 66, 100])):
            document = draw.choice(['{"deep": %s}', "[%s]", '{"a": %s}']) % document
        return document

    def field(self, draw):
        name = draw.choice(self.NAMES)
        return f".{name}" if name in ("a", "b", "c", "deep") else f'."{name}"'

    def step(self, draw, depth):
        kind = draw.random()
        if kind < 0.5:
            return self.field(draw)
        if kind < 0.75:
            return draw.choice([".*", ".**", ".**{2}", ".**{1 to 3}", "[*]", "[*]", "[0]", "[last]", "[0 to 1]", "[1, 0]", ".**{last}",
                                ".**{0}", f"[{self.expression(draw, 3)}]"])
        if kind < 0.9 and depth < 3:
            return f" ? ({self.predicate(draw, depth + 1)})"
        return draw.choice([".size()", ".type()", ".double()", ".abs()", ".floor()", ".ceiling()", ".keyvalue()", ".keyvalue().value",
                            ".keyvalue().key", ".datetime()"])

    def way(self, draw, depth):
        root = "$" if depth == 0 or draw.random() < 0.2 else "@"
        return root + "".join(self.step(draw, depth) for _ in range(draw.choice([0, 1, 1, 2, 2, 3])))

    def expression(self, draw, depth):
        kind = draw.random()
        if kind < 0.3:
            return draw.choice(self.SCALARS)
        if kind < 0.85 or depth > 2:
            return self.way(draw, min(depth, 3))
        if kind < 0.93:
            return f"({self.expression(draw, depth + 1)} {draw.choice('+-*/%')} {self.expression(draw, depth + 1)})"
        return f"({draw.choice('+-')}{self.way(draw, depth)})"

    def predicate(self, draw, depth):
        kind = draw.random()
        if kind < 0.55 or depth > 4:
            return f"{self.expression(draw, depth)} {draw.choice(['==', '==', '==', '!=', '<>', '<', '<=', '>', '>='])} {self.expression(draw, depth)}"
        if kind < 0.75:
            return f"({self.predicate(draw, depth + 1)}) {draw.choice(['&&', '||'])} ({self.predicate(draw, depth + 1)})"
        if kind < 0.8:
            return f"!({self.predicate(draw, depth + 1)})"
        if kind < 0.9:
            return f"exists({self.way(draw, depth)})"
        if kind < 0.93:
            return f"({self.predicate(draw, depth + 1)}) is unknown"
        return self.way(draw, depth) + draw.choice([' starts with "a"', ' starts with ""', ' like_regex "^a"', ' like_regex "B" flag "i"'])

    def path(self, draw):
        mode = draw.choice(["", "", "lax ", "strict "])
        kind = draw.random()
        if kind < 0.5:
            return mode + self.way(draw, 0)
        if kind < 0.9:
            return mode + self.predicate(draw, 0)
        end = draw.choice([".type()", " ? (@ == true)", " ? (@ == false)", '.type() == "boolean"'])
        return f"{mode}({self.predicate(draw, 0)}){end}"

    def condition(self, draw):
        kind = draw.random()
        if kind < 0.85:
            return f"c {draw.choice(['@?', '@@'])} {quoted(self.path(draw))}"
        if kind < 0.95:
            return f"c @> {quoted(self.document(draw, 1))}"
        return f"c @? {quoted(self.path(draw))} and c @@ {quoted(self.path(draw))}"


def whole(low, high):
    """Integers of which some are at the ends or near each other."""
    return lambda draw: str(draw.choice([low, high, 0, 1, low + 1, high - 1, draw.randint(low, high), draw.randint(low, high) >> 12, low // 2])
                            if draw.random() < 0.5 else max(low, min(high, draw.randint(-40, 40))))


def binary(draw):
    special = ("NaN", "Infinity", "-Infinity", "0", "-0", "1e30", "-1e30", "1e-30")
    return draw.choice(special) if draw.random() < 0.15 else draw.choice([str(draw.randint(-20, 20)), f"{draw.uniform(-1000, 1000):.4f}"])


def day(draw):
    return f"{draw.choice([1, 1970, 1999, 2000, 2001, 2024, 5000])}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}".rjust(10, "0")


def time(draw):
    return f"{draw.randint(0, 23):02}:{draw.choice([0, 1, 59]):02}:{draw.choice(['00', '30.000001', '59.999999'])}"


def length(draw):
    return draw.choice(["1 month", "30 days", "720 hours", "-1 mon", "1 year -360 days", "0", "178000000 years", "-178000000 years",
                        f"{draw.randint(-40, 40)} days", f"{draw.randint(-40, 40)} days {draw.randint(-90, 90)} hours", f"{draw.uniform(-9, 9):.6f} s",
                        f"{draw.randint(-9, 9)} years {draw.randint(-9, 9)} months"])


def text(draw):
    return "".join(draw.choice("ab\u00e9z ") for _ in range(draw.randint(0, 4)))


BOUNDS = {"int4range": "int4", "int8range": "int8", "numrange": "numeric", "daterange": "date", "tsrange": "timestamp"}


def integer_bound(draw):
    n = draw.choice([draw.randint(-20, 20), draw.randint(-20, 20), draw.randint(-10**9, 10**9), 2**31 - 2, -2**31])
    return n, str(n)


def decimal_bound(draw):
    n = draw.choice([draw.randint(-5, 5), draw.randint(-50, 50) / 10, 10.0**20, -(10.0**20), 1e-20])
    return n, repr(n)


def day_bound(draw):
    n = draw.randint(1, 60)
    return n, f"2024-{1 + n // 28:02}-{1 + n % 28:02}"


TOPICS = [
    Scalars("int2", "int2", whole(-2**14, 2**14 - 1), distance=True),
    Scalars("int4 below zero", "int4", whole(-2**31, -1), distance=True),
    Scalars("int4", "int4", whole(-2**30, 2**30 - 1), distance=True),
    Scalars("int8", "int8", whole(-2**62, 2**62 - 1), distance=True),
    Scalars("int8 above zero", "int8", whole(0, 2**63 - 1), distance=True),
    Scalars("int4 of all sizes", "int4", whole(-2**31, 2**31 - 1)),
    Beside(),
    Scalars("float4", "float4", binary, distance=True, different=True),
    Scalars("float8", "float8", binary, distance=True, different=True),
    Scalars("money", "money", lambda d: f"{d.randint(-3000, 3000) / 100:.2f}", distance=True),
    Scalars("date", "date", day, distance=True),
    Scalars("dates with infinity", "date", lambda d: d.choice(["infinity", "-infinity", day(d), day(d)])),
    Scalars("time", "time", time, distance=True),
    Scalars("timestamp", "timestamp", lambda d: f"{day(d)} {time(d)}", distance=True),
    Scalars("timestamptz", "timestamptz", lambda d: f"{day(d)} {time(d)}+{d.randint(0, 9):02}", distance=True),
    Scalars("timestamp with infinity", "timestamp", lambda d: d.choice(["infinity", "-infinity", *[f"{day(d)} {time(d)}"] * 8]), distance=True),
    Scalars("interval", "interval", length, distance=True, different=True),
    Scalars("oid", "oid", lambda d: str(d.choice([0, 2**32 - 1, d.randint(0, 50), d.randint(0, 2**32 - 1)])), distance=True),
    Scalars("numeric", "numeric", lambda d: d.choice(["NaN", "Infinity", "1.0", "1.00", f"{d.uniform(-9, 9):.2f}", "1e40"])),
    Scalars("text", "text", text),
    Scalars("text of a locale", 'text collate "en-x-icu"', text),
    Scalars("bytea", "bytea", lambda d: "\\x" + "".join(d.choice(["00", "ff", "61"]) for _ in range(d.randint(0, 4)))),
    Scalars("varbit", "varbit", lambda d: "".join(d.choice("01") for _ in range(d.randint(0, 12)))),
    Scalars("macaddr", "macaddr", lambda d: f"08:00:2b:01:{d.choice(['00', 'ff'])}:{d.randint(0, 255):02x}"),
    Scalars("uuid", "uuid", lambda d: f"{d.choice([0, 255]):02x}{d.randint(0, 99):06d}-0000-0000-0000-{d.randint(0, 3):012}"),
    Scalars("timetz", "timetz", lambda d: f"{time(d)}+{d.randint(0, 3):02}"),
    Cubes("cube", 0),
    Cubes("cubes with NaN and infinity", 0.15),
    Networks(),
    Segments(),
    Bookings(),
    *(Shapes(name) for name in Shapes.SHAPES),
    *(Ranges(name, bound, multi) for multi in (False, True)
      for name, bound in (("int4range", integer_bound), ("int8range", integer_bound), ("numrange", decimal_bound), ("daterange", day_bound),
                          ("tsrange", day_bound))),
    Texts("trigrams", "abABik1"),
    Texts("trigrams of letters", "abcdefghiklmnorst"),
    *(Texts(f"trigrams in {name}", "abikIKBJ1\u00e9\u00c9\u212a\u0130\u0131\u00df\u00cc\u0307\u03c3\u03a3", name)
      for name in ("C", "en-x-icu", "tr-x-icu", "lt-x-icu", "de-x-icu", "el-x-icu")),
    Paths(),
]

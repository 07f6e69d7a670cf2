"""Boundary values of the types, and calls made of them."""

SETTINGS = [
    "SET TimeZone = 'America/New_York'",
    "SET statement_timeout = '5s'",
    "SET client_min_messages = error",
    "SET search_path = pg_catalog, coverage",
]
SETUP = [
    "CREATE SCHEMA coverage",
    "CREATE TYPE coverage.mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TYPE coverage.pair AS (a int4, b text)",
    "CREATE SEQUENCE coverage.counter",
]

INT_TEXTS = ["0", "1", "-1", "2", "5", "7", "-12", "100"]
TEXTS = ["", "a", "Abc def", "ß€𝄞x", "a,b,,c", "abcabc", "  x ", "%_\\", "a.c", "12", "foo bar baz", "UTF8", "day", "hex"]
TIMESTAMPS = ["2024-02-29 12:34:56.789012", "1999-12-31 23:59:59", "0044-03-15 12:00:00 BC", "infinity", "-infinity",
              "2000-01-01", "294276-12-31 23:59:59.999999", "2024-03-10 02:30:00", "4714-11-24 00:00:00 BC"]
JSONS = ["null", "1", '"a"', "[]", "{}", '{"a": 1, "b": [1, 2, null]}', '[1, "a", {"b": false}]', "12.50", "true",
         '{"a": {"b": {"c": "x"}}, "d": null}', '[[1, 2], [3, 4]]', '[{"a": 1, "b": "x"}, {"a": null}]']
POINTS = ["(0,0)", "(1,1)", "(1,2)", "(-3,4.5)", "(5.1,34.5)", "(2,0)", "(0.5,0.25)", "(1e-7,0)", "(1.0000005,1)", "(-0,0)",
          "(Infinity,1)", "(-Infinity,Infinity)", "(NaN,NaN)", "(1,NaN)", "(1e300,1e300)", "(-1e300,5)", "(1e-200,1e-200)",
          "(5e-324,2)", "(10,-10)", "(1.7976931348623157e308,0)"]
VALUES = {
    "bool": ["t", "f"],
    "int2": INT_TEXTS + ["32767", "-32768"],
    "int4": INT_TEXTS + ["2147483647", "-2147483648", "65536"],
    "int8": INT_TEXTS + ["9223372036854775807", "-9223372036854775808", "4294967296"],
    "oid": ["0", "1", "23", "25", "1259", "4294967295"],
    "float4": ["0", "-0", "1", "-1.5", "NaN", "Infinity", "-Infinity", "3.4e38", "1e-45", "0.1", "2.5", "32767.5"],
    "float8": ["0", "-0", "1", "-1", "NaN", "Infinity", "-Infinity", "1.7976931348623157e308", "5e-324", "0.1", "0.5", "2.5",
               "100", "2147483647.5", "1e20", "-3.7"],
    "numeric": ["0", "1", "-1", "0.5", "1.50", "-0.001", "2", "10", "123456789012345678901234567890.123456789", "NaN",
                "Infinity", "-Infinity", "1e-20", "99999999.995", "-7.25", "1e40", "32767.5"],
    "money": ["0", "1.5", "-$1,234.56", "92233720368547758.07"],
    "text": TEXTS,
    "varchar": TEXTS,
    "bpchar": TEXTS,
    "name": ["", "a", "pg_class", "Abc def", "x" * 63, "postgres"],
    "char": ["", "a", "\\\\201", "b"],
    "bytea": ["", "\\\\x00", "\\\\x0102ff", "abc", "\\\\xdeadbeef00"],
    "date": ["2024-02-29", "1999-12-31", "0044-03-15 BC", "infinity", "-infinity", "5874897-12-31", "4714-11-24 BC"],
    "time": ["00:00:00", "12:34:56.789012", "24:00:00", "23:59:59.999999"],
    "timetz": ["00:00:00+00", "12:34:56.789012-05", "24:00:00+15:59", "12:00:00 America/New_York"][:3],
    "timestamp": TIMESTAMPS,
    "timestamptz": TIMESTAMPS[:7] + ["2024-03-10 12:30:00+05:30", "2024-11-03 01:30:00 America/New_York"],
    "interval": ["0", "1 day", "-1 mon 2 days -03:04:05.678", "1 year 2 mons", "178000000 years", "-00:00:00.000001",
                 "30 days 24:00:00", "5 min", "1 mon"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
             "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "json": JSONS,
    "jsonb": JSONS,
    "jsonpath": ["$", "$.a", "$.b[*]", "$[*] ? (@ > 1)", "strict $.a.b", "$.**", "$[0 to last]", "$.a == 1", "$.size()", "$.x"],
    "xml": ["<a/>", "content", "<a b='1'>x &amp; <c>2</c></a>", "<?xml version='1.1' standalone='no'?><a/>",
            "<!DOCTYPE a [<!ENTITY e 'y'>]><a>&e;</a>", "<a>", "<a/><b/>", "<n:a xmlns:n='http://x'><!-- c --><?p q?></n:a>", ""],
    "inet": ["0.0.0.0/0", "192.168.1.5/24", "::1", "2001:db8::ff/64", "255.255.255.255", "10.1.2.3/8"],
    "cidr": ["0.0.0.0/0", "192.168.1.0/24", "::1", "2001:db8::/64", "10.0.0.0/8"],
    "macaddr": ["00:00:00:00:00:00", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"],
    "macaddr8": ["00:00:00:00:00:00:00:00", "08:00:2b:01:02:03:04:05", "08:00:2b:ff:fe:01:02:03"],
    "bit": ["0", "1", "10110", "11111111", "", "1" * 33],
    "varbit": ["0", "1", "10110", "11111111", "", "1" * 33],
    "regclass": ["pg_class", "pg_type", "-", "1"],
    "regtype": ["int4", "text", "-", "int4[]"],
    "regproc": ["now", "lower", "-", "1"],
    "regprocedure": ["now()", "abs(int4)", "-"],
    "regoper": ["pg_catalog.||/", "-"],
    "regoperator": ["+(int4,int4)", "-(NONE,int4)", "0"],
    "regrole": ["postgres", "-"],
    "regnamespace": ["pg_catalog", "-"],
    "regcollation": ["\"C\"", "-"],
    "xid": ["0", "1", "3", "4294967295"],
    "xid8": ["0", "1", "18446744073709551615"],
    "cid": ["0", "1", "4294967295"],
    "tid": ["(0,0)", "(0,1)", "(4294967295,65535)"],
    "pg_lsn": ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"],
    "pg_snapshot": ["10:20:10,14,15", "1:1:"],
    "txid_snapshot": ["10:20:10,14,15", "1:1:"],
    "int2vector": ["", "1", "1 2 3"],
    "oidvector": ["", "1", "1 2 3"],
    "point": POINTS,
    "lseg": ["[(0,0),(1,1)]", "[(1,2),(1,2)]", "[(0,1),(1,0)]", "[(-3,4),(5,4)]", "[(2,-1),(2,7)]", "[(0,0),(Infinity,1)]",
             "[(NaN,1),(2,3)]", "[(1e300,-1e300),(-1e300,1e300)]", "[(0.1,0.7),(-2.5,10)]", "[(1e-7,0),(0,1e-7)]",
             "[(2,2),(10,10.0000005)]", "[(1e-200,1e-200),(3e-200,0)]", "[(-Infinity,-Infinity),(Infinity,Infinity)]"],
    "line": ["{1,-1,0}", "{0,-1,5}", "{1,0,-2}", "{-1,-1,1}", "{3,4,-7}", "{0.3,-1,2.2}", "{NaN,-1,2}", "{1,NaN,NaN}",
             "{Infinity,-1,0}", "{1e300,1e300,1e300}", "{1e-5,1,3}", "{2,-2,0}", "{1e-300,5e-6,1}", "{5,0,Infinity}"],
    "box": ["(1,1),(0,0)", "(2,3),(2,3)", "(10,5),(-1,2)", "(0.5,0.5),(0.25,-4)", "(1e300,1e300),(-1e300,-1e300)", "(7,7),(3,3)",
            "(Infinity,Infinity),(0,0)", "(NaN,3),(1,2)", "(NaN,NaN),(NaN,NaN)", "(1.0000005,1),(0,0)", "(1e-200,2e-200),(0,0)",
            "(-3,-4),(-8,-6)", "(Infinity,1),(-Infinity,0)", "(2,2),(1,1)"],
    "path": ["((0,0),(2,0),(2,2),(0,2))", "[(0,0),(3,4)]", "[(1,2)]", "((5,5))", "[(0,2),(2,0),(4,2),(1,1)]", "((10,20),(-3,4),(0.5,0))",
             "[(NaN,1),(2,3)]", "((0,0),(Infinity,1),(3,3))", "[(1e300,1e300),(-1e300,0)]", "((-1,0),(0,1),(1,0))",
             "[(1e-7,0),(0,1e-7),(1e-200,1e-200)]", "[(-2,-2),(10,10)]"],
    "polygon": ["((0,0),(4,0),(4,4),(0,4))", "((1,1),(2,1),(2,2),(1,2))", "((1,2))", "((0,0),(3,3))", "((2,0),(0,4),(-3,1),(-1,-5))",
                "((0,0),(10,0),(10,10),(5,2),(0,10))", "((0,4),(0,0),(4,0),(4,4))", "((NaN,1),(2,3),(4,5))", "((3,3),(5,3),(5,5),(3,5))",
                "((0,0),(Infinity,0),(1,1))", "((1e300,1e300),(-1e300,1e300),(0,-1e300))", "((1e-7,0),(0,1e-7),(0,0))",
                "((1,8),(9,8),(9,9),(1,9))", "((-1,-1),(5,-1),(5,5),(3,5),(3,3),(2,3),(2,5),(-1,5))", "((2,3),(2,4),(3,4),(3,3))"],
    "circle": ["<(0,0),1>", "<(1,2),0>", "<(3,4),5>", "<(-2,0.5),2.5>", "<(0,0),NaN>", "<(NaN,1),2>", "<(Infinity,0),1>",
               "<(1,1),Infinity>", "<(1e300,0),1e300>", "<(1e-200,0),1e-200>", "<(1,2),1.0000005>", "<(5,5),0.5>"],
    "refcursor": ["abc"],
    "aclitem": ["postgres=r/postgres", "=arwd/postgres"],
    "unknown": ["a"],
    "mood": ["sad", "ok", "happy"],
    "pair": ["(1,x)", "(,)", "(2,)"],
}
HOSTILE = ["", " ", "x", "-", "1e", "{", "}", "[1", "1 2", "NaN", "9" * 40, "1.5", "\\\\", "'", "2024-13-45", "{1,2", "(1)", "0x1F", " 1 ",
           "1_000", "tru", "infinityx", "08:00", "1:2:3", "::", "\\\\x0", "{{1},{2,3}}", "b", "+", "١", "$.", "1e400", "-1e-400",
           "(1,2)", "1,2", "(1,2", "1,2)", "((1,2),(3,4))", "[(1,2),(3,4)]", "[(1,2),(3,4))", "(1,2),(3,4)", "1,2,3,4", "(1,2)(3,4)",
           " ( ( 1 , 2 ) , ( 3 , 4 ) ) ", "((1,2))", "[1,2,3,4]", "(1,2,3,4)", "1,2,3", "(1,2),3", "<(1,2),3>", "<1,2,3>", "((1,2),3)",
           "<(1,2),-3>", "(1,2,3)", "<(1,2),3)", "{1,2,3}", "{0,0,1}", "{1,2}", "{1,2,3", "{1,2,3}x", "(1,1),(1,1)", "(3,x)",
           "(1e400,1)", "[(1,2),(3,4),(5,6)]", "((1,2),(3,4),(5,6)", "1,2,3,4,5,6", "()", "(,)", "[]", "(1,2),", "((1,2),(3,4)),", "(1,2)x",
           "((1,2),(3,4))x", "[(1,2),(3,4)]]", "(((1,2),(3,4)))", "(0x10,1)", "(inf,-inf)", "(1 2)", "(1,,2)"]
# Instead of these, for functions of these names.
SEQUENCE_FUNCTIONS = ("nextval", "currval", "setval", "pg_sequence_last_value")
SEQUENCES = ["coverage.counter", "pg_class"]
# What a polymorphic parameter may be.
ELEMENTS = ["int4", "text", "numeric", "float8", "date", "bool"]
# Arguments that make a call sensible, by function: lists of argument lists of SQL.
TEMPLATES = {}


def literal(text, type_name):
    if type_name == "unknown":
        return quoted(text)
    name = f'"{type_name}"' if type_name in ("char",) else type_name
    return f"{quoted(text)}::{name}"


def quoted(text):
    text = text.replace("'", "''")
    return f"E'{text}'" if "\\" in text else f"'{text}'"


def array_text(type_name, chance):
    element = type_name[1:]
    pool = VALUES.get(element, ["a"])
    comma = ";" if element == "box" else ","
    shape = chance.randrange(6)
    if shape == 0:
        return "{}"

    def item():
        if chance.random() < 0.15:
            return "NULL"
        return '"' + chance.choice(pool).replace("\\\\", "\\").replace("\\", "\\\\").replace('"', '\\"').replace("\\", "\\\\") + '"'

    if shape == 1:
        return "{{%s,%s},{%s,%s}}".replace(",", comma) % tuple(item() for _ in range(4))
    if shape == 2:
        return "[0:1]={%s,%s}".replace(",", comma) % (item(), item())
    return "{" + comma.join(item() for _ in range(chance.randint(1, 5))) + "}"


class Binding:
    """The types that this call's polymorphic parameters stand for."""

    def __init__(self, chance, row):
        self.element = chance.choice(ELEMENTS)
        self.compatible = chance.choice(ELEMENTS)
        self.chance = chance
        self.row = row

    def concrete(self, name):
        if name in ("anyelement", "anynonarray"):
            return "pair" if "populate_record" in self.row.name else self.element
        if name == "anyarray":
            return "_" + self.element
        if name in ("anycompatible", "anycompatiblenonarray"):
            return self.compatible
        if name == "anycompatiblearray":
            return "_" + self.compatible
        if name == "anyenum":
            return "mood"
        if name == "any":
            return self.chance.choice(ELEMENTS + ["_int4", "jsonb", "interval"])
        return name


def argument(type_name, binding, chance):
    type_name = binding.concrete(type_name)
    if type_name == "record":
        return chance.choice(["ROW(1, 'a'::text)", "ROW(2, NULL::text)", "ROW(1, 'b'::text)"])
    if type_name == "_record":
        return "ARRAY[ROW(1, 'a'::text), ROW(2, NULL::text)]"
    if chance.random() < 0.04:
        return literal("x", type_name).replace("'x'", "NULL", 1)
    if type_name.startswith("_"):
        return literal(array_text(type_name, chance), type_name[1:] + "[]" if type_name != "_char" else '"char"[]')
    pool = VALUES.get(type_name)
    if type_name == "regclass" and binding.row.name in SEQUENCE_FUNCTIONS:
        pool = SEQUENCES
    return literal(chance.choice(pool), type_name) if pool else None


def arguments(row, types, chance):
    binding = Binding(chance, row)
    made = [argument(t, binding, chance) for t in types]
    if None in made:
        return None
    if row.variadic == "any":
        made += [argument("any", binding, chance) for _ in range(chance.randint(0, 3))]
    elif row.variadic and made:
        made[-1] = "VARIADIC " + made[-1]
    return made


def function_name(name):
    return f'pg_catalog."{name}"'


def call(row, chance):
    """One call, or None."""
    if row.kind == "type":
        name = row.name[1:] + "[]" if row.name.startswith("_") else row.name
        name = name.replace("char", '"char"') if name in ("char", "char[]") else name
        if chance.random() < 0.5:
            return f"SELECT {quoted(chance.choice(HOSTILE))}::{name}"
        if row.name.startswith("_"):
            return f"SELECT {quoted(array_text(row.name, chance))}::{name}"
        pool = VALUES.get(row.name)
        return f"SELECT {quoted(chance.choice(pool))}::{name}" if pool else None
    if row.kind in ("aggregate", "window"):
        return rows_call(row, chance)
    made = arguments(row, row.arguments, chance)
    if made is None:
        return None
    if row.kind == "operator":
        sign = f"OPERATOR(pg_catalog.{row.name})"
        return f"SELECT {sign} {made[0]}" if len(made) == 1 else f"SELECT {made[0]} {sign} {made[1]}"
    if row.kind == "cast":
        target = '"char"' if row.result == "char" else row.result
        return f"SELECT ({made[0]})::{target}"
    if row.result == "record" and row.name.endswith(("to_record", "to_recordset")):
        return f"SELECT * FROM {function_name(row.name)}({', '.join(made)}) AS x(a int4, b text)"
    return f"SELECT {function_name(row.name)}({', '.join(made)})" + (" LIMIT 40" if row.set else "")


def rows_call(row, chance):
    binding = Binding(chance, row)
    types = list(row.arguments)
    if row.aggregate_kind == "h":
        types = ["int4", "int4"]
    elif row.variadic == "any":
        types = [binding.concrete("any")]
    types = [binding.concrete(t) for t in types]
    table = [[argument(t, binding, chance) for t in types] for _ in range(chance.randint(1, 6))]
    if any(None in line for line in table):
        return None
    direct = 1 if row.aggregate_kind == "h" else row.direct
    columns = [f"c{i}" for i in range(len(types))]
    source = "(VALUES " + ", ".join(f"({i}{''.join(', ' + v for v in line)})" for i, line in enumerate(table)) + ") v(n" + "".join(
        ", " + c for c in columns) + ")"
    name = function_name(row.name)
    if row.aggregate_kind != "n":
        first = [table[0][i] for i in range(direct)]
        return f"SELECT {name}({', '.join(first)}) WITHIN GROUP (ORDER BY {', '.join(columns[direct:])}) FROM {source}"
    inside = ", ".join(columns) if columns else ("*" if row.kind == "aggregate" else "")
    if row.kind == "window":
        return f"SELECT {name}({inside}) OVER (ORDER BY n) FROM {source}"
    if not columns:
        return f"SELECT {name}(*) FROM {source}"
    if chance.random() < 0.2:
        return f"SELECT {name}({inside}) OVER (ORDER BY n ROWS 1 PRECEDING) FROM {source}"
    return f"SELECT {name}({inside} ORDER BY n) FROM {source}"


def calls(row, chance, count):
    made = []
    for _ in range(count * 3):
        one = call(row, chance)
        if one is not None and one not in made:
            made.append(one)
        if len(made) >= count:
            break
    return made

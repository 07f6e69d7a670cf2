"""How late statements end that are told to: every function, aggregate, operator and cast of the catalog and of the extensions, over large,
deep, repetitive and degenerate arguments, under a statement_timeout of 50 ms.

  lateness.py DIR:PORT [--share S --seed N --most N --only REGEX --bound SECONDS]     lists what ended late, the latest first

The arguments lie in a table, so that the time is the function's own, and each call's value is counted, so that the call is not
left out as unused.
"""
import argparse
import itertools
import pathlib
import random
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "wire")]
import protocol  # noqa: E402

TIMEOUT_MS = 50
LONG_ANSWER = 1_000_000  # bytes; sending them and reading them here is no lateness
EXTENSIONS = ("btree_gin", "btree_gist", "citext", "cube", "earthdistance", "fuzzystrmatch", "hstore", "intarray", "isn", "ltree", "pg_trgm",
              "pgcrypto", "seg", "tablefunc", "unaccent", "uuid-ossp", "xml2", "dict_int", "dict_xsyn")
TEXTS = [
    "repeat('ab', 4000000)", "repeat('ab', 4000000) || 'c'", "repeat('(', 100000)", "repeat('9', 1000)", "repeat('9', 4000000)",
    "'%' || repeat('a%', 5000)", "repeat('é', 3000000)", "repeat(' ', 8000000)", "repeat('\\', 4000000)", "repeat(E'\\n', 4000000)",
    "repeat('a b c ', 1000000)", "repeat('a & ', 200000) || 'a'", "repeat('!', 500000) || 'a'", "'[' || repeat('[1,2],', 1000000) || '1]'",
    "repeat('[', 5000) || repeat(']', 5000)", "'{' || repeat('1,', 2000000) || '1}'", "repeat('{', 6) || repeat('\"a\",', 1000000) || '1' || repeat('}', 6)",
    "'<a>' || repeat('<b c=\"d\">e</b>', 300000) || '</a>'", "'(' || repeat('(1,2),', 400000) || '(1,2))'", "'{' || repeat('[1,2),', 400000) || '[1,2)}'",
    "repeat('\"a\"=>\"b\", ', 400000) || '\"a\"=>NULL'", "'a' || repeat('.a', 400000)", "'(a*)*b'", "'(a|aa)+$'", "'((a{1,9}){1,9}){1,9}x'", "'.*.*.*.*.*x'", "'a'", "''",
    "'{\"a\":' || repeat('{\"a\":', 3000) || '1' || repeat('}', 3001)", "repeat('1 day ', 500000)", "repeat('1', 3000) || '-01-01'", "'P' || repeat('1D', 2000000)",
    "repeat('%s', 2000000)", "repeat('%1$*1$s', 200000)", "repeat('YYYY', 1000000)", "repeat('9,', 1000000)", "repeat('$.a', 20) || '.**'",
    "(select string_agg(md5(g::text), ' ') from generate_series(1, 200000) g)", "(select string_agg(chr(200 + g % 5000), '') from generate_series(1, 1000000) g)",
    "'\\x' || repeat('00', 4000000)", "repeat('\\000', 1000000)", "'UTF8'", "'hex'", "'g'", "'1.5e' || repeat('0', 1000000) || '1'", "'0.' || repeat('0', 4000000) || '1'",
]
WORST = {
    "int2": ["32767::int2", "(-32768)::int2", "1::int2"],
    "int4": ["2147483647", "(-2147483648)", "1000000", "1", "0"],
    "int8": ["9223372036854775807", "(-9223372036854775808)", "100000000::int8", "1::int8"],
    "float4": ["'NaN'::float4", "3e38::float4", "1::float4"],
    "float8": ["'Infinity'::float8", "1e308::float8", "5e-324::float8", "170::float8"],
    "numeric": ["repeat('7', 130000)::numeric", "('0.' || repeat('3', 16000))::numeric", "'NaN'::numeric", "(repeat('7', 100000) || '.' || repeat('1', 16000))::numeric",
                "1234567.891::numeric", "'1e-16000'::numeric", "1000000000::numeric", "'Infinity'::numeric"],
    "bool": ["true", "false"],
    "text": TEXTS,
    "varchar": [f"({t})::varchar" for t in TEXTS[:6]],
    "bpchar": ["repeat('ab', 4000000)::bpchar", "repeat(' ', 8000000)::bpchar", "'a'::bpchar"],
    "citext": [f"({t})::citext" for t in TEXTS[:8] + TEXTS[20:26]],
    "name": ["'x'::name", "'UTF8'::name", "'LATIN1'::name"],
    "bytea": ["decode(repeat('00ff', 2000000), 'hex')", "decode(repeat('61', 4000000), 'hex')", "'a'::bytea", "decode(repeat('61', 4000000), 'hex') || 'b'"],
    "char": ["'x'::\"char\""],
    "date": ["'infinity'::date", "'5874897-12-31'::date", "'4713-01-01 BC'::date", "'2020-01-01'::date"],
    "timestamp": ["'294276-12-31'::timestamp", "'-infinity'::timestamp", "'4713-01-01 BC'::timestamp", "'2020-01-01'::timestamp"],
    "timestamptz": ["'294276-12-31'::timestamptz", "'infinity'::timestamptz", "'4713-01-01 BC'::timestamptz", "'2020-01-01'::timestamptz"],
    "time": ["'24:00'::time"], "timetz": ["'24:00+15:59'::timetz"],
    "interval": ["'178000000 years'::interval", "'-2147483648 months'::interval", "'1 microsecond'::interval", "'1 second'::interval"],
    "json": ["('[' || repeat('[1,2],', 1000000) || '1]')::json", "('{\"a\":' || repeat('{\"a\":', 3000) || '1' || repeat('}', 3001))::json",
             "('{' || repeat('\"a\":1,', 500000) || '\"b\":2}')::json", "('[' || repeat('{\"a\":1,\"b\":\"x\"},', 300000) || '{\"a\":2}]')::json", "json_build_object('a', repeat('x\"', 3000000))"],
    "jsonb": ["('[' || repeat('[1,2],', 1000000) || '1]')::jsonb", "jsonb_build_object('a', repeat('x\"', 3000000))",
              "('{\"a\":' || repeat('{\"a\":', 3000) || '1' || repeat('}', 3001))::jsonb", "(select jsonb_object_agg(g, g) from generate_series(1, 300000) g)",
              "(select jsonb_agg(jsonb_build_object('a', g, 'b', 'x')) from generate_series(1, 200000) g)", "(select jsonb_agg(g) from generate_series(1, 500000) g)"],
    "xml": ["('<a>' || repeat('<b c=\"d\">e</b>', 300000) || '</a>')::xml", "(repeat('<a>', 250) || repeat('</a>', 250))::xml", "('<a>' || repeat('x', 8000000) || '</a>')::xml"],
    "jsonpath": ["'$.**'::jsonpath", "'$[*] ? (@ like_regex \"(a*)*b\")'::jsonpath", "'$.**.** ? (@ == @)'::jsonpath", "('$' || repeat('[*]', 1000))::jsonpath",
                 "'$[*] ? (exists ($[*] ? (@ == 1)))'::jsonpath", "('$ ? (1 == 1' || repeat(' || 1 == 2', 20000) || ')')::jsonpath", "'$.a.type().size().keyvalue()'::jsonpath"],
    "_text": ["array_fill('x'::text, array[1000000])", "array(select md5(g::text) from generate_series(1, 200000) g)", "array_fill(repeat('x', 1000), array[5000])",
              "array_fill('x'::text, array[100,100,10,10])", "array['a', 'b']", "array(select case when g % 2 = 0 then 'k' || g else 'v' end from generate_series(1, 400000) g)"],
    "_int4": ["array_fill(7, array[3])", "array_fill(7, array[3000000])", "array(select g from generate_series(1, 1000000) g)", "array(select (g::int8 * 7919 % 1000003)::int from generate_series(1, 1000000) g)", "array_fill(7, array[10,10,10,10,10,10])"],
    "_int8": ["array(select g::int8 from generate_series(1, 1000000) g)"], "_int2": ["array_fill(7::int2, array[1000000])"],
    "_numeric": ["array(select g::numeric from generate_series(1, 500000) g)", "array_fill(repeat('7', 10000)::numeric, array[1000])"],
    "_float8": ["array(select g::float8 from generate_series(1, 1000000) g)", "array[0.1, 0.5, 0.9]::float8[]", "array(select g / 100000.0::float8 from generate_series(1, 100000) g)"],
    "_float4": ["array_fill(1::float4, array[1000000])"], "_bool": ["array_fill(true, array[2000000])"],
    "_json": ["array_fill('{\"a\":1}'::json, array[300000])"], "_jsonb": ["array_fill('{\"a\":1}'::jsonb, array[300000])"],
    "_bytea": ["array_fill('\\x00ff'::bytea, array[500000])"], "_name": ["array_fill('x'::name, array[500000])"], "_oid": ["array_fill(1::oid, array[500000])"],
    "_char": ["array_fill('x'::\"char\", array[500000])"], "_xml": ["array_fill('<a/>'::xml, array[300000])"],
    "_hstore": ["array_fill('a=>1'::hstore, array[200000])"], "_ltree": ["array_fill('a.b.c'::ltree, array[200000])"],
    "_lquery": ["array_fill('*.a.*.b.*'::lquery, array[100000])"], "_tsvector": ["array_fill('a b'::tsvector, array[200000])"],
    "uuid": ["'00000000-0000-0000-0000-000000000000'::uuid"], "macaddr": ["'08:00:2b:01:02:03'::macaddr"], "macaddr8": ["'08:00:2b:01:02:03:04:05'::macaddr8"],
    "inet": ["'::/0'::inet", "'255.255.255.255'::inet"], "cidr": ["'::/0'::cidr"],
    "bit": ["repeat('10', 4000000)::bit(8000000)", "repeat('10', 4000000)::bit(8000000) | 1::bit(8000000)"], "varbit": ["repeat('10', 4000000)::varbit", "repeat('0', 8000000)::varbit"],
    "money": ["'92233720368547758.07'::money"], "oid": ["4294967295::oid", "1259::oid"], "regclass": ["'pg_class'::regclass"], "regtype": ["'int4'::regtype"], "regproc": ["'now'::regproc"],
    "int4range": ["int4range(null, null)", "int4range(1, 1000000000)", "'empty'::int4range"], "int8range": ["'[1,)'::int8range"],
    "numrange": ["numrange(1, repeat('7', 100000)::numeric)"], "tsrange": ["tsrange(null, null)"], "daterange": ["daterange('2000-01-01', 'infinity')"],
    "int4multirange": ["(select range_agg(int4range(i * 3, i * 3 + 2)) from generate_series(1, 300000) i)", "(select range_agg(int4range(i * 3 + 1, i * 3 + 3)) from generate_series(1, 300000) i)"],
    "int8multirange": ["(select range_agg(int8range(i * 3, i * 3 + 2)) from generate_series(1, 300000) i)"],
    "nummultirange": ["(select range_agg(numrange(i * 3, i * 3 + 2)) from generate_series(1, 300000) i)", "(select range_agg(numrange(i * 3 + 1, i * 3 + 2.5)) from generate_series(1, 300000) i)"],
    "_int4range": ["array_fill(int4range(1, 5), array[300000])"],
    "point": ["point(1, 2)", "point('NaN', 'Infinity')"], "lseg": ["lseg(point(0, 0), point(1, 1))"], "line": ["'{1,2,3}'::line"], "box": ["box(point(0, 0), point(1, 1))"],
    "circle": ["circle(point(0, 0), 1e300)"], "path": ["(select ('[' || string_agg(format('(%s,%s)', g, g % 7), ',') || ']')::path from generate_series(1, 100000) g)"],
    "polygon": ["polygon(100000, circle(point(0, 0), 10))", "(select ('(' || string_agg(format('(%s,%s)', g % 1000, g % 7), ',') || ')')::polygon from generate_series(1, 50000) g)"],
    "tsvector": ["(select array_to_tsvector(array_agg('w' || g)) from generate_series(1, 100000) g)", "(select string_agg('w' || g || ':' || g % 16000 + 1 || 'A', ' ')::tsvector from generate_series(1, 80000) g)",
                 "(select ('a:' || string_agg((g % 16383 + 1)::text, ','))::tsvector from generate_series(1, 16000) g)", "to_tsvector('english', repeat('a quick brown fox ', 50000))"],
    "tsquery": ["(select string_agg('w' || g, ' & ')::tsquery from generate_series(1, 20000) g)", "(select string_agg('a', ' <-> ')::tsquery from generate_series(1, 3000) g)",
                "(repeat('!', 30) || 'a')::tsquery", "(select string_agg('w' || g, ' | ')::tsquery from generate_series(1, 20000) g)"],
    "regconfig": ["'english'::regconfig", "'simple'::regconfig"], "regdictionary": ["'english_stem'::regdictionary"],
    "hstore": ["(select hstore(array_agg('k' || g), array_agg('v' || g)) from generate_series(1, 300000) g)", "hstore('a', repeat('x\"', 3000000))", "'a=>1'::hstore"],
    "ltree": ["('a' || repeat('.a', 60000))::ltree", "'a.b.c'::ltree", "(select string_agg('l' || g, '.')::ltree from generate_series(1, 60000) g)"],
    "lquery": ["(repeat('*.a.', 3000) || 'b')::lquery", "'*.a.*.a.*.a.*.a.*.b'::lquery", "'a.*'::lquery"], "ltxtquery": ["(select string_agg('a', ' & ')::ltxtquery from generate_series(1, 10000) g)", "(repeat('!', 100) || 'a')::ltxtquery"],
    "cube": ["cube(array_fill(1::float8, array[100]))"], "seg": ["'1 .. 2'::seg"], "query_int": ["(select string_agg(g::text, '&')::query_int from generate_series(1, 10000) g)", "(repeat('!', 1000) || '1')::query_int"],
    "isbn": ["'978-0-393-04002-9'::isbn"], "xid": ["'1'::xid"], "xid8": ["'1'::xid8"], "tid": ["'(1,1)'::tid"], "pg_lsn": ["'0/0'::pg_lsn"],
    "pg_snapshot": ["(select ('1:2000000000:' || string_agg((g + 1)::text, ','))::pg_snapshot from generate_series(1, 300000) g)"],
    "record": ["row(repeat('ab', 4000000), array_fill(1, array[1000000]))::worst_row", "row('a', '{1}')::worst_row"], "aclitem": ["'postgres=r/postgres'::aclitem"],
    "_aclitem": ["array_fill('postgres=r/postgres'::aclitem, array[50000])"],
    "gtrgm": [], "oidvector": ["array_to_string(array_fill(1, array[200000]), ' ')::oidvector"], "int2vector": ["array_to_string(array_fill(1, array[200000]), ' ')::int2vector"],
    "_record": ["array(select row(g, array[g])::worst_row from generate_series(1, 200000) g)"],
}
# A polymorphic call's types, family by family.
FAMILIES = [
    {"anyarray": "_text", "anyelement": "text", "anynonarray": "text", "anycompatiblearray": "_text", "anycompatible": "text", "anycompatiblenonarray": "text", "any": "text"},
    {"anyarray": "_int4", "anyelement": "int4", "anynonarray": "int4", "anycompatiblearray": "_int4", "anycompatible": "int4", "anyrange": "int4range",
     "anymultirange": "int4multirange", "anycompatiblerange": "int4range", "anycompatiblemultirange": "int4multirange", "any": "_int4"},
    {"anyarray": "_numeric", "anyelement": "numeric", "anynonarray": "numeric", "anycompatiblearray": "_numeric", "anycompatible": "numeric", "anyrange": "numrange",
     "anymultirange": "nummultirange", "anycompatiblerange": "numrange", "anycompatiblemultirange": "nummultirange", "any": "jsonb"},
    {"anyarray": "_jsonb", "anyelement": "jsonb", "anynonarray": "jsonb", "anycompatiblearray": "_jsonb", "anycompatible": "jsonb", "any": "record"},
    {"anyelement": "_text", "anycompatible": "_int4", "any": "hstore"},
    {"anyelement": "record", "any": "tsvector"},
]
# Names that act on the server or wait by design.
LEFT_OUT = ("pg_sleep", "pg_terminate", "pg_cancel", "pg_reload", "pg_rotate", "pg_advisory", "pg_switch", "pg_promote", "indigo_", "pg_create", "pg_drop",
            "pg_replication_origin_session", "pg_start", "pg_stop", "pg_backup", "pg_export", "set_config", "binary_upgrade", "pg_logical_slot", "dblink", "lo_import", "lo_export",
            "pg_extension_config", "pg_log_backend", "pg_read", "pg_ls", "pg_notify", "pg_wal_replay")
CATALOG = """select string_agg(concat_ws(' ', p.oid, p.prokind, p.proretset, p.provolatile, p.pronamespace::regnamespace || '."' || p.proname || '"', nullif(types, '')), E'\\n' order by p.oid)
  from pg_proc p, lateral (select string_agg(t.typname, ' ' order by n) types
    from unnest(p.proargtypes) with ordinality a(type, n) join pg_type t on t.oid = a.type) t
  where p.pronargs between 1 and 6 and p.prokind in ('f', 'a', 'w') and p.pronamespace <> 'information_schema'::regnamespace
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)"""


class Session:
    def __init__(self, address, database="postgres", user="postgres"):
        self.connection, self.address = protocol.Connection(address, {}), address
        got = self.connection.start([("user", user), ("database", database)])
        if not got.startswith("ReadyForQuery"):
            raise RuntimeError(got)

    def run(self, sql):
        """The first value, or the SQLSTATE and message."""
        self.connection.send(protocol.message(b"Q", sql.encode() + b"\0"))
        answer, self.received = None, 0
        while True:
            kind, body = self.connection.receive()
            self.received += len(body)
            if kind == b"D" and answer is None:
                answer = body[6: 6 + max(0, int.from_bytes(body[2:6], "big", signed=True))].decode("utf-8", "replace")
            elif kind == b"E":
                fields = protocol.fields(body)
                answer = fields["C"].decode() + " " + fields["M"].decode("utf-8", "replace")[:100]
            elif kind == b"Z":
                return answer or ""


def calls(catalog, seed, share, most):
    rng = random.Random(seed)
    for line in catalog.split("\n"):
        _, kind, returns_set, _, name, *types = line.split()
        if name.split('"')[1].startswith(LEFT_OUT) or rng.random() > share:
            continue
        for family in FAMILIES if any(t.startswith("any") for t in types) else [{}]:
            values = [WORST.get(family.get(t, t)) for t in types]
            if any(not v for v in values):
                continue
            combinations = 1
            for v in values:
                combinations *= len(v)
            if combinations <= most:
                chosen = list(itertools.product(*values))
            else:
                chosen = [tuple(rng.choice(v) for v in values) for _ in range(most)]
            for arguments in chosen:
                call = f"{name}({', '.join(arguments)})"
                if kind == "f":
                    yield f"select count(x::text) from worst, lateral {call} x" if returns_set == "t" else f"select count({call}) from worst"
                elif kind == "a":
                    yield f"select count({call}) from worst, generate_series(1, 3000)"


def casts(seed, share, types):
    rng = random.Random(seed)
    for t in types:
        for value in TEXTS:
            if rng.random() <= share:
                yield f"select count(({value})::text::{t}) from worst"
    for t, values in WORST.items():
        for value in values:
            if rng.random() <= share:
                yield f"select count(({value})::text) from worst"
                yield f"select count(*) from (select {value} v from worst, generate_series(1, 100) offset 0) q group by v"
                yield f"select max(n) from (select row_number() over (order by {value}) n from worst, generate_series(1, 100)) q"
                yield f"select count(*) from worst, lateral (values (to_jsonb({value})), (to_jsonb(array[{value}]))) x(y) where y is not null"
                yield f"select count(format('%s %L', {value}, {value})) from worst"


def keep_long_arguments(server):
    """Moves each argument into a table of its own, and has WORST name their columns; {column: expression}."""
    server.run("create type worst_row as (a text, b int[])")
    columns = {}
    for type_name, values in WORST.items():
        kept = []
        for expression in values:
            name = f"a{len(columns)}"
            if got := server.run(f"drop table if exists t{name}; create table t{name} as select {expression} as {name}"):
                print(f"no argument {expression}: {got}")
                continue
            kept.append(name)
            columns[kept[-1]] = expression
        WORST[type_name][:] = kept
    return columns


def from_tables(sql):
    """The statement over the tables of the arguments that it names."""
    return sql.replace("from worst", "from " + ", ".join(f"t{name}" for name in dict.fromkeys(re.findall(r"\ba\d+\b", sql))))


def explained(sql, columns):
    return sql + "  -- " + "; ".join(columns[c] for c in dict.fromkeys(re.findall(r"\ba\d+\b", sql)) if c in columns)


def timed(server, sql):
    began = time.monotonic()
    got = server.run(sql)
    return time.monotonic() - began, got


def find_late(server, statements, bound, note, again=3):
    """(seconds, statement, answer) of what ended later than the bound, each time."""
    late = []
    for sql in statements:
        try:
            seconds, got = timed(server, sql)
            for _ in range(again):
                if seconds <= bound or server.received > LONG_ANSWER:
                    break
                seconds, got = min((seconds, got), timed(server, sql))
        except (protocol.Closed, OSError) as error:
            note(f"GONE {sql}: {error!r}")
            raise
        if got.startswith("XX000"):
            note(f"XX000 {sql}: {got}")
        if seconds > bound and server.received <= LONG_ANSWER:
            late.append((seconds, sql, got))
            note(f"LATE {seconds:.3f} {got[:60]!r} {sql}")
    return late


def prepare(address):
    """(a session with the arguments, all statements by a seed and a share of them, what the columns are)."""
    server = Session(address)
    for extension in EXTENSIONS:
        if got := server.run(f'create extension if not exists "{extension}"'):
            print(extension, got)
    columns = keep_long_arguments(server)
    catalog = server.run(CATALOG)
    types = server.run("select string_agg(oid::regtype::text, ' ') from pg_type where typtype in ('b', 'r', 'm') and typname !~ '^_' "
                       "and typinput::oid <> 0 and oid::regtype::text !~ ' '").split()
    server.run(f"set statement_timeout = {TIMEOUT_MS}")

    def statements(seed, share, most):
        return [from_tables(s) for s in itertools.chain(calls(catalog, seed, share, most), casts(seed, share, types))]

    return server, statements, columns


def run_some(address, suite, seed, sanitized):
    """Some of the statements, for the suite: of those that do not look at interrupts many take seconds."""
    server, statements, columns = prepare(address)
    some = random.Random(seed).sample(statements(seed, 0.1, 4), 60 if sanitized else 400)
    late = find_late(server, some, 20 if sanitized else 1.5, lambda s: None)
    server.run(f"set statement_timeout = 0; drop table {', '.join('t' + c for c in columns)}; drop type worst_row cascade")
    if late:
        suite.failed("lateness", "\n".join(f"seed {seed}: {seconds:.1f} s, {got[:60]}: {explained(sql, columns)}" for seconds, sql, got in late))
    else:
        suite.passed("lateness")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=12, help="combinations of a function's arguments")
    parser.add_argument("--only", default="", help="a regular expression that the statement has to match")
    parser.add_argument("--bound", type=float, default=0.2)
    options = parser.parse_args()
    directory, port = options.address.rsplit(":", 1)
    protocol.TIMEOUT_S = 300
    server, statements, columns = prepare((directory, int(port)))
    chosen = [s for s in statements(options.seed, options.share, options.most) if re.search(options.only, s)]
    print(f"{len(chosen)} statements", flush=True)
    began = time.monotonic()
    late = find_late(server, chosen, options.bound, lambda s: print(s, flush=True))
    for seconds, sql, got in sorted(late, reverse=True):
        print(f"{seconds:.3f} {got[:40]!r} {explained(sql, columns)[:400]}")
    print(f"{time.monotonic() - began:.0f} s, {len(late)} late")


if __name__ == "__main__":
    main()

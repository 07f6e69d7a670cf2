"""Every function of the catalog with the worst arguments of its types, under a statement_timeout: an answer comes soon, a value or an
error, and another session of the same worker is served meanwhile. The arguments are made beforehand, in a table, so that the time
is the function's own. What is long by its nature has cases of its own."""
import random
import threading
import time

# Of one statement whose limit is half a second, and of `select 1` beside it. What does not look takes minutes; a sanitizer
# build on a busy machine takes seconds.
BOUND_SECONDS = 30
TIMEOUT = "500ms"

WORST = {
    "int2": ["32767::int2", "(-32768)::int2"],
    "int4": ["2147483647", "(-2147483648)", "1000000"],
    "int8": ["9223372036854775807", "(-9223372036854775808)"],
    "float4": ["'NaN'::float4", "3e38::float4"],
    "float8": ["'Infinity'::float8", "1e308::float8", "5e-324::float8"],
    "numeric": ["repeat('7', 130000)::numeric", "('0.' || repeat('3', 16000))::numeric", "'NaN'::numeric"],
    "bool": ["true"],
    "text": ["repeat('ab', 5000000)", "repeat('(', 100000)", "repeat('9', 1000)", "'%' || repeat('a%', 5000)"],
    "varchar": ["repeat('ab', 5000000)::varchar"],
    "bpchar": ["repeat('ab', 1000000)::bpchar"],
    "name": ["'x'::name"],
    "bytea": ["decode(repeat('00ff', 2000000), 'hex')"],
    "char": ["'x'::\"char\""],
    "date": ["'infinity'::date", "'5874897-12-31'::date", "'4713-01-01 BC'::date"],
    "timestamp": ["'294276-12-31'::timestamp", "'-infinity'::timestamp"],
    "timestamptz": ["'294276-12-31'::timestamptz", "'infinity'::timestamptz"],
    "time": ["'24:00'::time"],
    "timetz": ["'24:00+15:59'::timetz"],
    "interval": ["'178000000 years'::interval", "'-2147483648 months'::interval"],
    "json": ["('[' || repeat('[1,2],', 1000000) || '1]')::json"],
    "jsonb": ["('[' || repeat('[1,2],', 1000000) || '1]')::jsonb", "jsonb_build_object('a', repeat('x', 1000000))"],
    "xml": ["('<a>' || repeat('<b c=\"d\">e</b>', 300000) || '</a>')::xml", "(repeat('<a>', 250) || repeat('</a>', 250))::xml"],
    "jsonpath": ["'$.**'::jsonpath", "'$[*] ? (@ like_regex \"(a*)*b\")'::jsonpath"],
    "anyarray": ["array_fill(1, array[3000000])"],
    "anycompatiblearray": ["array_fill(1, array[3000000])"],
    "anyelement": ["1"],
    "anycompatible": ["1"],
    "any": ["1"],
    "_text": ["array_fill('x'::text, array[1000000])"],
    "_int4": ["array_fill(7, array[3])"],
    "uuid": ["'00000000-0000-0000-0000-000000000000'::uuid"],
    "inet": ["'::/0'::inet"],
    "cidr": ["'::/0'::cidr"],
    "bit": ["repeat('10', 1000000)::bit(2000000)"],
    "varbit": ["repeat('10', 1000000)::varbit"],
    "money": ["'92233720368547758.07'::money"],
    "int4range": ["int4range(null, null)"],
    "int8range": ["'[1,)'::int8range"],
    "numrange": ["numrange(1, repeat('7', 100000)::numeric)"],
    "oid": ["4294967295::oid"],
    "regclass": ["'pg_class'::regclass"],
}
# Names that act on the server, wait by design, or read files.
LEFT_OUT = ("pg_sleep", "pg_terminate", "pg_cancel", "pg_reload", "pg_rotate", "pg_advisory", "pg_try_advisory", "pg_switch", "pg_promote",
            "indigo_", "lo_", "pg_logical", "pg_create", "pg_drop", "pg_replication", "pg_wal", "pg_start", "pg_stop", "pg_backup",
            "pg_read", "pg_ls", "pg_stat_reset", "pg_notify", "pg_export", "binary_upgrade", "set_config", "setval", "nextval", "query_to",
            "cursor_to", "table_to", "schema_to", "database_to", "pg_import", "pg_log_backend", "pg_nextoid", "pg_extension_config")
SLOW = [
    "select length(sqrt(repeat('7', 130000)::numeric)::text)",
    "select length((repeat('7', 130000)::numeric / repeat('9', 60000)::numeric)::text)",
    "select length(power(repeat('7', 100)::numeric, 1300)::text)",
    "select length(exp(5000.123456789::numeric)::text)",
    "select jsonb_array_length(('[' || repeat('1,', 10000000) || '1]')::jsonb)",
    "select length(jsonb_pretty(('[' || repeat('1,', 5000000) || '1]')::jsonb))",
    "select repeat('a', 30000) ~ '^(a*)*\\1b$'",
    "select length(translate(repeat('z', 10000000), repeat('a', 10000) || 'z', 'b'))",
    "select array_length(array_fill(1, array[50000000]), 1)",
    "select count(*) from (select g from generate_series(1, 3000000) g order by md5(g::text)) q",
    "select generate_series(1, 10000000000) offset 9999999999",
    "select position(repeat('a', 500000) || 'b' in repeat('a', 20000000))",
    "select length(btrim(repeat('a', 10000000), repeat('b', 100000) || 'a'))",
    "select to_timestamp(repeat('Y', 30000000), repeat('Y', 30000000))",
    "select length(to_char(now(), repeat('ab', 20000000)))",
    "select ('P' || repeat('1D', 3000000))::interval",
    "select count(*) from string_to_table(repeat('ab', 10000000), 'b')",
    "select regexp_count(repeat('a', 5000000), 'a(?:.*c)?')",
    "select percentile_cont(0.5) within group (order by random()) from generate_series(1, 3000000)",
    "select jsonb_path_query_array(('[' || repeat('1,', 3000000) || '1]')::jsonb, '$[*] ? (@ > 1)')",
]
CATALOG = """select string_agg(proname || ' ' || proretset || ' ' || types, E'\n' order by oid) from (select p.oid, p.proname, left(p.proretset::text, 1) as proretset, array_to_string(array(
  select t.typname from unnest(p.proargtypes) with ordinality a(type, n) join pg_type t on t.oid = a.type order by a.n), ' ') types
  from pg_proc p where p.prokind = 'f' and p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs between 1 and 3
  and p.prorettype not in ('trigger'::regtype, 'internal'::regtype)) p"""


def calls(catalog, seed, share):
    rng = random.Random(seed)
    for line in catalog.split("\n"):
        name, many, *types = line.split()
        if name.startswith(LEFT_OUT) or not all(t in WORST for t in types) or rng.random() > share:
            continue
        # What nobody reads is not computed: the value is counted, and so are the rows of one that gives many.
        call = f'pg_catalog."{name}"({", ".join(f"({rng.choice(WORST[t])})" for t in types)})'
        yield f"select count(f::text) from worst, {call} f" if many == "t" else f"select count({call}) from worst"


def keep_long_arguments(server):
    """Moves what takes long to make into a table, and has WORST name its columns."""
    columns = []
    for values in WORST.values():
        for i, expression in enumerate(values):
            if not any(word in expression for word in ("repeat(", "array_fill(")):
                continue
            columns.append(f"{expression} as a{len(columns)}")
            values[i] = f"a{len(columns) - 1}"
    got = server.run(f"create table worst as select {', '.join(columns)}")
    if got:
        raise RuntimeError(f"the arguments could not be made: {got}")


class Neighbour:
    """Another session, asked again and again; the longest that it waited."""

    def __init__(self, server):
        self.server, self.longest, self.error, self.ended = server, 0.0, None, threading.Event()
        self.thread = threading.Thread(target=self.ask)

    def ask(self):
        while not self.ended.is_set():
            began = time.monotonic()
            try:
                self.server.run("select 1")
            except Exception as error:
                self.error = error
                return
            self.longest = max(self.longest, time.monotonic() - began)
            self.ended.wait(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def run_worst_arguments(server, neighbour, suite, seed, share=0.25):
    """`server` and `neighbour` have run(sql), which answers the first value or the SQLSTATE."""
    keep_long_arguments(server)
    catalog = server.run(CATALOG)
    server.run(f"set statement_timeout = '{TIMEOUT}'")
    tried = 0
    for sql in [*SLOW, *calls(catalog, seed, share)]:
        began = time.monotonic()
        with Neighbour(neighbour) as beside:
            try:
                server.run(sql)
            except Exception as error:
                raise RuntimeError(f"no answer to: {sql}") from error
        seconds = time.monotonic() - began
        tried += 1
        if beside.error is not None or max(seconds, beside.longest) > BOUND_SECONDS:
            suite.failed("worst arguments",
                         f"seed {seed}: {sql}: {seconds:.1f} s, {beside.longest:.1f} s beside it {beside.error or ''}")
            return
    server.run("reset statement_timeout")
    server.run("drop table worst")
    if tried < 100:
        suite.failed("worst arguments", f"only {tried} calls were tried")
    else:
        print(f"  seed {seed}: {tried} calls with worst arguments", flush=True)
        suite.passed("worst arguments")

"""Every function of the catalog with the worst arguments of its types, under a statement_timeout: an answer comes soon, a value or an
error, and the session goes on. What is long by its nature has cases of its own."""
import random
import time

BOUND_SECONDS = 60  # of one statement whose limit is 0.2; before anything looked, some took minutes
TIMEOUT = "200ms"

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
    "select percentile_cont(0.5) within group (order by random()) from generate_series(1, 3000000)",
    "select jsonb_path_query_array(('[' || repeat('1,', 3000000) || '1]')::jsonb, '$[*] ? (@ > 1)')",
]
CATALOG = """select string_agg(proname || ' ' || types, E'\n' order by oid) from (select p.oid, p.proname, array_to_string(array(
  select t.typname from unnest(p.proargtypes) with ordinality a(type, n) join pg_type t on t.oid = a.type order by a.n), ' ') types
  from pg_proc p where p.prokind = 'f' and p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs between 1 and 3
  and not p.proretset and p.prorettype not in ('trigger'::regtype, 'internal'::regtype)) p"""


def calls(catalog, seed, share):
    rng = random.Random(seed)
    for line in catalog.split("\n"):
        name, *types = line.split()
        if name.startswith(LEFT_OUT) or not all(t in WORST for t in types) or rng.random() > share:
            continue
        yield f'select pg_catalog."{name}"({", ".join(rng.choice(WORST[t]) for t in types)}) is null'


def run_worst_arguments(server, suite, seed, share=0.25):
    """`server` has run(sql), which answers the first value or the SQLSTATE."""
    server.run(f"set statement_timeout = '{TIMEOUT}'")
    tried = 0
    for sql in [*SLOW, *calls(server.run(CATALOG), seed, share)]:
        began = time.monotonic()
        try:
            server.run(sql)
        except Exception as error:
            raise RuntimeError(f"no answer to: {sql}") from error
        seconds = time.monotonic() - began
        tried += 1
        if seconds > BOUND_SECONDS:
            suite.failed("worst arguments", f"seed {seed}: {sql}: {seconds:.1f} s")
            return
    server.run("reset statement_timeout")
    if tried < 100:
        suite.failed("worst arguments", f"only {tried} calls were tried")
    else:
        print(f"  seed {seed}: {tried} calls with worst arguments", flush=True)
        suite.passed("worst arguments")

"""Statements whose shape is large: planning them, defining what they define or aggregating what they read takes seconds, and all of
it looks at interrupts. Each runs under a statement_timeout; it ends soon after that, and another session of the same worker is
served meanwhile."""
import time

from functions import Neighbour


def keys_in_one_place(count):
    """Numbers that a hash table without a secret of its own would put into one place: its mixing, backwards."""
    ones = (1 << 64) - 1
    mixed, spread = pow(0xD6E8FEB86659FD93, -1, 1 << 64), pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    for i in range(1, count + 1):
        h = i << 24
        h = (h ^ h >> 32) * mixed & ones
        h = ((h ^ h >> 32) * spread - 1) & ones
        yield h - (1 << 64) if h >> 63 else h


TIMEOUT_MS = 50
# What does not look takes 2 to 20 seconds here.
BOUND_SECONDS = 1.5
SANITIZER_BOUND_SECONDS = 20

SETUP = [
    "create table shapes (a int primary key, b text, c int); insert into shapes select i, i::text, i % 10 from generate_series(1, 1000) i",
    "create table level0 (a int, b int) partition by range (a); do $$ begin for i in 1..500 loop execute format("
    "'create table level%s partition of level%s for values from (0) to (10000) %s', i, i - 1, "
    "case when i < 500 then 'partition by range (a)' else '' end); end loop; end $$; alter table level0 add primary key (a)",
    "create table many (a int, b int) partition by range (a); do $$ begin for i in 1..1000 loop execute format("
    "'create table many%s partition of many for values from (%s) to (%s)', i, i * 10, i * 10 + 10); end loop; end $$",
    "create table letters as select string_agg(chr(97 + (g::int8 * 7919 * g % 1000003 % 2)::int), '') as a from generate_series(1, 4000000) g",
    f"create table meeting as select unnest('{{{','.join(map(str, keys_in_one_place(200000)))}}}'::int8[]) as a",
    "create table long as select g i, md5(g::text) t from generate_series(1, 300000) g",
    "create table large as select repeat('x', 8000000) as a, array_fill(repeat('7', 10000)::numeric, array[1000]) as b",
]
ELEMENTS = {
    "xmlagg": "('<a>' || repeat('<b c=\"d\">e</b>', 300000) || '</a>')::xml",
    "bit_or": "repeat('10', 5000000)::varbit::bit(10000000)",
    "bit_and": "repeat('10', 5000000)::varbit::bit(10000000)",
    "range_intersect_agg": "(select range_agg(int4range(i * 3, i * 3 + 2)) from generate_series(1, 300000) i)",
    "max": "repeat('x', 10000000)",
    "json_agg": "repeat('x', 10000000)",
    "variance": "repeat('7', 130000)::numeric",
}


def joined(count, join, condition):
    return "select count(*) from shapes a0 " + " ".join(f"{join} shapes a{i} {condition(i)}" for i in range(1, count))


def listed(count, text):
    return ", ".join(text.format(i) for i in range(count))


CASES = [
    ("natural joins", joined(150, "natural join", lambda i: "")),
    ("a star of joins", joined(150, "join", lambda i: f"on a0.a = a{i}.a")),
    ("outer joins", joined(150, "left join", lambda i: f"on a{i}.a = a{i - 1}.c")),
    ("full joins", joined(150, "full join", lambda i: f"on a{i}.a = a{i - 1}.a")),
    ("lateral joins", "select count(*) from shapes a0 " +
     " ".join(f"cross join lateral (select * from shapes x where x.a = a{i - 1}.a limit 1) a{i}" for i in range(1, 150))),
    ("windows", f"select {listed(800, 'sum(a) over (partition by c order by a + {0})')} from shapes"),
    ("sort keys", f"select * from shapes order by {listed(1600, 'a + {0}')}"),
    ("grouping keys", f"select count(*) from shapes group by {listed(1600, 'a + {0}')}"),
    ("distinct keys", f"select distinct on ({listed(1600, 'a + {0}')}) a from shapes"),
    ("alternatives", "select * from shapes x, shapes y where " + " or ".join(f"(x.a = {i} and y.c = {i})" for i in range(20000))),
    ("scalar subqueries", f"select 1, {listed(300, '(select max(a) from shapes x{0} where x{0}.a < shapes.a)')} from shapes"),
    ("rows within rows", "select " + "row(" * 800 + "1" + ")" * 800),
    ("rows within rows as text", "select (" + "row(" * 800 + "1" + ")" * 800 + ")::text"),
    ("columns with checks", f"create table wide ({listed(1600, 'c{0} int default {0} check (c{0} > 0)')})"),
    ("a foreign key to levels of partitions", "create table refers (a int references level0 (a))"),
    ("an index on levels of partitions", "create index on level0 (b)"),
    ("an index on many partitions", "create index on many (b)"),
    ("a key of many partitions", "alter table many add primary key (a)"),
    ("declarations", "do $$ declare " + " ".join(f"v{i} int := {i};" for i in range(20000)) + " begin end $$"),
]
CASES += [
    ("a regular expression that is in many states", "select a ~ '(a|b)*a(a|b){500}c' from letters"),
    ("a regular expression with many sets of states", "select a ~ 'a[ab]{200}c' from letters"),
    ("a regular expression's groups", "select regexp_match(a, '(a|b|ab|ba){1,300}c|((a|b)*)') from letters"),
    ("groups of keys in one place", "set statement_timeout = 20000; select count(*) from (select a from meeting group by a offset 0) q; "
     "set statement_timeout = 50"),
    ("a join of keys in one place", "set statement_timeout = 20000; select count(*) from meeting x join meeting y using (a); "
     "set statement_timeout = 50"),
    ("groups of large texts", "select count(*) from (select a from large, generate_series(1, 1000) offset 0) q group by a"),
    ("groups of large arrays", "select count(*) from (select b from large, generate_series(1, 1000) offset 0) q group by b"),
    ("frames that begin again",
     "select max(t) over (order by i rows between 250000 preceding and current row) from long offset 1000000"),
    ("values of frames without peers",
     "select last_value(t) over (order by i / 300000 rows between unbounded preceding and unbounded following exclude group) from long offset 1000000"),
    ("a search among large numbers", "select array_position(array(select g::numeric from generate_series(1, 500000) g), repeat('7', 130000)::numeric)"),
    ("a label tree and many words",
     "create extension if not exists ltree; set statement_timeout = 50; select (select string_agg('l' || g, '.') from generate_series(1, 60000) g)::ltree "
     "@ (select string_agg('a', ' & ') from generate_series(1, 10000) g)::ltxtquery"),
]
CASES.append(("an array's text", "select array_length((select string_to_array('{' || repeat('1,', 3000000) || '1}', 'x'))[1]::int[], 1)"))
CASES.append(("arrays of arrays", "select array_agg(a) from (select array_fill(7, array[1000000]) a offset 0) a, generate_series(1, 40)"))
CASES += [(f"{name} of large values", f"select {name}(value) from {name}_values, generate_series(1, 1000)") for name in ELEMENTS]
# These end by themselves, each of their statements in its time: only the neighbour's wait counts. Sanitizers get a tenth of the millions:
# what they note of 2,000,000 rows of pg_locks takes more memory than machines have.
LONG_BY_RIGHT = [
    ("an index of many words", "set statement_timeout = 0; create table words as select md5(i::text) w from generate_series(1, 1000000) i; "
     "create index on words using gin ((string_to_array(w, 'a'))); drop table words; set statement_timeout = 50"),
    ("a long sort", "set statement_timeout = 0; select count(*) from (select md5(i::text) from generate_series(1, 1500000) i "
     "order by 1 offset 1) q; set statement_timeout = 50"),
    ("a list of many locks", "set statement_timeout = 0; select count(pg_advisory_lock(g)) from generate_series(1, 2000000) g; "
     "select count(*) from pg_locks; select pg_advisory_unlock_all(); set statement_timeout = 50"),
    ("many statements", "set application_name = 'x';" * 30000)]


def run_shapes(server, neighbour, suite, sanitized):
    bound = SANITIZER_BOUND_SECONDS if sanitized else BOUND_SECONDS
    tables = [f"create table {name}_values as select {value} as value" for name, value in ELEMENTS.items()]
    for sql in SETUP + tables:
        got = server.run(sql)
        if got:
            return suite.failed("shapes", f"{got} for {sql[:100]}")
    server.run(f"set statement_timeout = {TIMEOUT_MS}")
    for name, sql in CASES + LONG_BY_RIGHT:
        by_right = (name, sql) in LONG_BY_RIGHT
        if sanitized and by_right:
            sql = sql.replace("000000)", "00000)")
        began = time.monotonic()
        with Neighbour(neighbour) as beside:
            try:
                got = server.run(sql)
            except Exception as error:
                raise RuntimeError(f"no answer to: {name}") from error
        seconds = 0 if by_right else time.monotonic() - began
        if beside.error is not None or got == "XX000" or max(seconds, beside.longest) > bound:
            suite.failed(f"shapes: {name}", f"{got[:100]}, {seconds:.1f} s, {beside.longest:.1f} s beside it {beside.error or ''}")
        else:
            suite.passed(f"shapes: {name}")
    server.run("set statement_timeout = 0")
    server.run(f"drop table shapes, level0, many, letters, meeting, large, long, {', '.join(f'{name}_values' for name in ELEMENTS)} cascade")

"""Statements whose shape is large: planning them, defining what they define or aggregating what they read takes seconds, and all of
it looks at interrupts. Each runs under a statement_timeout; it ends soon after that, and another session of the same worker is
served meanwhile."""
import time

from functions import Neighbour

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
    ("windows", f"select {listed(500, 'sum(a) over (partition by c order by a + {0})')} from shapes"),
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
CASES.append(("an array's text", "select array_length((select string_to_array('{' || repeat('1,', 3000000) || '1}', 'x'))[1]::int[], 1)"))
CASES.append(("arrays of arrays", "select array_agg(a) from (select array_fill(7, array[1000000]) a offset 0) a, generate_series(1, 40)"))
CASES += [(f"{name} of large values", f"select {name}(value) from {name}_values, generate_series(1, 1000)") for name in ELEMENTS]
# These end by themselves, each of their statements in its time: only the neighbour's wait counts.
LONG_BY_RIGHT = [
    ("an index of many words", "set statement_timeout = 0; create table words as select md5(i::text) w from generate_series(1, 1000000) i; "
     "create index on words using gin ((string_to_array(w, 'a'))); drop table words; set statement_timeout = 50"),
    ("a long sort", "set statement_timeout = 0; select count(*) from (select md5(i::text) from generate_series(1, 1500000) i "
     "order by 1 offset 1) q; set statement_timeout = 50"),
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
        began = time.monotonic()
        with Neighbour(neighbour) as beside:
            try:
                got = server.run(sql)
            except Exception as error:
                raise RuntimeError(f"no answer to: {name}") from error
        seconds = 0 if (name, sql) in LONG_BY_RIGHT else time.monotonic() - began
        if beside.error is not None or got == "XX000" or max(seconds, beside.longest) > bound:
            suite.failed(f"shapes: {name}", f"{got[:100]}, {seconds:.1f} s, {beside.longest:.1f} s beside it {beside.error or ''}")
        else:
            suite.passed(f"shapes: {name}")
    server.run("set statement_timeout = 0")
    server.run(f"drop table shapes, level0, many, {', '.join(f'{name}_values' for name in ELEMENTS)} cascade")

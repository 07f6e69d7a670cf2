"""Tables with an index of each method: after a crash every index answers what the table has, and is shown, dumped and restored
under its method."""
import subprocess

import psycopg2

from server import rows, run

METHODS = ("btree", "hash", "griffin", "indexlet", "hydralist")


def client(server, program, *arguments):
    command = [program, "-h", server.sockets, "-p", str(server.port), "-U", "postgres", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(server, database="postgres"):
    c = server.connect(database)
    for method in METHODS:
        table = f"t_{method}"
        assert method in rows(c, f"select indexdef from pg_indexes where indexname = 'i_{method}'")[0][0]
        run(c, "set enable_seqscan = off", "set enable_indexscan = on", "set enable_bitmapscan = on")
        for k in (0, 3, 9, 77):
            by_index = rows(c, f"select count(*), sum(id) from {table} where k = {k}")
            run(c, "set enable_seqscan = on", "set enable_indexscan = off", "set enable_bitmapscan = off")
            by_table = rows(c, f"select count(*), sum(id) from {table} where k = {k}")
            run(c, "set enable_seqscan = off", "set enable_indexscan = on", "set enable_bitmapscan = on")
            assert by_index == by_table, f"{method}: {by_index} by the index, {by_table} by the table"
        assert rows(c, f"select count(*) from {table}") == [(1800,)]
        assert f"{method} (k)" in client(server, "psql", "-d", database, "-c", f"\\d {table}")
    c.close()


def case_index_methods(case):
    server = case.start()
    c = server.connect()
    for method in METHODS:
        run(c, f"create table t_{method} (id int primary key, k int)",
            f"create index i_{method} on t_{method} using {method} (k)",
            f"insert into t_{method} select i, i % 10 from generate_series(1, 2000) i",
            f"delete from t_{method} where id % 10 = 4", f"update t_{method} set k = 77 where id % 10 = 9")
    check(server)
    server.kill()
    server = case.start()
    check(server)
    dump = client(server, "pg_dump", "postgres")
    for method in METHODS:
        assert f"USING {method} (k)" in dump, dump
    run(server.connect(), "create database restored")
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", server.sockets, "-p", str(server.port), "-U", "postgres",
                    "-d", "restored"], input=dump, capture_output=True, text=True, check=True)
    check(server, "restored")
    assert server.stop() == 0


def case_functions_that_have_changed(case):
    """Indexes call functions whose owner has replaced them since: by one that fails, that gives the same for all rows, that does not end.
    The server starts, and has the tables and the indexes, which REINDEX builds again."""
    server = case.start("-c", "max_prepared_transactions=5")
    c = server.connect()
    run(c, "create role eve login", "grant create on schema public to eve", "set role eve")
    for name, body in (("fails", "raise exception 'no more'"), ("same", "return 1"), ("endless", "loop null; end loop")):
        function = f"create or replace function {name}(a int) returns int immutable language plpgsql as $$ begin %s; end $$"
        run(c, function % "return a", f"create table t_{name} (a int)", f"insert into t_{name} select generate_series(1, 100)",
            f"create unique index i_{name} on t_{name} ({name}(a))", f"create index p_{name} on t_{name} (a) where {name}(a) > 0",
            f"create table e_{name} (a int, exclude using gist (int4range({name}(a), {name}(a) + 1) with &&))",
            f"insert into e_{name} values (1), (2)")
        if name != "endless":
            run(c, f"create table x_{name} (a int)", f"create unique index on x_{name} ({name}(a))",
                "begin", f"insert into x_{name} values (1), (2)", f"prepare transaction '{name}'")
        run(c, function % body)
    for stop in ("kill", "stop"):
        getattr(server, stop)()
        server = case.start("-c", "max_prepared_transactions=5")
        c = server.connect()
        for name in ("fails", "same", "endless"):
            assert rows(c, f"select count(*), sum(a) from t_{name}") == [(100, 5050)]
            assert rows(c, f"select indisvalid from pg_index where indexrelid = 'i_{name}'::regclass") == [(False,)]
        assert rows(c, "select count(*) from pg_prepared_xacts") == [(2,)]
    assert 'index "i_fails" of table "t_fails" is not built, REINDEX does it: no more' in case.servers[1].messages()
    run(c, "commit prepared 'fails'", "commit prepared 'same'")
    for name in ("fails", "same", "endless"):
        run(c, f"create or replace function {name}(a int) returns int immutable language plpgsql as $$ begin return a; end $$",
            f"reindex table t_{name}", f"reindex table e_{name}", "set enable_seqscan = off")
        assert rows(c, f"select a from t_{name} where {name}(a) = 7") == [(7,)]
        try:
            run(c, f"insert into t_{name} values (7)")
            raise AssertionError(f"{name} is not unique")
        except psycopg2.errors.UniqueViolation:
            pass
    assert rows(c, "select sum(a) from x_fails") == [(3,)]
    assert server.stop() == 0

"""Tables with an index of each method: after a crash every index answers what the table has, and is shown, dumped and restored
under its method."""
import subprocess

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

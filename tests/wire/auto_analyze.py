"""The automatic ANALYZE: tables whose rows have changed, by PostgreSQL's thresholds; other sessions are not disturbed."""
import signal
import tempfile
import time

from probes import Served, connect

TIMEOUT_S = 60
SEEN = "select relname, n_mod_since_analyze, analyze_count, autoanalyze_count from pg_stat_user_tables order by relname"


def rows(connection, query):
    return [m.removeprefix("DataRow ") for m in connection.query(query) if m.startswith("DataRow ")]


def eventually(connection, query, wanted):
    until = time.monotonic() + TIMEOUT_S
    while (got := rows(connection, query)) != wanted:
        assert time.monotonic() < until, got
        time.sleep(0.05)


def served(binary, directory, *options):
    return Served(binary, directory, "-p", "0", "-h", "", "-c", "autovacuum_naptime=1s", *options)


def changed_tables_are_analyzed(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-analyze-") as directory:
        server = served(binary, directory)
        con = connect(server.address)
        con.query("create table below (a int)")
        con.query("create table exempt (a int) with (autovacuum_enabled = off)")
        con.query("create table own (a int) with (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0)")
        con.query("create table plain (a int primary key, b int)")
        con.query("create temp table private (a int)")
        con.query("insert into below select generate_series(1, 50)")
        for table, count in (("exempt", 1000), ("own", 6), ("private", 1000)):
            con.query(f"insert into {table} select generate_series(1, {count})")
        con.query("insert into plain select g, g % 10 from generate_series(1, 1000) g")
        con.query("begin")
        con.query("insert into plain select generate_series(2001, 9000)")
        con.query("rollback")
        wanted = ['"below" "50" "0" "0"', '"exempt" "1000" "0" "0"', '"own" "0" "0" "1"', '"plain" "0" "0" "1"',
                  '"private" "1000" "0" "0"']
        eventually(con, SEEN, wanted)
        # The statistics are there, and plans made before are not used any longer.
        assert rows(con, "select reltuples from pg_class where relname = 'plain'") == ['"1000"']
        assert rows(con, "select n_distinct from pg_stats where tablename = 'plain' and attname = 'b'") == ['"10"']
        assert rows(con, "select last_autoanalyze > now() - interval '1 minute', last_analyze from pg_stat_user_tables "
                         "where relname = 'plain'") == ['"t" NULL']
        # 50 + a tenth of the 1000 rows must change: 150 do not do, 151 do.
        con.query("update plain set b = 0 where a <= 100")
        con.query("delete from plain where a <= 50")
        con.query("analyze own")
        con.query("insert into own values (1), (2), (3), (4), (5), (6)")  # a round later `own` has been seen again
        eventually(con, SEEN, wanted[:2] + ['"own" "0" "1" "2"', '"plain" "150" "0" "1"'] + wanted[4:])
        con.query("update plain set b = 1 where a = 100")
        eventually(con, SEEN, wanted[:2] + ['"own" "0" "1" "2"', '"plain" "0" "0" "2"'] + wanted[4:])
        assert rows(con, "select count(*) from pg_stat_activity") == ['"1"']
        assert server.end(signal.SIGTERM) == 0


def a_locked_table_waits(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-analyze-") as directory:
        server = served(binary, directory)
        con, other = connect(server.address), connect(server.address)
        for table in ("free", "locked"):
            con.query(f"create table {table} (a int)")
        other.query("begin")
        other.query("lock table locked in share update exclusive mode")
        for table in ("locked", "free"):
            con.query(f"insert into {table} select generate_series(1, 100)")
        eventually(con, SEEN, ['"free" "0" "0" "1"', '"locked" "100" "0" "0"'])
        other.query("commit")
        eventually(con, SEEN, ['"free" "0" "0" "1"', '"locked" "0" "0" "1"'])
        # Databases come and go while it works in them.
        for i in range(20):
            con.query("create database passing")
            guest = connect(server.address, database="passing")
            guest.query("create table t as select g a, 'text' || g b from generate_series(1, 20000) g")
            guest.close()
            got = con.query("drop database passing")
            assert 'CommandComplete "DROP DATABASE"' in got, got
        assert server.end(signal.SIGTERM) == 0


def it_can_be_switched_off(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-analyze-") as directory:
        server = served(binary, directory, "-c", "autovacuum=off")
        con = connect(server.address)
        con.query("create table t as select generate_series(1, 1000) a")
        began = time.monotonic()
        while time.monotonic() - began < 2.5:  # two rounds
            assert rows(con, SEEN) == ['"t" "1000" "0" "0"']
            time.sleep(0.1)
        assert server.end(signal.SIGTERM) == 0


def what_does_not_end_is_left(binary):
    """A function in statistics of one table does not end: the next one is analyzed, and the server stops."""
    with tempfile.TemporaryDirectory(prefix="indigo-analyze-") as directory:
        server = served(binary, directory)
        con = connect(server.address)
        con.query("create function f(a int) returns int immutable language plpgsql as $$ begin loop null; end loop; end $$")
        con.query("create table endless (a int)")
        con.query("create table plain (a int)")
        con.query("create statistics s on (f(a)), a from endless")
        con.query("insert into endless select generate_series(1, 1000)")
        con.query("insert into plain select generate_series(1, 1000)")
        eventually(con, SEEN, ['"endless" "1000" "0" "0"', '"plain" "0" "0" "1"'])
        assert server.end(signal.SIGTERM) == 0


CHECKS = [changed_tables_are_analyzed, a_locked_table_waits, it_can_be_switched_off, what_does_not_end_is_left]

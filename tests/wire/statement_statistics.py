"""pg_stat_statements: what is counted, under which text, and who sees it."""
from probes import BINARY, connect, done, served, value

LOADED = ("-c", "shared_preload_libraries=pg_stat_statements")


def failure(connection, query):
    """What the query's error says."""
    return next(message for message in connection.query(query) if message.startswith("ErrorResponse"))


def rows(connection, query):
    return [message for message in done(connection, query) if message.startswith("DataRow")]


def statements_are_counted_by_their_shape(binary):
    """Constants do not matter, rows and calls add up, errors and PREPARE do not count."""
    BINARY[:] = [binary]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements")
        done(session, "create table t (a int, b text)")
        done(session, "select pg_stat_statements_reset()")
        for i in range(5):
            done(session, f"insert into t values ({i}, 'x{i}'), ({i}, 'y')")
        done(session, "select a from t where a = 1 ")
        done(session, "select a from t where a = 2;")
        failure(session, "select 1 / 0")
        done(session, "prepare p as select b from t")
        shown = "select calls || ' ' || rows from pg_stat_statements where query like '%s%%' and query not like '%%stat%%'"
        assert value(session, shown % "insert into t") == "5 10"
        assert value(session, shown % "select a from t where a = $1") == "2 4"
        assert rows(session, "select 1 from pg_stat_statements where query ilike 'prepare%' or query like '%/ %0'") == []
        assert value(session, "select count(*) from pg_stat_statements where total_exec_time < min_exec_time") == "0"
        done(session, "select pg_stat_statements_reset()")
        assert value(session, "select count(*) from pg_stat_statements where query like 'insert%'") == "0"
        assert value(session, "select dealloc from pg_stat_statements_info") == "0"


def others_statements_are_hidden(binary):
    """A role without pg_read_all_stats sees that others' statements exist, not their texts, and resets nothing."""
    BINARY[:] = [binary]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements; create role stranger; select 'secret'::text as a_name")
        done(session, "set role stranger")
        assert value(session, "select count(*) from pg_stat_statements where query like '%a_name%'") == "0"
        assert value(session, "select count(*) > 0 from pg_stat_statements where query = '<insufficient privilege>'") == "t"
        assert "42501" in failure(session, "select pg_stat_statements_reset()")


def nothing_is_counted_unless_it_is_loaded(binary):
    """The view says what is missing, as PostgreSQL's does."""
    BINARY[:] = [binary]
    with served() as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements")
        assert "55000" in failure(session, "select * from pg_stat_statements")


PROGRAMS = """
create table t (a int, b text);
create function one(i int) returns int language plpgsql as $$ declare r int; begin select (i + 1 + 1.0)::int into r; return r; end $$;
create function two(i int) returns int language sql as $$ select (i + 2)::int limit 1 $$;
"""


def statements_of_functions_are_counted_where_track_says_all(binary):
    """Levels: what functions run is one below; a program's variables have numbers before the constants."""
    BINARY[:] = [binary]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements;" + PROGRAMS)
        for track, expected in (("none", []), ("top", ["select one($1)|1|t", "select two($1)|1|t"]),
                                ("all", ["select (i + $2 + $3)::int|1|f", "select (i + $2)::int limit $3|1|f",
                                         "select one($1)|1|t", "select two($1)|1|t"])):
            done(session, f"set pg_stat_statements.track = '{track}'")
            done(session, "select pg_stat_statements_reset()")
            done(session, "select one(3)")
            done(session, "select two(3)")
            done(session, "set pg_stat_statements.track = 'none'")
            got = value(session, "select coalesce(string_agg(btrim(query) || '|' || calls || '|' || left(toplevel::text, 1), ';' "
                                 "order by query collate \"C\"), '') from pg_stat_statements where query ~ '^ *select [(ot]'")
            assert got == ";".join(expected), (track, got)


def utilities_are_counted_by_their_texts(binary):
    """Rows of COPY, FETCH, CREATE TABLE AS and REFRESH; track_utility = off; EXECUTE counts what it runs, under PREPARE's text."""
    BINARY[:] = [binary]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements")
        done(session, "select pg_stat_statements_reset()")
        for statement in ("create table made as select g, 'x' from generate_series(1, 7) g", "copy made to '/dev/null'",
                          "create materialized view m as select * from made", "refresh materialized view m", "begin",
                          "declare c cursor for select * from m", "fetch 3 from c", "fetch all from c", "commit",
                          "set work_mem = '1MB'", "set work_mem = '2MB'",
                          "prepare p (int) as select $1, 'x' limit 5", "execute p(1)", "execute p(2)", "deallocate p"):
            done(session, statement)
        done(session, "set pg_stat_statements.track_utility = off")
        done(session, "set work_mem = '3MB'")
        shown = value(session, "select string_agg(query || ' ' || calls || ' ' || rows, ';' order by query collate \"C\") "
                               "from pg_stat_statements where query !~ 'pg_stat'")
        assert shown.split(";") == [
            "begin 1 0", "commit 1 0", "copy made to '/dev/null' 1 7",
            "create materialized view m as select * from made 1 7",
            "create table made as select g, 'x' from generate_series(1, 7) g 1 7",
            "declare c cursor for select * from m 1 0", "fetch 3 from c 1 3", "fetch all from c 1 4",
            "prepare p (int) as select $1, $2 limit $3 2 2", "refresh materialized view m 1 7",
            "set work_mem = '1MB' 1 0", "set work_mem = '2MB' 1 0"], shown


def queries_are_one_by_their_meaning(binary):
    """Names that a query gives, blanks and qualified names do not count; types, tables, numbers of rows and functions do."""
    BINARY[:] = [binary]
    same = [("select a as x from t", "SELECT  t.a AS y FROM public.t"), ("select 1 as a", "select 2 as b"),
            ("select * from t x where x.a = 1", "select a, b from t y where a = 2"),
            ("select 1 from t for update", "select 1 from t for update of t"), ("select 'a'", "select 'b'::text")]
    other = [("select 1", "select 1.5"), ("select a from t", "select a from u"), ("select a from t", "select a from only t"),
             ("insert into t values (1)", "insert into t values (1), (2)"), ("select min(a) from t", "select max(a) from t"),
             ("select a from t order by a", "select a from t order by a desc"), ("select 1 union select 2", "select 1 union all select 2"),
             ("select a from t limit 1", "select a from t offset 1"), ("select a from t where a = 1", "select a from t where a in (1, 2)")]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements; create table t (a int, b text); create table u (a int, b text)")
        for pairs, expected in ((same, "1"), (other, "2")):
            for pair in pairs:
                done(session, "select pg_stat_statements_reset()")
                for statement in pair:
                    done(session, statement)
                assert value(session, "select count(distinct queryid) from pg_stat_statements where query !~ 'pg_stat'") == expected, pair
        done(session, "select pg_stat_statements_reset()")
        for table in ("drop table t; create table t (a int)", "create temp table t (a int)"):
            done(session, table)
            done(session, "select a from t")
        assert value(session, "select count(*) from pg_stat_statements where query = 'select a from t'") == "2"


def plans_are_counted_when_they_are_tracked(binary):
    """Each text has a plan of its own then; a prepared statement is planned again after its table has changed."""
    BINARY[:] = [binary]
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements; create table t (a int)")
        done(session, "set pg_stat_statements.track_planning = on")
        done(session, "select pg_stat_statements_reset()")
        for statement in ("select a + 1 from t", "select a + 2 from t", "select a + 3 from t", "prepare p as select count(*) from t",
                          "execute p", "execute p", "alter table t add b int", "execute p"):
            done(session, statement)
        shown = "select plans || ' ' || calls || ' ' || (total_plan_time > 0) from pg_stat_statements where query like '%s%%'"
        assert value(session, shown % "select a + $1") == "3 3 true"
        assert value(session, shown % "prepare p") == "2 3 true"


def settings_are_the_modules(binary):
    """Superusers choose; max is the server's."""
    BINARY[:] = [binary]
    with served(*LOADED, "-c", "pg_stat_statements.max=100") as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements; create role someone")
        assert value(session, "show pg_stat_statements.max") == "100"
        assert "55P02" in failure(session, "set pg_stat_statements.max = 200")
        assert "22023" in failure(session, "set pg_stat_statements.track = 'some'")
        assert "42602" in failure(session, "set pg_stat_statements.nothing = 1")
        for i in range(150):
            done(session, f"select 1 as a{i}, {', '.join('1' * (i + 1))}")
        assert int(value(session, "select count(*) from pg_stat_statements")) <= 100
        assert int(value(session, "select dealloc from pg_stat_statements_info")) >= 1
        done(session, "set role someone")
        assert "42501" in failure(session, "set pg_stat_statements.track = 'all'")
    with served() as server:
        session = connect(server.address)
        done(session, "set pg_stat_statements.track = 'anything'")


def older_versions_can_be_made_and_updated(binary):
    """The function and the view of each version since 1.4."""
    BINARY[:] = [binary]
    columns = "select count(*) from pg_attribute where attrelid = 'pg_stat_statements'::regclass and attnum > 0"
    with served(*LOADED) as server:
        session = connect(server.address)
        done(session, "create extension pg_stat_statements version '1.4'")
        assert value(session, columns) == "23"
        for version, count in (("1.5", 23), ("1.6", 23), ("1.7", 23), ("1.8", 32), ("1.9", 33), ("1.10", 43)):
            done(session, f"alter extension pg_stat_statements update to '{version}'")
            assert value(session, "select extversion from pg_extension where extname = 'pg_stat_statements'") == version
            assert value(session, columns) == str(count), version
            assert value(session, "select count(*) > 0 from pg_stat_statements") == "t"
        assert "22023" in failure(session, "alter extension pg_stat_statements update to '1.4'")


CHECKS = [statements_are_counted_by_their_shape, others_statements_are_hidden, nothing_is_counted_unless_it_is_loaded,
          statements_of_functions_are_counted_where_track_says_all, utilities_are_counted_by_their_texts,
          queries_are_one_by_their_meaning, plans_are_counted_when_they_are_tracked, settings_are_the_modules,
          older_versions_can_be_made_and_updated]

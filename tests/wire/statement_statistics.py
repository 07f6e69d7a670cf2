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


CHECKS = [statements_are_counted_by_their_shape, others_statements_are_hidden, nothing_is_counted_unless_it_is_loaded]

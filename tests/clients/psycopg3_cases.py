"""psycopg 3 (libpq): parameters in text and binary, prepared statements, pipelines, COPY, cursors, errors."""
import datetime
import decimal
import ipaddress
import threading
import time
import uuid

import cases
import psycopg
from psycopg import errors, sql
from psycopg.rows import dict_row, namedtuple_row
from psycopg.types.json import Json, Jsonb


def connect(**options):
    return psycopg.connect(host=cases.HOST, port=cases.PORT, user=cases.USER, dbname=cases.DATABASE, **options)


def scratch(connection, name):
    connection.execute(f"drop schema if exists {name} cascade")
    connection.execute(f"create schema {name}")
    connection.execute(f"set search_path to {name}, public")
    connection.commit()


VALUES = [
    True, 42, -7, 3_000_000_000, 2**70, 1.5, decimal.Decimal("12345678901234567890.123456789"), "text 'with' quotes \\ é",
    "", b"\x00\x01\xff", datetime.date(2024, 2, 29), datetime.time(12, 34, 56, 789012),
    datetime.datetime(2024, 2, 29, 12, 34, 56, 789012),
    datetime.datetime(2024, 2, 29, 12, 34, 56, tzinfo=datetime.timezone.utc),
    datetime.timedelta(days=-3, seconds=7, microseconds=5), uuid.UUID("12345678-1234-5678-1234-567812345678"),
    [1, 2, None], [decimal.Decimal("1.50")], ipaddress.ip_address("192.168.0.1"),
    ipaddress.ip_network("10.0.0.0/8"),
]


def test_values_go_there_and_back_in_text_and_binary():
    with connect() as connection:
        for binary in (False, True):
            for value in VALUES:
                for placeholder in ("%s", "%b", "%t"):
                    cursor = connection.execute(f"select {placeholder}", [value], binary=binary)
                    got = cursor.fetchone()[0]
                    assert got == value, (binary, placeholder, value, got)


def test_null_and_json():
    with connect() as connection:
        document = {"a": [1, 2.5, None, {"b": "ü"}], "c": True}
        for binary in (False, True):
            strings = ["a", "b,c", None, '"', ""]
            assert connection.execute("select %s::text[]", [strings], binary=binary).fetchone()[0] == strings
            for wrap in (Json, Jsonb):
                got = connection.execute("select %s", [wrap(document)], binary=binary).fetchone()[0]
                assert got == document, got
            assert connection.execute("select %s::int", [None], binary=binary).fetchone() == (None,)


def test_description():
    with connect() as connection:
        cursor = connection.execute(
            "select 1::int2 as a, 'x'::varchar(7) as b, 1.5::numeric(10,3) as c, now()::timestamp(2) as d, 'q'::text as e"
        )
        assert [(column.name, column.type_code) for column in cursor.description] == [
            ("a", 21), ("b", 1043), ("c", 1700), ("d", 1114), ("e", 25)
        ]
        assert cursor.description[1].display_size == 7
        assert (cursor.description[2].precision, cursor.description[2].scale) == (10, 3)


def test_crud_with_row_factories():
    with connect() as connection:
        scratch(connection, "crud")
        connection.execute("create table person (id serial primary key, name text not null, born date)")
        with connection.cursor() as cursor:
            cursor.executemany(
                "insert into person (name, born) values (%s, %s)",
                [(f"person {i}", datetime.date(2000, 1, 1 + i)) for i in range(20)],
            )
            assert cursor.rowcount == 20
            cursor.executemany("insert into person (name) values (%s) returning id", [("x",), ("y",)], returning=True)
            ids = [cursor.fetchone()[0]]
            while cursor.nextset():
                ids.append(cursor.fetchone()[0])
            assert ids == [21, 22], ids
        with connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute("select * from person where id = %s", [3]).fetchone()
            assert row == {"id": 3, "name": "person 2", "born": datetime.date(2000, 1, 3)}
        with connection.cursor(row_factory=namedtuple_row) as cursor:
            assert cursor.execute("select count(*) as n from person").fetchone().n == 22
        cursor = connection.execute("update person set name = upper(name) where id <= 5")
        assert (cursor.rowcount, cursor.statusmessage) == (5, "UPDATE 5")
        cursor = connection.execute("delete from person where id = any(%s)", [[1, 2, 99]])
        assert cursor.rowcount == 2


def test_statements_are_prepared_after_five_runs():
    with connect() as connection:
        for i in range(12):
            assert connection.execute("select %s::int + 1", [i]).fetchone() == (i + 1,)
        names = connection.execute("select name, statement, parameter_types::text from pg_prepared_statements").fetchall()
        assert len(names) == 1 and names[0][1] == "select $1::int + 1", names
        assert connection.execute("select %s::int", [1], prepare=True).fetchone() == (1,)
        connection.execute("discard all" if connection.autocommit else "deallocate all")


def test_a_prepared_statement_outlives_a_change_of_its_table():
    with connect(autocommit=True) as connection:
        scratch(connection, "outlives")
        connection.execute("create table t (a int)")
        connection.execute("insert into t values (1)")
        for _ in range(7):
            connection.execute("select a from t where a = %s", [1]).fetchall()
        connection.execute("alter table t add column b text default 'x'")
        connection.execute("create index on t (a)")
        assert connection.execute("select a from t where a = %s", [1]).fetchall() == [(1,)]
        for _ in range(7):
            connection.execute("select * from t where a = %s", [1]).fetchall()
        connection.execute("alter table t drop column b")
        try:
            assert connection.execute("select * from t where a = %s", [1]).fetchall() == [(1,)]  # from 3.2: prepared again
        except errors.FeatureNotSupported as error:
            assert error.diag.message_primary == "cached plan must not change result type"


def test_transactions_and_savepoints():
    with connect() as connection:
        scratch(connection, "blocks")
        connection.execute("create table t (a int primary key)")
        connection.commit()
        with connection.transaction():
            connection.execute("insert into t values (1)")
            cases.raises(errors.UniqueViolation, inner, connection)
            connection.execute("insert into t values (2)")
        assert connection.execute("select array_agg(a order by a) from t").fetchone() == ([1, 2],)
        connection.rollback()
        connection.execute("insert into t values (3)")
        cases.raises(errors.DivisionByZero, connection.execute, "select 1/0")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
        cases.raises(errors.InFailedSqlTransaction, connection.execute, "select 1")
        connection.rollback()
        assert connection.execute("select count(*) from t").fetchone() == (2,)


def inner(connection):
    with connection.transaction():
        connection.execute("insert into t values (5)")
        connection.execute("insert into t values (1)")


def test_isolation_levels():
    with connect() as connection:
        for level in (psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ):
            connection.isolation_level = level
            shown = connection.execute("show transaction_isolation").fetchone()[0]
            assert shown == level.name.lower().replace("_", " "), (shown, level)
            connection.rollback()
        connection.isolation_level = None
        connection.read_only = True
        cases.raises(errors.ReadOnlySqlTransaction, connection.execute, "create table never (a int)")
        connection.rollback()


def test_pipeline():
    with connect() as connection:
        scratch(connection, "pipeline")
        with connection.pipeline() as pipeline:
            connection.execute("create table t (a int primary key, b text)")
            for i in range(500):
                connection.execute("insert into t values (%s, %s)", [i, f"row {i}"])
            cursor = connection.execute("select count(*), max(b) from t")
            pipeline.sync()
            assert cursor.fetchone() == (500, "row 99")
        connection.commit()
        cases.raises(errors.UniqueViolation, broken_pipeline, connection)
        connection.rollback()
        assert connection.execute("select count(*) from t").fetchone() == (500,)


def broken_pipeline(connection):
    with connection.pipeline():
        connection.execute("insert into t values (1000, 'in vain')")
        connection.execute("insert into t values (1, 'twice')")
        connection.execute("insert into t values (1001, 'never reached')")


def test_copy():
    with connect() as connection:
        scratch(connection, "copying")
        connection.execute("create table t (a int, b text, c numeric, d timestamptz)")
        when = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
        rows = [(i, f"tab\t newline\n backslash\\ {i}" if i % 3 else None, decimal.Decimal(i) / 4, when) for i in range(1000)]
        with connection.cursor() as cursor:
            with cursor.copy("copy t from stdin") as copy:
                for row in rows:
                    copy.write_row(row)
            assert cursor.rowcount == 1000
            with cursor.copy("copy t (a, b, c, d) from stdin (format binary)") as copy:
                copy.set_types(["int4", "text", "numeric", "timestamptz"])
                for row in rows:
                    copy.write_row(row)
            for options in ("", " (format binary)"):
                with cursor.copy(f"copy (select a, b, c, d from t order by a, ctid) to stdout{options}") as copy:
                    copy.set_types(["int4", "text", "numeric", "timestamptz"])
                    got = list(copy.rows())
                assert got == [row for row in rows for _ in range(2)], options
            with cursor.copy("copy t to stdout (format csv, header)") as copy:
                text = b"".join(copy).decode()
            assert text.startswith("a,b,c,d\n0,,0")
        connection.commit()
        cases.raises(errors.InvalidTextRepresentation, bad_copy, connection)
        connection.rollback()
        cases.raises(errors.QueryCanceled, abandoned_copy, connection)
        connection.rollback()
        assert connection.execute("select count(*) from t").fetchone() == (2000,)


def bad_copy(connection):
    with connection.cursor().copy("copy t (a) from stdin") as copy:
        copy.write("1\n2\nnot a number\n")


def abandoned_copy(connection):
    try:
        with connection.cursor().copy("copy t (a) from stdin") as copy:
            copy.write("1\n2\n")
            raise ZeroDivisionError
    except ZeroDivisionError:  # psycopg sends CopyFail and raises the caller's own
        raise errors.QueryCanceled from None


def test_server_side_cursors():
    with connect() as connection:
        with connection.cursor("walk") as cursor:
            cursor.execute("select i, i * i from generate_series(1, 1000) i")
            assert cursor.fetchone() == (1, 1)
            assert len(cursor.fetchmany(99)) == 99
            cursor.itersize = 300
            assert sum(1 for _ in cursor) == 900
        with connection.cursor("back", scrollable=True) as cursor:
            cursor.execute("select i from generate_series(1, 10) i")
            cursor.scroll(5)
            assert cursor.fetchone() == (6,)
            cursor.scroll(-3)
            assert cursor.fetchone() == (4,)
            cursor.scroll(0, mode="absolute")
            assert cursor.fetchall()[0] == (1,)
        with connection.cursor("binary") as cursor:
            cursor.execute("select 1.25::numeric, 'x'::text", binary=True)
            assert cursor.fetchall() == [(decimal.Decimal("1.25"), "x")]
        held = connection.cursor("held", withhold=True)
        held.execute("select generate_series(1, 3)")
        connection.commit()
        assert held.fetchall() == [(1,), (2,), (3,)]
        held.close()


def test_errors_have_their_details():
    with connect(autocommit=True) as connection:
        scratch(connection, "details")
        connection.execute("create table t (a int primary key, b int not null constraint positive check (b > 0))")
        connection.execute("create table u (a int references t)")
        connection.execute("insert into t values (1, 1)")
        diag = cases.raises(errors.UniqueViolation, connection.execute, "insert into t values (1, 2)").diag
        assert diag.message_primary == 'duplicate key value violates unique constraint "t_pkey"'
        assert diag.message_detail == "Key (a)=(1) already exists."
        assert (diag.schema_name, diag.table_name, diag.constraint_name) == ("details", "t", "t_pkey")
        diag = cases.raises(errors.CheckViolation, connection.execute, "insert into t values (2, -2)").diag
        assert (diag.table_name, diag.constraint_name) == ("t", "positive")
        diag = cases.raises(errors.NotNullViolation, connection.execute, "insert into t values (2, null)").diag
        assert (diag.table_name, diag.column_name) == ("t", "b")
        diag = cases.raises(errors.ForeignKeyViolation, connection.execute, "insert into u values (9)").diag
        assert diag.message_detail == 'Key (a)=(9) is not present in table "t".'
        diag = cases.raises(errors.UndefinedTable, connection.execute, "select * from  nowhere").diag
        assert diag.statement_position == "16" and diag.severity == "ERROR"
        cases.raises(errors.UndefinedColumn, connection.execute, "select z from t")
        cases.raises(errors.SyntaxError, connection.execute, "selekt 1")
        cases.raises(errors.NumericValueOutOfRange, connection.execute, "select 100000::int2")


def test_notices():
    with connect(autocommit=True) as connection:
        heard = []
        connection.add_notice_handler(lambda diag: heard.append((diag.severity, diag.message_primary)))
        connection.execute("drop table if exists nothing_at_all")
        assert heard == [("NOTICE", 'table "nothing_at_all" does not exist, skipping')], heard


def test_cancel_and_timeouts():
    with connect(autocommit=True) as connection:
        timer = threading.Timer(0.2, connection.cancel)
        timer.start()
        error = cases.raises(errors.QueryCanceled, connection.execute, "select pg_sleep(60)")
        assert "user request" in str(error)
        timer.join()
        connection.execute("set statement_timeout = '50ms'")
        error = cases.raises(errors.QueryCanceled, connection.execute, "select pg_sleep(60)")
        assert "statement timeout" in str(error)


def test_composed_sql_and_parameters_of_the_session():
    with connect(options="-c application_name=cases -c statement_timeout=9s") as connection:
        query = sql.SQL("select {value} as {name}").format(value=sql.Literal("it's"), name=sql.Identifier('a "b"'))
        cursor = connection.execute(query)
        assert cursor.description[0].name == 'a "b"' and cursor.fetchone() == ("it's",)
        assert connection.execute("show statement_timeout").fetchone() == ("9s",)
        assert connection.info.parameter_status("application_name") == "cases"
        assert connection.info.server_version // 10000 == 15
        assert connection.info.encoding == "utf-8"
        connection.execute("set application_name to 'other'")
        assert connection.info.parameter_status("application_name") == "other"
        assert connection.info.backend_pid == connection.execute("select pg_backend_pid()").fetchone()[0]


def test_listen():
    heard = []
    with connect(autocommit=True) as connection:
        connection.add_notify_handler(heard.append)
        connection.execute("listen news")
        connection.execute("notify news, 'one'")
        assert [(n.pid, n.channel, n.payload) for n in heard] == [(connection.info.backend_pid, "news", "one")]


def test_two_phase_commit_is_refused():
    connection = connect()
    connection.tpc_begin(connection.xid(1, "a", "b"))
    connection.execute("select 1")
    cases.raises((psycopg.NotSupportedError, errors.ObjectNotInPrerequisiteState), connection.tpc_prepare)
    connection.close()


def test_types_of_the_database_are_introspected():
    from psycopg.types import TypeInfo
    from psycopg.types.composite import CompositeInfo, register_composite
    from psycopg.types.enum import EnumInfo

    with connect(autocommit=True) as connection:
        scratch(connection, "introspected")
        connection.execute("create type mood as enum ('sad', 'ok', 'happy')")
        info = EnumInfo.fetch(connection, "mood")
        assert list(info.labels) == ["sad", "ok", "happy"]
        connection.execute("create type pair as (a int, b text)")
        pair = CompositeInfo.fetch(connection, "pair")
        assert list(pair.field_names) == ["a", "b"]
        register_composite(pair, connection)
        for binary in (False, True):
            got = connection.execute("select (1, 'x y')::pair", binary=binary).fetchone()[0]
            assert got == (1, "x y"), got
        assert TypeInfo.fetch(connection, "citext") is None
        assert TypeInfo.fetch(connection, "timestamptz").oid == 1184


def test_many_threads():
    with connect(autocommit=True) as connection:
        scratch(connection, "threads")
        connection.execute("create table counter (id int primary key, n int)")
        connection.execute("insert into counter values (1, 0)")

    def work():
        with connect(autocommit=True) as own:
            for _ in range(50):
                own.execute("update threads.counter set n = n + 1 where id = %s", [1])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connect() as connection:
        assert connection.execute("select n from threads.counter").fetchone() == (400,)


def test_async_connection():
    import asyncio

    async def work():
        options = dict(host=cases.HOST, port=cases.PORT, user=cases.USER, dbname=cases.DATABASE, autocommit=True)
        async with await psycopg.AsyncConnection.connect(**options) as connection:
            cursor = await connection.execute("select generate_series(1, %s)", [5])
            assert [row[0] async for row in cursor] == [1, 2, 3, 4, 5]
            started = time.monotonic()
            task = asyncio.create_task(connection.execute("select pg_sleep(60)"))
            await asyncio.sleep(0.1)
            connection.cancel()
            try:
                await task
                raise AssertionError("not cancelled")
            except errors.QueryCanceled:
                pass
            assert time.monotonic() - started < 20

    asyncio.run(work())


if __name__ == "__main__":
    cases.main()

import datetime
import decimal
import json
import threading
import time
import uuid

import pytest

import indigo_embedded as db


@pytest.fixture
def connection():
    with db.connect() as made:
        yield made


def one(connection, operation, parameters=None):
    return connection.execute(operation, parameters).fetchone()[0]


@pytest.mark.parametrize("type_, value", [
    ("bool", True), ("bool", False), ("int2", -3), ("int4", 7), ("int8", 2**62), ("float8", 0.1), ("float8", float("inf")),
    ("numeric", decimal.Decimal("12345678901234567890.1234567890")), ("text", "it's \"quoted\", \\ and ü"), ("text", ""),
    ("bytea", b"\x00\xff'"), ("date", datetime.date(2026, 2, 28)), ("time", datetime.time(1, 2, 3, 450000)),
    ("timestamp", datetime.datetime(2026, 2, 28, 23, 59, 59, 1)), ("interval", datetime.timedelta(days=-3, seconds=5, microseconds=7)),
    ("timestamptz", datetime.datetime(2026, 7, 1, 12, tzinfo=datetime.timezone.utc)), ("uuid", uuid.uuid4()),
    ("jsonb", {"a": [1, None, {"b": "ü"}]}), ("int4[]", [1, None, 3]), ("int4[]", []), ("int4[]", [[1, 2], [3, 4]]),
    ("text[]", ["a,b", 'q"', "\\", "", "NULL", None, "{}", " "]), ("date[]", [datetime.date(1, 1, 1)]), ("bytea[]", [b"\x01", b""]),
    ("numeric[]", [decimal.Decimal("1.50")]), ("bool[]", [True, None]),
])
def test_values_come_back(connection, type_, value):
    got = one(connection, f"select %s::{type_}", (value,))
    assert got == value and type(got) is type(value)


def test_types_without_a_class_are_texts(connection):
    assert one(connection, "select int4range(1, 5)") == "[1,5)"
    assert one(connection, "select '-1 year -2 mons +3 days -04:05:06.5'::interval") == datetime.timedelta(
        days=-365 - 60 + 3, hours=-4, minutes=-5, seconds=-6.5)
    assert one(connection, "select '[5:6]={1,2}'::int[]") == [1, 2]


def test_a_value_that_python_cannot_hold_is_an_error(connection):
    with pytest.raises(db.DataError):
        one(connection, "select 'infinity'::date as forever")
    assert one(connection, "select 1") == 1


def test_parameters(connection):
    assert connection.execute("select %(a)s::int + %(b)s::int, %(a)s::int, '%%'", {"a": 1, "b": 2}).fetchone() == (3, 1, "%")
    assert one(connection, "select '%'") == "%"
    for operation, parameters in [("select %s", ()), ("select %s", (1, 2)), ("select %(a)s", {"b": 1}), ("select %d", (1,)),
                                  ("select %", (1,)), ("select %s", (object(),))]:
        with pytest.raises(db.ProgrammingError):
            connection.execute(operation, parameters)
    with pytest.raises(db.DataError):
        connection.execute("select %s", ("a\0b",))


def test_transactions(connection):
    connection.execute("create table t (a int)")
    connection.commit()
    connection.execute("insert into t values (1)")
    assert connection.in_transaction
    connection.rollback()
    assert not connection.in_transaction and one(connection, "select count(*) from t") == 0
    with pytest.raises(db.ProgrammingError) as failed:
        connection.execute("select nothing from t")
    assert (failed.value.sqlstate, failed.value.position) == ("42703", 8)
    with pytest.raises(db.InternalError):
        connection.execute("select 1")
    connection.rollback()
    with pytest.raises(db.IntegrityError) as failed:
        connection.execute("create unique index on t (a); insert into t values (1), (1)")
    assert failed.value.detail == "Key (a)=(1) already exists."


def test_cursors(connection):
    cursor = connection.cursor()
    assert cursor.description is None
    cursor.execute("select i, i::text as name from generate_series(1, 10) i")
    assert [column[:2] for column in cursor.description] == [("i", 23), ("name", 25)]
    assert cursor.description[0][1] == db.NUMBER and cursor.description[1][1] == db.STRING != db.NUMBER
    assert cursor.rowcount == 10 and cursor.fetchmany(3) == [(1, "1"), (2, "2"), (3, "3")]
    assert [row[0] for row in cursor] == [4, 5, 6, 7, 8, 9, 10] and cursor.fetchall() == [] and cursor.fetchone() is None
    cursor.execute("create temp table t (a int)")
    cursor.executemany("insert into t values (%s)", [(1,), (2,), (3,)])
    assert cursor.rowcount == 3
    cursor.execute("select 1; select 2, 3")
    assert cursor.fetchall() == [(1,)] and cursor.nextset() and cursor.fetchall() == [(2, 3)] and not cursor.nextset()
    cursor.execute("select")
    assert cursor.fetchall() == [()]
    cursor.close()
    with pytest.raises(db.InterfaceError):
        cursor.execute("select 1")


def test_copy_notices_and_notifications(connection):
    cursor = connection.cursor().execute("create table t (a int, b text); listen changes")
    cursor.copy_in("copy t from stdin", "1\tone\n2\t\\N\n")
    assert cursor.rowcount == 2 and cursor.execute("copy t to stdout (format csv)").copied() == b"1,one\n2,\n"
    connection.execute("do $$ begin raise notice 'seen %', 1; end $$")
    assert connection.notices == [("NOTICE", "00000", "seen 1")]
    connection.execute("notify changes, 'x'")
    connection.commit()
    assert [told[1:] for told in connection.notifications()] == [("changes", "x")]


def test_a_folder_keeps_what_is_committed(tmp_path):
    folder = tmp_path / "data"
    with db.connect(folder) as connection:
        connection.execute("create table t as select 1 as a")
        connection.commit()
        connection.execute("drop table t")
        connection.rollback()
    with db.connect(folder) as connection:
        assert one(connection, "select a from t") == 1


def test_threads_wait_for_each_other_and_can_be_canceled():
    with db.Database() as database:
        first, second = database.connect(), database.connect()
        first.execute("create table t as select 1 as a")
        first.commit()
        first.execute("update t set a = 2")
        failed = []

        def wait():
            try:
                second.execute("update t set a = 3")
            except db.OperationalError as error:
                failed.append(error.sqlstate)

        for end, expected in ((second.cancel, ["57014"]), (first.commit, ["57014"])):
            waiting = threading.Thread(target=wait)
            waiting.start()
            time.sleep(0.2)
            assert waiting.is_alive()
            end()
            waiting.join(20)
            assert not waiting.is_alive() and failed == expected
            if end == second.cancel:
                second.rollback()
    with pytest.raises(db.InterfaceError):
        second.execute("select 1")
    with pytest.raises(db.InterfaceError):
        database.connect()


def test_many_threads_use_one_connection():
    with db.connect(autocommit=True) as connection:
        connection.execute("create table t (a int)")
        threads = [threading.Thread(target=lambda: [connection.execute("insert into t values (%s)", (i,)) for i in range(50)])
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one(connection, "select count(*) from t") == 400


def test_what_cannot_be_opened_says_why(tmp_path):
    (tmp_path / "file").write_text("")
    for make in (lambda: db.connect(tmp_path / "file"), lambda: db.connect(work_mem="much"), lambda: db.connect(dbname="nosuch")):
        with pytest.raises(db.OperationalError) as failed:
            make()
        assert str(failed.value)


def test_deep_statements_end_with_an_error(connection):
    with pytest.raises(db.OperationalError) as failed:
        connection.execute("select " + "(" * 100000 + "1" + ")" * 100000)
    assert failed.value.sqlstate == "54001"


def test_results_outlive_their_connection():
    with db.connect() as connection:
        cursor = connection.execute("select repeat('x', 1000) from generate_series(1, 1000)")
    assert len(cursor.fetchall()) == 1000


def test_the_type_of_json_is_kept(connection):
    assert one(connection, "select %s::json", (json.dumps([1]),)) == [1]

"""psycopg2 (libpq, simple protocol): values, cursors, COPY, errors, what is not supported."""
import datetime
import decimal
import io
import json
import uuid

import cases
import psycopg2
import psycopg2.errors as errors
import psycopg2.extensions
import psycopg2.extras


def connect(**options):
    return psycopg2.connect(host=cases.HOST, port=cases.PORT, user=cases.USER, dbname=cases.DATABASE, **options)


def scratch(connection, name):
    with connection.cursor() as cursor:
        cursor.execute(f"drop schema if exists {name} cascade")
        cursor.execute(f"create schema {name}")
        cursor.execute(f"set search_path to {name}, public")
    connection.commit()


def test_values_go_there_and_back():
    psycopg2.extras.register_uuid()
    with connect() as connection, connection.cursor() as cursor:
        for value in [
            True, None, 42, 2**40, 1.25, decimal.Decimal("-0.000123"), "it's \\ é", datetime.date(1999, 12, 31),
            datetime.datetime(2001, 2, 3, 4, 5, 6, 7), datetime.timedelta(days=1, seconds=2), [1, 2, 3], ["a", None],
            uuid.UUID(int=7),
        ]:
            cursor.execute("select %s", [value])
            got = cursor.fetchone()[0]
            assert got == value or got == float(value), (value, got)
        cursor.execute("select %s", [psycopg2.Binary(b"\x00\xffabc")])
        assert bytes(cursor.fetchone()[0]) == b"\x00\xffabc"
        cursor.execute("select %s::jsonb", [json.dumps({"a": [1, None]})])
        assert cursor.fetchone()[0] == {"a": [1, None]}
        cursor.execute("select (1, 'x')::text, row(1, null), array[[1,2],[3,4]]")
        assert cursor.fetchone() == ("(1,x)", "(1,)", [[1, 2], [3, 4]])


def test_crud_and_helpers():
    connection = connect()
    scratch(connection, "crud2")
    cursor = connection.cursor()
    cursor.execute("create table t (id serial primary key, a int, b text)")
    psycopg2.extras.execute_values(cursor, "insert into t (a, b) values %s", [(i, f"b{i}") for i in range(300)])
    psycopg2.extras.execute_batch(cursor, "update t set a = a + %s where id = %s", [(1, i) for i in range(1, 101)])
    cursor.execute("select sum(a), count(*) from t")
    assert cursor.fetchone() == (sum(range(300)) + 100, 300)
    cursor.execute("insert into t (a) values (1) returning id")
    assert cursor.fetchone() == (301,)
    cursor.execute("delete from t where id > 300")
    assert cursor.rowcount == 1 and cursor.statusmessage == "DELETE 1"
    connection.commit()
    with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as rows:
        rows.execute("select * from t where id = 1")
        assert dict(rows.fetchone()) == {"id": 1, "a": 1, "b": "b0"}
    connection.close()


def test_named_cursors():
    with connect() as connection:
        with connection.cursor("named") as cursor:
            cursor.itersize = 70
            cursor.execute("select i from generate_series(1, 500) i")
            assert [row[0] for row in cursor] == list(range(1, 501))
        with connection.cursor("scrolling", scrollable=True) as cursor:
            cursor.execute("select i from generate_series(1, 10) i")
            cursor.scroll(8)
            assert cursor.fetchmany(5) == [(9,), (10,)]
            cursor.scroll(-4)
            assert cursor.fetchone() == (8,)
        with connection.cursor("kept", withhold=True) as cursor:
            cursor.execute("select 1")
            connection.commit()
            assert cursor.fetchone() == (1,)


def test_copy():
    connection = connect()
    scratch(connection, "copying2")
    cursor = connection.cursor()
    cursor.execute("create table t (a int, b text)")
    cursor.copy_from(io.StringIO("1\tone\n2\t\\N\n3\tthree\\tthree\n"), "t")
    cursor.copy_expert("copy t from stdin (format csv, header, null 'nil')", io.StringIO('a,b\n4,"x, ""y"""\n5,nil\n'))
    out = io.StringIO()
    cursor.copy_to(out, "t")
    assert out.getvalue() == '1\tone\n2\t\\N\n3\tthree\\tthree\n4\tx, "y"\n5\t\\N\n', out.getvalue()
    out = io.StringIO()
    cursor.copy_expert("copy (select * from t where a > 3) to stdout (format csv, force_quote *)", out)
    assert out.getvalue() == '"4","x, ""y"""\n"5",\n'
    big = io.StringIO("".join(f"{i}\t{'x' * 200}\n" for i in range(20000)))
    cursor.copy_from(big, "t", columns=("a", "b"), size=1000)
    assert cursor.rowcount == 20000
    error = cases.raises(errors.BadCopyFileFormat, cursor.copy_from, io.StringIO("1\n"), "t")
    assert error.diag.context.startswith("COPY t, line 1"), error.diag.context
    connection.rollback()
    connection.close()


def test_transactions_sessions_and_errors():
    connection = connect()
    connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
    cursor = connection.cursor()
    cursor.execute("show transaction_isolation")
    assert cursor.fetchone() == ("repeatable read",)
    error = cases.raises(errors.ReadOnlySqlTransaction, cursor.execute, "create table never (a int)")
    assert error.pgcode == "25006"
    connection.rollback()
    connection.set_session(isolation_level="READ COMMITTED", readonly=False, autocommit=True)
    error = cases.raises(errors.UndefinedFunction, cursor.execute, "select no_such_function(1)")
    assert error.pgcode == "42883" and "HINT" in str(error) and "LINE 1" in str(error)
    assert connection.get_transaction_status() == psycopg2.extensions.TRANSACTION_STATUS_IDLE
    cursor.execute("drop table if exists not_there")
    assert connection.notices[-1].startswith("NOTICE:  table")
    connection.close()


def test_many_statements_at_once():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("create temp table many (a int); insert into many values (1), (2); select sum(a) from many")
        assert cursor.fetchone() == (3,)


def test_listen():
    connection = connect()
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("listen news")
    cursor.execute("notify news, 'one'")
    assert [(n.pid, n.channel, n.payload) for n in connection.notifies] == [(connection.info.backend_pid, "news", "one")]
    connection.close()


def test_other_encodings():
    words = {"LATIN1": "naïve Größe", "WIN1251": "Привет", "LATIN9": "5 €", "EUC_JP": "日本語", "SJIS": "表示ソ能", "GBK": "中文",
             "BIG5": "功能許", "UHC": "한글", "GB18030": "中文😀"}
    plain = connect()
    scratch(plain, "encodings")
    for encoding, word in words.items():
        with connect(client_encoding=encoding, options="-c search_path=encodings") as connection, connection.cursor() as cursor:
            cursor.execute("show client_encoding")
            assert cursor.fetchone() == (encoding,)
            cursor.execute(f'create table "{word}" ("{word}" text)')
            cursor.execute(f'insert into "{word}" values (%s), (null)', [word])
            cursor.copy_expert(f'copy "{word}" from stdin', io.StringIO(f"{word}\n{word} 2\n"))
            cursor.execute(f'select "{word}", length("{word}") from "{word}" where "{word}" is not null order by 2')
            assert cursor.description[0].name == word
            assert cursor.fetchall() == [(word, len(word)), (word, len(word)), (word + " 2", len(word) + 2)]
            connection.commit()
            out = io.StringIO()
            cursor.copy_expert(f'copy "{word}" to stdout', out)
            assert out.getvalue() == f"{word}\n\\N\n{word}\n{word} 2\n", out.getvalue()
            error = cases.raises(errors.UndefinedColumn, cursor.execute, f'select "no_such_{word}"')
            assert f'"no_such_{word}"' in error.diag.message_primary, error
            connection.rollback()
        with plain.cursor() as cursor:
            cursor.execute("select relname from pg_class where relname = %s", [word])
            assert cursor.fetchone() == (word,)
        plain.commit()
    with connect(client_encoding="LATIN1") as connection, connection.cursor() as cursor:
        error = cases.raises(errors.UntranslatableCharacter, cursor.execute,
                             "select g, chr(8360 + g) from generate_series(1, 10) g")
        assert 'no equivalent in encoding "LATIN1"' in str(error)
        connection.rollback()
        cursor.execute("select octet_length(%s), ascii(%s)", ["é", "é"])
        assert cursor.fetchone() == (2, 0xE9)


def test_what_is_not_supported_says_so():
    connection = connect()
    connection.autocommit = True
    cursor = connection.cursor()
    error = cases.raises(psycopg2.Error, connection.lobject)
    assert error.pgcode in ("0A000", "42883", None), error.pgcode
    connection.close()


if __name__ == "__main__":
    cases.main()

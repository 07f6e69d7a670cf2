"""asyncpg: its own protocol code, always binary and prepared; introspects types that it does not know."""
import asyncio
import datetime
import decimal
import io
import uuid

import asyncpg
import cases


async def connect(**options):
    return await asyncpg.connect(host=cases.HOST, port=cases.PORT, user=cases.USER, database=cases.DATABASE, **options)


def session(case):
    """A case with a connection and a schema of its own."""

    def run():
        async def work():
            connection = await connect()
            try:
                name = case.__name__
                await connection.execute(f"drop schema if exists {name} cascade; create schema {name}")
                await connection.execute(f"set search_path to {name}, public")
                await asyncio.wait_for(case(connection), 60)
            finally:
                await connection.close()

        asyncio.run(work())

    return run


async def fails(kind, awaitable):
    try:
        await awaitable
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


@session
async def test_values_go_there_and_back(connection):
    for type_name, value in [
        ("int2", -5), ("int4", 7), ("int8", 2**60), ("float4", 0.5), ("float8", 0.1), ("bool", True), ("text", "é'\\"),
        ("varchar", "v"), ("bytea", b"\x00\x01"), ("date", datetime.date(2020, 1, 2)), ("numeric", decimal.Decimal("1.50")),
        ("numeric", decimal.Decimal("-12345678901234567890.000000001")), ("time", datetime.time(1, 2, 3, 4)),
        ("timestamp", datetime.datetime(2020, 1, 2, 3, 4, 5, 6)),
        ("timestamptz", datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)),
        ("interval", datetime.timedelta(days=3, microseconds=5)), ("uuid", uuid.uuid4()), ("json", '{"a": 1}'),
        ("jsonb", '{"a": 1}'), ("int4[]", [1, None, 3]), ("text[]", ["a", None]), ("int4[]", [[1, 2], [3, 4]]),
        ("oid", 4000000000), ("inet", __import__("ipaddress").ip_address("::1")), ("bit", asyncpg.BitString("1")),
        ("varbit", asyncpg.BitString("10101")),
    ]:
        got = await connection.fetchval(f"select $1::{type_name}", value)
        assert got == value, (type_name, value, got)
        assert await connection.fetchval(f"select $1::{type_name}", None) is None


@session
async def test_crud(connection):
    await connection.execute("create table t (id serial primary key, name text, at timestamptz default now())")
    assert await connection.execute("insert into t (name) values ($1)", "one") == "INSERT 0 1"
    await connection.executemany("insert into t (name) values ($1)", [(f"n{i}",) for i in range(1000)])
    rows = await connection.fetch("select id, name from t where id between $1 and $2 order by id", 2, 4)
    assert [tuple(row) for row in rows] == [(2, "n0"), (3, "n1"), (4, "n2")]
    assert rows[0]["name"] == "n0" and list(rows[0].keys()) == ["id", "name"]
    assert await connection.execute("delete from t where id = any($1::int[])", [1, 2]) == "DELETE 2"
    assert await connection.fetchval("insert into t (name) values ('r') returning id") == 1002
    if hasattr(connection, "fetchmany"):  # 0.30
        got = await connection.fetchmany("insert into t (name) values ($1) returning name", [("a",), ("b",)])
        assert [row[0] for row in got] == ["a", "b"]
    error = await fails(asyncpg.UniqueViolationError, connection.execute("insert into t (id) values (5)"))
    assert error.constraint_name == "t_pkey" and error.detail == "Key (id)=(5) already exists."


@session
async def test_prepared_statements(connection):
    statement = await connection.prepare("select $1::int + $2::int8 as sum, 'x' as x")
    assert [p.name for p in statement.get_parameters()] == ["int4", "int8"]
    assert [(a.name, a.type.name) for a in statement.get_attributes()] == [("sum", "int8"), ("x", "text")]
    assert await statement.fetchval(1, 2) == 3
    for i in range(200):  # its cache of statements is full at 100
        assert await connection.fetchval(f"select {i} + $1::int", 1) == i + 1


@session
async def test_transactions(connection):
    await connection.execute("create table t (a int primary key)")
    async with connection.transaction():
        await connection.execute("insert into t values (1)")
        try:
            async with connection.transaction():
                await connection.execute("insert into t values (2)")
                await connection.execute("insert into t values (1)")
        except asyncpg.UniqueViolationError:
            pass
        await connection.execute("insert into t values (3)")
    assert [row[0] for row in await connection.fetch("select a from t order by a")] == [1, 3]
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        assert await connection.fetchval("show transaction_isolation") == "repeatable read"
        await fails(asyncpg.ReadOnlySQLTransactionError, connection.execute("insert into t values (9)"))


@session
async def test_cursors(connection):
    async with connection.transaction():
        got = [row[0] async for row in connection.cursor("select i from generate_series(1, $1::int) i", 333, prefetch=50)]
        assert got == list(range(1, 334))
        cursor = await connection.cursor("select i from generate_series(1, 10) i")
        assert (await cursor.fetchrow())[0] == 1
        assert await cursor.forward(3) == 3
        assert [row[0] for row in await cursor.fetch(3)] == [5, 6, 7]


@session
async def test_copy(connection):
    await connection.execute("create table t (a int, b text, c numeric)")
    records = [(i, f"text {i}", decimal.Decimal(i) / 8) for i in range(5000)]
    schema = "test_copy"
    assert await connection.copy_records_to_table("t", schema_name=schema, records=records) == "COPY 5000"
    out = io.BytesIO()
    assert await connection.copy_from_query("select * from t where a < $1", 3, output=out, format="csv") == "COPY 3"
    assert out.getvalue() == b"0,text 0,0\n1,text 1,0.125\n2,text 2,0.25\n", out.getvalue()
    out = io.BytesIO()
    await connection.copy_from_table("t", schema_name=schema, output=out, format="binary")
    out.seek(0)
    assert await connection.copy_to_table("t", schema_name=schema, source=out, format="binary") == "COPY 5000"
    assert await connection.fetchval("select sum(c) from t") == 2 * sum(r[2] for r in records)


@session
async def test_types_are_introspected(connection):
    await connection.execute("create type mood as enum ('sad', 'happy'); create type pair as (a int, b mood[])")
    await connection.execute("create domain positive as int check (value > 0)")
    assert await connection.fetchval("select $1::mood", "sad") == "sad"
    got = await connection.fetchval("select $1::pair", (1, ["sad", "happy"]))
    assert tuple(got) == (1, ["sad", "happy"]), got
    assert await connection.fetchval("select array[(1, '{sad}')::pair]") == [(1, ["sad"])]
    assert await connection.fetchval("select $1::positive", 3) == 3
    await fails(asyncpg.CheckViolationError, connection.fetchval("select $1::positive", -3))
    await connection.set_type_codec("json", encoder=str, decoder=lambda text: text.upper(), schema="pg_catalog")
    assert await connection.fetchval("select '{\"a\": 1}'::json") == '{"A": 1}'


@session
async def test_schema_changes_under_cached_statements(connection):
    await connection.execute("create table t (a int)")
    await connection.execute("insert into t values (1)")
    assert tuple(await connection.fetchrow("select * from t")) == (1,)
    await connection.execute("alter table t add column b text default 'b'")
    assert tuple(await connection.fetchrow("select * from t")) == (1, "b")
    await connection.execute("alter table t alter column a type text")
    assert tuple(await connection.fetchrow("select * from t")) == ("1", "b")


@session
async def test_timeouts_and_cancel(connection):
    await fails(asyncio.TimeoutError, connection.fetch("select pg_sleep(60)", timeout=0.1))
    assert await connection.fetchval("select 1") == 1
    await connection.execute("set statement_timeout = 50")
    await fails(asyncpg.QueryCanceledError, connection.fetch("select pg_sleep(60)"))


@session
async def test_listen(connection):
    heard = asyncio.Queue()
    await connection.add_listener("news", lambda *notification: heard.put_nowait(notification))
    await connection.execute("select pg_notify('news', 'one')")
    _, sender, channel, payload = await asyncio.wait_for(heard.get(), 20)
    assert (sender, channel, payload) == (connection.get_server_pid(), "news", "one")


def test_pool():
    async def work():
        options = dict(host=cases.HOST, port=cases.PORT, user=cases.USER, database=cases.DATABASE)
        async with asyncpg.create_pool(min_size=2, max_size=8, **options) as pool:
            async def one(i):
                async with pool.acquire() as connection:  # release resets the session
                    await connection.execute("create temp table if not exists own (a int)")
                    return await connection.fetchval("select $1::int", i)

            assert sum(await asyncio.gather(*[one(i) for i in range(100)])) == sum(range(100))

    asyncio.run(work())


if __name__ == "__main__":
    cases.main()

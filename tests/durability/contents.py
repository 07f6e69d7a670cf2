"""What is there when a server comes back: definitions, rows, databases, clones."""
import random
import threading
import time

import psycopg2

from kills import bank
from server import rows, run


DEFINITIONS = """
create schema app;
create type app.mood as enum ('sad', 'ok', 'happy');
create domain app.positive as int check (value > 0);
create role reader; create role writer login password 'secret';
create table app.customer (id serial primary key, name text not null unique, mood app.mood, visits app.positive default 1);
create table app.orders (id bigint generated always as identity primary key,
  customer int references app.customer on delete cascade, total numeric(10,2), note text, at timestamptz default now());
create index orders_customer on app.orders (customer, total desc);
create table nokey (a int, b text);
create view app.totals as select name, sum(total) as total from app.customer c join app.orders o on o.customer = c.id group by name;
create sequence counter start 100 increment 5;
insert into app.customer (name, mood) select 'customer ' || i, (array['sad','ok','happy'])[i % 3 + 1]::app.mood from generate_series(1, 500) i;
insert into app.orders (customer, total, note) select i % 500 + 1, i * 1.25, repeat('n', i % 50) from generate_series(1, 3000) i;
insert into nokey select i % 10, 'row ' || i from generate_series(1, 200) i;
insert into nokey values (-1, repeat('large ', 500000));
update app.customer set visits = visits + id where id % 2 = 0;
delete from app.orders where id % 7 = 0;
delete from nokey where a = 3;
alter table nokey add column c int default 42;
create unique index nokey_b on nokey (md5(b)) where false;
grant select on app.customer to reader;
comment on table app.customer is 'who buys';
create table emptied (a int primary key); insert into emptied select generate_series(1, 100); truncate emptied; insert into emptied values (7);
create table gone (a int primary key); insert into gone select generate_series(1, 100); drop table gone;
create temp table passing (a int); insert into passing values (1);
select lo_from_bytea(70001, convert_to(repeat('large ', 5000), 'UTF8')), lo_create(70002), lo_create(70003);
select lo_put(70002, 1000000, 'far'); select lo_unlink(70003);
grant select on large object 70001 to reader; comment on large object 70001 is 'bytes';
select nextval('counter'), nextval('counter');
alter sequence counter increment 10;
create table renamed_before (a int primary key, b int); insert into renamed_before values (1, 2);
alter table renamed_before rename to renamed; alter table renamed rename column b to c;
update renamed set a = a + 10;
"""

QUESTIONS = (
    "select id, name, mood, visits from app.customer order by id",
    "select id, customer, total, note, at from app.orders order by id",
    "select a, md5(b), length(b), c from nokey order by 1, 2",
    "select * from app.totals order by name",
    "select * from emptied", "select * from renamed",
    "select total from app.orders where customer = 17 order by total desc",
    "select indexrelid::regclass::text, indisunique from pg_index where indexrelid >= 16384 order by 1",
    "select relname, relkind from pg_class where relnamespace in ('public'::regnamespace, 'app'::regnamespace) order by 1",
    "select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid >= 16384 or contypid >= 16384 order by 1",
    "select rolname, rolcanlogin, rolsuper from pg_roles order by 1",
    "select obj_description('app.customer'::regclass)",
    "select relacl::text from pg_class where oid = 'app.customer'::regclass",
    "select datname from pg_database order by 1",
    "select oid, lomowner, lomacl::text, md5(lo_get(oid)), obj_description(oid, 'pg_largeobject')"
    " from pg_largeobject_metadata order by 1",
    "select loid, pageno, length(data) from pg_largeobject order by 1, 2",
    "select enumlabel from pg_enum order by enumsortorder",
)


def answers(server):
    with server.connect() as c:
        return [rows(c, q) for q in QUESTIONS]


def define(server):
    c = server.connect()
    for statement in DEFINITIONS.split(";\n"):
        if not statement.strip():
            continue
        try:
            run(c, statement)
        except psycopg2.errors.FeatureNotSupported:
            pass  # what is not there cannot be lost
    return c


def expect_errors(server):
    """Constraints and indexes work after recovery."""
    c = server.connect()
    for sql, error in (
        ("insert into app.customer (name) values ('customer 5')", psycopg2.errors.UniqueViolation),
        ("insert into app.orders (customer, total) values (100000, 1)", psycopg2.errors.ForeignKeyViolation),
        ("insert into app.customer (name, visits) values ('new', -1)", psycopg2.errors.CheckViolation),
        ("select * from gone", psycopg2.errors.UndefinedTable),
        ("select * from passing", psycopg2.errors.UndefinedTable),
        ("create table emptied (a int)", psycopg2.errors.DuplicateTable),
    ):
        try:
            run(c, sql)
        except error:
            continue
        raise AssertionError(f"no error: {sql}")


def everything_survives_kills_and_stops(case):
    server = case.start()
    define(server)
    before = answers(server)
    last = rows(server.connect(), "select nextval('counter')")[0][0]
    highest = rows(server.connect(), "select max(oid) from pg_class")[0][0]
    for life, end in enumerate(("kill", "stop", "checkpoint and kill", "kill")):
        if end == "stop":
            assert server.stop() == 0
        else:
            if end != "kill":
                run(server.connect(), "checkpoint")
            server.kill()
        server = case.start()
        after = answers(server)
        for question, a, b in zip(QUESTIONS, before, after):
            assert a == b, f"life {life}, {question}: {str(a)[:300]} before, {str(b)[:300]} after"
        expect_errors(server)
        c = server.connect()
        value = rows(c, "select nextval('counter')")[0][0]
        assert value > last, f"sequence went back from {last} to {value}"
        last = value
        run(c, f"create table later{life} (a int primary key, b text)", f"insert into later{life} values ({life}, 'x')")
        oid = rows(c, f"select 'later{life}'::regclass::oid")[0][0]
        assert oid > highest, "an OID was given out twice"
        highest = oid
        for earlier in range(life + 1):
            assert rows(c, f"select * from later{earlier}") == [(earlier, "x")]
        run(c, f"drop table later{life}", f"create table later{life} (a int, b text)", f"insert into later{life} values ({life}, 'x')")
        run(c, "insert into nokey (a, b) values (100, 'one more')")
        before = answers(server)


def rolled_back_and_open_transactions_leave_nothing(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (a int primary key)", "insert into t values (1)", "begin", "insert into t values (2)", "rollback")
    run(c, "begin", "insert into t values (3)", "savepoint s", "insert into t values (4)", "rollback to s", "commit")
    run(c, "begin", "create table half (a int)", "insert into half values (1)", "insert into t values (5)")
    server.kill()
    server = case.start()
    c = server.connect()
    assert rows(c, "select a from t order by a") == [(1,), (3,)]
    assert rows(c, "select count(*) from pg_class where relname = 'half'") == [(0,)]


def databases_come_back_with_their_contents(case):
    server = case.start()
    c = server.connect()
    run(c, "create table in_postgres (a int)", "create database app")
    a = server.connect("app")
    run(a, "create table t (id serial primary key, b text)", "create index on t (b)", "insert into t (b) select 'x' || i from generate_series(1, 1000) i")
    a.close()
    run(c, "create database copy template app", "create database dropped")
    d = server.connect("dropped")
    run(d, "create table t (a int)", "insert into t values (1)")
    d.close()
    run(c, "drop database dropped")
    run(server.connect("copy"), "insert into t (b) values ('only in the copy')")
    for _ in range(2):
        server.kill()
        server = case.start()
        assert rows(server.connect("app"), "select count(*), max(id) from t") == [(1000, 1000)]
        assert rows(server.connect("copy"), "select count(*) from t where b = 'only in the copy'") == [(1,)]
        assert rows(server.connect("copy"), "select count(*) from t where b = 'x77'") == [(1,)]
        run(server.connect(), "select * from in_postgres", "checkpoint")
        assert rows(server.connect(), "select datname from pg_database where datname in ('app', 'copy', 'dropped') order by 1") == [("app",), ("copy",)]


class Transfers(threading.Thread):
    """Moves amounts between accounts until it is told to end: their sum stays. The first ones are for others to lock."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self.server, self.random, self.done, self.count, self.error = server, random.Random(seed), False, 0, None

    def run(self):
        try:
            c = self.server.connect("bank", autocommit=False)
            cursor = c.cursor()
            while not self.done:
                amount, one, two = self.random.randint(1, 50), *self.random.sample(range(10, 3001), 2)
                cursor.execute("update account set balance = balance - %s where id = %s", (amount, one))
                cursor.execute("update account set balance = balance + %s where id = %s", (amount, two))
                if self.random.random() < 0.2:
                    c.rollback()
                else:
                    c.commit()
                self.count += 1
        except psycopg2.Error as error:
            self.error = error


def clones_of_a_database_in_use_are_whole_and_kept(case):
    server = case.start()
    define(server)
    c = server.connect()
    run(c, "create database bank")
    bank = server.connect("bank")
    run(bank, "create table account (id int primary key, balance int, filler text default repeat('f', 50))",
        "create index on account (balance)", "create unique index on account ((id + 1)) where id > 10",
        "insert into account (id, balance) select i, 100 from generate_series(1, 3000) i",
        "create temp table passing (a int)", "begin", "insert into account (id, balance) values (0, 12345)",
        "update account set filler = 'open' where id = 3")
    transfers = Transfers(server, case.options.seed)
    transfers.start()
    whole = "select count(*), sum(balance), sum(balance) filter (where balance > 0), count(*) filter (where filler = 'open') from account"

    def check(name):
        copy = server.connect(name)
        (count, total, above, open_rows), = rows(copy, whole)
        assert (count, total, open_rows) == (3000, 300000, 0), (name, count, total, open_rows)
        run(copy, "set enable_seqscan = off")
        assert rows(copy, "select sum(balance) from account where balance > 0") == [(above,)]
        assert rows(copy, "select relname from pg_class where relname = 'passing'") == []
        assert rows(copy, "select nspname from pg_namespace where nspname like 'pg_temp%'") == []
        try:
            run(copy, "insert into account (id, balance) values (77, 1)")
            raise AssertionError("a duplicate key went through")
        except psycopg2.errors.UniqueViolation:
            pass
        return rows(copy, "select id, balance from account order by id")

    found = {}
    for i in range(6):
        before = transfers.count
        while transfers.count < before + 20:
            assert transfers.error is None, transfers.error
            time.sleep(0.001)
        name = f"copy{i}"
        run(c, f"create database {name} template {'bank' if i % 3 != 2 else 'copy1'}")
        check(name)
        copy = server.connect(name)
        run(copy, f"update account set balance = balance + {i} where id = {i + 1}", f"update account set balance = balance - {i} where id = {i + 2}")
        found[name] = check(name)
    run(c, "create database everything template postgres")
    expected = answers(server)
    transfers.done = True
    transfers.join()
    bank.close()
    for life in range(2):
        with server.connect("everything") as everything:
            for question, answer in zip(QUESTIONS, expected):
                assert "pg_database" in question or rows(everything, question) == answer, question
        if life == 0:
            run(server.connect(), "drop database copy1")
            run(server.connect(), "drop database bank")
            del found["copy1"]
        for name, content in found.items():
            assert check(name) == content, name
        server.kill()
        server = case.start()

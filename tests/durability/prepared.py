"""Prepared transactions: they outlive their sessions and their servers, with their changes and locks, until somebody decides."""
import os
import pathlib
import shutil
import subprocess

import psycopg2

from server import rows, run

HERE = pathlib.Path(__file__).resolve().parent
JDBC_JAR = pathlib.Path("/usr/share/java/postgresql.jar")
ALLOWED = ("-c", "max_prepared_transactions=10")


def fails(connection, state, sql):
    try:
        run(connection, sql)
    except psycopg2.Error as e:
        assert e.pgcode == state, e
        return str(e)
    raise AssertionError(f"no error {state}: {sql}")


def names(server, database="postgres"):
    return [name for name, in rows(server.connect(database), "select gid from pg_prepared_xacts order by gid")]


def what_is_prepared_is_kept(case):
    """In a database that has been put back before, so that its image is not the first one."""
    server = case.start(*ALLOWED)
    run(server.connect(), "create database shop")
    c = server.connect("shop")
    run(c, "create table stock (item text primary key, n int check (n >= 0))", "insert into stock values ('pen', 5), ('ink', 5)",
        "select indigo_snapshot('clean')", "update stock set n = 0", "select indigo_restore('clean')")
    run(c, "begin", "update stock set n = n - 1 where item = 'pen'", "create table sold (id serial primary key, item text)",
        "insert into sold (item) values ('pen'), ('pen')", "create index on sold (item)", "prepare transaction 'sale'")
    run(c, "begin", "select * from stock where item = 'ink' for update", "delete from stock where item = 'ink'",
        "prepare transaction 'gone'")
    for checkpoint in (False, True):
        if checkpoint:
            run(server.connect("shop"), "checkpoint")
        server.kill()
        server = case.start(*ALLOWED)
        c = server.connect("shop")
        assert names(server) == ["gone", "sale"], names(server)
        assert rows(c, "select * from stock order by item") == [("ink", 5), ("pen", 5)]
        fails(c, "55P03", "select * from stock where item = 'pen' for update nowait")
        fails(c, "55P03", "select * from stock where item = 'ink' for share nowait")
        message = fails(c, "55006", "select indigo_restore('clean')")
        assert "There are 2 prepared transactions using the database." in message, message
        fails(c, "55006", "select indigo_drop_snapshot('clean')")
        fails(server.connect(), "55006", "drop database shop with (force)")
    run(c, "commit prepared 'sale'", "rollback prepared 'gone'")
    server.kill()

    server = case.start()
    c = server.connect("shop")
    assert names(server) == []
    assert rows(c, "select * from stock order by item") == [("ink", 5), ("pen", 4)]
    assert rows(c, "select item from sold order by id") == [("pen",), ("pen",)]
    assert rows(c, "insert into sold (item) values ('ink') returning id > 2") == [(True,)]
    assert rows(c, "select count(*) from pg_indexes where tablename in ('stock', 'sold')") == [(3,)]
    run(c, "select indigo_restore('clean')")
    assert rows(c, "select to_regclass('sold')") == [(None,)]


def rows_that_one_locks_and_another_exchanges(case):
    """Their values in a unique index are exchanged, so they are taken out of it and put back when they are made again: more than was
    done to them, beside a lock that would not have allowed it."""
    server = case.start(*ALLOWED)
    c = server.connect()
    run(c, "create table pair (id int primary key, n int)", "create unique index on pair (n) where n > 0", "insert into pair values (1, 1), (2, 2)")
    run(c, "begin", "select * from pair for key share", "prepare transaction 'a lock'")
    run(c, "begin", "update pair set n = -n", "update pair set n = 3 + n", "prepare transaction 'exchange'")
    server.kill()
    server = case.start(*ALLOWED)
    c = server.connect()
    assert names(server) == ["a lock", "exchange"], names(server)
    run(c, "commit prepared 'exchange'")
    assert rows(c, "select * from pair order by id") == [(1, 2), (2, 1)]
    fails(c, "55P03", "select * from pair for update nowait")
    run(c, "select * from pair for no key update nowait", "rollback prepared 'a lock'", "select * from pair for update nowait")


def a_database_that_gets_another_name(case):
    server = case.start(*ALLOWED)
    c = server.connect()
    run(c, "create database shop", "begin", "alter database shop rename to store", "prepare transaction 'name'")
    server.kill()
    server = case.start(*ALLOWED)
    c = server.connect()
    server.connect("shop").close()
    run(c, "commit prepared 'name'")
    assert rows(server.connect("store"), "select current_database()") == [("store",)]


def its_database_keeps_its_method(case):
    """All that are open in a database protect what they read in one way (serializable_method): also while none of them is a session."""
    server = case.start(*ALLOWED)
    c = server.connect()
    run(c, "create database shop", "alter database shop set serializable_method = locking")
    shop = server.connect("shop")
    run(shop, "create table stock (item text primary key, n int)", "insert into stock values ('pen', 5), ('ink', 5)",
        "begin isolation level serializable", "select sum(n) from stock", "update stock set n = 4 where item = 'pen'",
        "prepare transaction 'sale'")
    run(c, "alter database shop set serializable_method = ssn")

    def reading_waits(server):
        """Who locks what it reads waits for the writer."""
        shop = server.connect("shop")
        run(shop, "set lock_timeout = 100", "begin isolation level serializable")
        fails(shop, "55P03", "select n from stock where item = 'pen'")

    shop.close()
    assert rows(server.connect("shop"), "show serializable_method") == [("locking",)]
    reading_waits(server)
    run(c, "alter database shop set serializable_method = locking")
    server.kill()
    server = case.start(*ALLOWED)
    reading_waits(server)
    shop = server.connect("shop")
    run(shop, "commit prepared 'sale'")
    assert rows(shop, "select n from stock where item = 'pen'") == [(4,)]
    shop.close()

    c = server.connect()
    run(c, "alter database shop set serializable_method = ssn")
    assert rows(server.connect("shop"), "show serializable_method") == [("ssn",)]


def an_xa_transaction_manager_recovers(case):
    """JDBC's XADataSource: prepared by one process, recovered and decided by another one after a crash."""
    if not JDBC_JAR.exists() or shutil.which("javac") is None:
        print(f"skipped: {JDBC_JAR} or a Java compiler is not installed")
        return
    server = case.start(*ALLOWED)
    run(server.connect(), "create table account (owner text primary key, amount int)",
        "insert into account values ('ada', 100), ('ben', 100)")

    def java(phase, server):
        command = ["java", "-cp", JDBC_JAR, HERE / "xa_client.java", phase]
        ended = subprocess.run(command, env=os.environ | {"PGPORT": str(server.port)}, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    java("prepare", server)
    assert len(names(server)) == 3, names(server)
    server.kill()
    server = case.start(*ALLOWED)
    assert rows(server.connect(), "select * from account order by owner") == [("ada", 100), ("ben", 100)]
    java("recover", server)
    server.kill()
    server = case.start(*ALLOWED)
    assert rows(server.connect(), "select * from account order by owner") == [("ada", 70), ("ben", 130), ("cy", 1)]
    assert names(server) == []

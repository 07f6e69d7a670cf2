"""What ends a statement early, wherever the statement is: a timeout, Ctrl-C in psql, the server's end."""
import os
import pty
import select
import signal
import subprocess
import threading
import time

import protocol
from probes import connect, done, eventually, served, value

CHAIN = ", ".join(f"c{i} as (select a from c{i - 1})" for i in range(1, 2000))
BUSY = (
    f"with c0 as (select 1 as a), {CHAIN} select * from c1999",  # while it is planned
    "select pg_sleep(600)",
    "select count(*) from generate_series(1, 1000000000)",
    "select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b where a + b = -1",
    "select max(s) from (select sum(a) over (order by a desc) s from generate_series(1, 100000000) a) w",
    "select * from generate_series(1, 100000000) a order by -a limit 1 offset 90000000",
    "select count(*) from (select a % 50000000, count(*) from generate_series(1, 100000000) a group by 1) g",
    "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r",
    "insert into interrupted select a + 1000, a from generate_series(1, 100000000) a",
    "select count(*) from interrupted a, interrupted b, interrupted c, interrupted d where a.a + b.a + c.a + d.a = -1",
    "update interrupted set b = (select count(*) from generate_series(1, 1000000000))",
    "create table interrupted_too as select a from generate_series(1, 100000000) a",
    "copy (select count(*) from generate_series(1, 1000000000)) to stdout",
    "select count(*) from normal_rand(2000000000, 1, 0)",  # an extension's set
)


def timeouts_end_whatever_runs(address, pid):
    session = connect(address)
    done(session, "create extension tablefunc")
    done(session, "create table interrupted (a int primary key, b bigint); insert into interrupted select a, a from generate_series(1, 1000) a")
    done(session, "set statement_timeout = '60ms'")
    for statement in BUSY:
        started = time.monotonic()
        got = session.query(statement)
        errors = [m for m in got if m.startswith("ErrorResponse")]
        assert errors == ['ErrorResponse ERROR 57014 "canceling statement due to statement timeout"'], (statement, errors or got[:5])
        assert time.monotonic() - started < 15, statement  # generous: it says "soon", not "how soon"
        assert value(session, "select count(*) from interrupted") == "1000"
    done(session, "set statement_timeout = 0; drop table interrupted; drop extension tablefunc")
    session.close()


def ctrl_c_in_psql(address, pid):
    """psql on a terminal: Ctrl-C ends the statement, psql and its session go on."""
    command = ["psql", "-X", "-h", address[0], "-p", str(address[1]), "-U", "postgres", "-d", "postgres"]
    master, terminal = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "PAGER": "cat", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, start_new_session=True
    ) as psql:
        os.close(terminal)
        seen = ""

        def until(text):
            nonlocal seen
            limit = time.monotonic() + 20
            while text not in seen:
                ready, _, _ = select.select([master], [], [], max(0, limit - time.monotonic()))
                assert ready, (text, seen)
                seen += os.read(master, 65536).decode(errors="replace")
            seen = seen.split(text, 1)[1]

        watcher = connect(address)
        try:
            until("postgres=# ")
            for statement in ("select pg_sleep(600)", "select count(*) from generate_series(1, 1000000000)"):
                os.write(master, f"{statement};\n".encode())
                busy = f"select count(*) from pg_stat_activity where state = 'active' and query = '{statement};'"
                eventually(lambda busy=busy: value(watcher, busy) == "1")
                psql.send_signal(signal.SIGINT)
                until("ERROR:  canceling statement due to user request")
                until("postgres=# ")
            os.write(master, b"begin;\n")
            until("postgres=*# ")
            os.write(master, b"select 40 + 2 as answer;\n")
            until("42")
            until("postgres=*# ")
            os.write(master, b"\\q\n")
            assert psql.wait(20) == 0
        finally:
            psql.kill()
            watcher.close()
            os.close(master)


def the_server_ends_whatever_runs(address, pid):
    with served() as server:
        sessions = [connect(server.address) for _ in range(6)]
        done(sessions[0], "create table ending (a int primary key)")
        done(sessions[0], "begin; insert into ending values (1)")
        running = [
            "select pg_sleep(600)",
            "select count(*) from generate_series(1, 1000000000)",
            "insert into ending values (1)",  # waits for the first
            "copy ending from stdin",
            "select * from generate_series(1, 100000000)",  # waits for its client
        ]
        for session, statement in zip(sessions[1:], running):
            session.send(protocol.message(b"Q", statement.encode() + b"\0"))
        watcher = connect(server.address)
        eventually(lambda: value(watcher, "select count(*) from pg_stat_activity where state = 'active'") == "6")
        assert server.end(signal.SIGTERM) == 0
        for session in sessions[:4] + [watcher]:
            while (got := session.next()) != "closed" and not got.startswith("ErrorResponse"):
                pass
            assert got.startswith("ErrorResponse FATAL 57P01"), got


def error_of(connection, text):
    errors = [m for m in connection.query(text) if m.startswith("ErrorResponse")]
    return errors[0] if errors else "no error"


def sessions_are_ended_by_those_who_may(address, pid):
    admin = connect(address)
    for text in ("create role ended login", "create role ending login", "create database ended"):
        done(admin, text)
    ended = connect(address, user="ended", database="ended")
    ending = connect(address, user="ending")
    for call, superuser, member in (
        ("pg_terminate_backend", "must be a superuser to terminate superuser process",
         "must be a member of the role whose process is being terminated or member of pg_signal_backend"),
        ("pg_cancel_backend", "must be a superuser to cancel superuser query",
         "must be a member of the role whose query is being canceled or member of pg_signal_backend"),
    ):
        assert error_of(ending, f"select {call}({admin.pid})") == f'ErrorResponse ERROR 42501 "{superuser}"'
        assert error_of(ending, f"select {call}({ended.pid})") == f'ErrorResponse ERROR 42501 "{member}"'
    assert error_of(admin, f"select pg_terminate_backend({ended.pid}, -1)") == 'ErrorResponse ERROR 22003 "\\"timeout\\" must not be negative"'
    done(admin, "grant pg_signal_backend to ending")
    assert value(ending, f"select pg_terminate_backend({ended.pid}, 20000)") == "t"
    assert ended.next().startswith("ErrorResponse FATAL 57P01")
    assert value(admin, f"select count(*) from pg_stat_activity where pid = {ended.pid}") == "0"

    # A session that its client has just closed does not stand in the way; one that stays is ended by FORCE.
    leaving = connect(address, user="ended", database="ended")
    leaving.close()
    done(admin, "drop database ended")
    done(admin, "create database ended")
    staying = connect(address, user="ended", database="ended")
    done(staying, "begin; create temp table t (a int)")
    done(admin, "drop database ended with (force)")
    assert staying.next().startswith("ErrorResponse FATAL 57P01")
    ending.close()
    done(admin, "drop role ended")
    done(admin, "drop role ending")


def computed_keys_keep_no_one_waiting(address, pid):
    """Index expressions that give their worker away, in sessions of one worker that change, take back and insert side by side:
    no client waits for ever, and the index finds every row. Also when statements are stopped in the middle."""
    key = "left(regexp_replace(s, '[^a-z]', '', 'g'), 10)"
    with served("-c", "workers=1") as server:
        owner = connect(server.address)
        done(owner, f"create table t (id int primary key, s text); create index on t ({key});"
                    "insert into t select g, repeat(md5(g::text), 125) from generate_series(1, 40) g")
        failures = []

        def run(statements, stopped):
            try:
                session = connect(server.address)
                for statement in statements:
                    got = session.query(statement)
                    if not stopped:
                        assert not any(m.startswith("ErrorResponse") for m in got), got
                session.close()
            except BaseException as failure:  # told by the test's own thread
                failures.append(failure)

        def update(k, i):
            change = f"update t set s = repeat(md5(random()::text), 125) where id between {k * 20 + 1} and {k * 20 + 20}"
            return ["begin", change, "rollback" if i % 2 else "commit"]

        work = [([s for i in range(8) for s in update(k, i)], False) for k in range(2)]
        work += [([f"insert into t values ({1000 * k + i}, repeat(md5('{k}.{i}'), 125))" for i in range(40)], False) for k in (1, 2)]
        work += [(["set statement_timeout = '2ms'"] + ["update t set s = repeat(md5(random()::text), 125) where id > 2000"] * 20, True)]
        threads = [threading.Thread(target=run, args=w, daemon=True) for w in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(600)
            assert not thread.is_alive(), "a session hangs"
        assert not failures, failures
        rows = value(owner, f"select string_agg(id || ':' || {key}, ' ') from t").split()
        assert len(rows) == 120
        for row in rows:
            number, of_row = row.split(":")
            assert value(owner, f"select count(*) from t where {key} = '{of_row}' and id + 0 = {number}") == "1", row
        owner.close()


CHECKS = [sessions_are_ended_by_those_who_may, timeouts_end_whatever_runs, computed_keys_keep_no_one_waiting, ctrl_c_in_psql, the_server_ends_whatever_runs]

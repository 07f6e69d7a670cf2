"""A statement that computes for long in one piece (a digest of a large value) does not keep the other sessions of its worker waiting: another
thread goes on with them. What the statement does afterwards, beside them, is as if nothing had been."""
import signal
import threading

import protocol
from probes import connect, done, eventually, served, value

MEGABYTES = 150
DIGEST = "sha256(large.v)"
ANSWERS = 10  # to another session within the piece; a worker that does not come back gives one at most


def prepare(server):
    owner = connect(server.address)
    done(owner, f"create table large as select convert_to(repeat('0123456789', {MEGABYTES * 100_000}), 'utf8') v")
    return owner


def start(connection, text):
    connection.send(protocol.message(b"Q", text.encode() + b"\0"))


def watch(owner, worker):
    """Asks while the other's statement runs; returns when it was found running often enough."""
    query = f"select count(*) from pg_stat_activity where pid = {worker.pid} and state = 'active'"
    eventually(lambda: value(owner, query) == "1")
    for _ in range(ANSWERS):
        assert value(owner, query) == "1", "nobody was answered while the statement ran"


def rest(connection):
    got = []
    while not got or not got[-1].startswith(("ReadyForQuery", "closed", "nothing came")):
        got.append(connection.next())
    return got


def waits(owner, session):
    """Until the session waits for the advisory lock 1."""
    query = f"select count(*) from pg_locks where pid = {session.pid} and locktype = 'advisory' and not granted"
    eventually(lambda: value(owner, query) == "1", 60)


def one_worker():
    return served("-c", "workers=1")


def others_are_answered(address, pid):
    with one_worker() as server:
        owner, busy = prepare(server), connect(server.address)
        for _ in range(2):
            start(busy, f"select length({DIGEST}) from large, generate_series(1, 4)")
            watch(owner, busy)
            assert [m for m in rest(busy) if m.startswith("DataRow")] == ['DataRow "32"'] * 4
            assert value(busy, "select 1") == "1"  # it has come home
        # Who comes now is let in, too.
        start(busy, f"select length({DIGEST}) from large, generate_series(1, 4)")
        watch(owner, busy)
        late = connect(server.address)
        watch(late, busy)
        rest(busy)


def it_sleeps_is_cancelled_and_waits_for_locks(address, pid):
    with one_worker() as server:
        owner, busy = prepare(server), connect(server.address)
        done(owner, "create table rows (a int primary key, b int); insert into rows values (1, 0)")
        done(owner, "select pg_advisory_lock(1)")
        start(busy, f"select length({DIGEST}), pg_advisory_lock(1) from large")
        watch(owner, busy)
        waits(owner, busy)
        assert value(owner, f"select pg_cancel_backend({busy.pid})") == "t"
        assert 'ErrorResponse ERROR 57014 "canceling statement due to user request"' in rest(busy)
        done(busy, "set statement_timeout = '100ms'")
        start(busy, f"select length({DIGEST}), pg_sleep(600) from large")
        assert 'ErrorResponse ERROR 57014 "canceling statement due to statement timeout"' in rest(busy)
        done(busy, "set statement_timeout = 0")
        done(owner, "begin; update rows set b = 1")
        start(busy, f"do $$ begin perform length({DIGEST}) from large; update rows set b = b + 1; end $$")
        watch(owner, busy)
        eventually(lambda: value(owner, f"select count(*) from pg_locks where pid = {busy.pid} and not granted") == "1", 60)
        done(owner, "commit")
        assert "CommandComplete \"DO\"" in rest(busy)
        assert value(owner, "select b from rows") == "2"


def its_answer_is_whole_and_its_input_too(address, pid):
    with one_worker() as server:
        owner, busy = prepare(server), connect(server.address)
        rows = 40_000
        start(busy, f"with d as materialized (select {DIGEST} s from large) select g, s, repeat('x', 500) from d, generate_series(1, {rows}) g")
        watch(owner, busy)
        got = rest(busy)
        numbers = [m.split('"')[1] for m in got if m.startswith("DataRow")]
        assert numbers == [str(g) for g in range(1, rows + 1)]
        done(owner, f"create function digest_once() returns trigger language plpgsql as $$ begin if new.a = 1 then perform {DIGEST} from large; end if; "
                    "return new; end $$; create table copied (a int); create trigger t before insert on copied for each row execute function digest_once()")
        start(busy, "copy copied from stdin")
        assert busy.next() == "CopyInResponse 0 1"
        busy.send(protocol.message(b"d", b"1\n"))
        lines = [f"{i}\n".encode() for i in range(2, 5_001)]
        busy.send(protocol.message(b"d", b"".join(lines)))
        watch(owner, busy)
        for _ in range(20):
            busy.send(b"".join(protocol.message(b"d", line) for line in lines))
            assert value(owner, "select 1") == "1"
        busy.send(protocol.message(b"c"))
        assert f'CommandComplete "COPY {1 + 21 * 4_999}"' in rest(busy)


def its_client_leaves(address, pid):
    with one_worker() as server:
        owner, busy = prepare(server), connect(server.address)
        done(owner, "select pg_advisory_lock(1)")
        start(busy, f"select length({DIGEST}), pg_advisory_lock(1) from large")
        watch(owner, busy)
        waits(owner, busy)
        busy.close()
        eventually(lambda: value(owner, f"select count(*) from pg_stat_activity where pid = {busy.pid}") == "0")


def the_server_ends_meanwhile(address, pid):
    with one_worker() as server:
        owner = prepare(server)
        sessions = [connect(server.address) for _ in range(4)]
        done(owner, "select pg_advisory_lock(1)")
        for session in sessions:
            start(session, f"select length({DIGEST}), pg_advisory_lock(1) from large")
        for session in sessions:
            waits(owner, session)
        start(sessions[0], "select 1")
        assert server.end(signal.SIGTERM) == 0
        for session in sessions:
            assert rest(session)[-1] == "closed"


def many_at_once(address, pid):
    """Sessions that are away side by side, while others change rows and are answered."""
    with one_worker() as server:
        owner = prepare(server)
        done(owner, "create table counter (a int primary key, b int); insert into counter values (1, 0)")
        failures = []

        def run(statements):
            try:
                session = connect(server.address)
                for statement in statements:
                    done(session, statement)
                session.close()
            except BaseException as failure:  # told by the test's own thread
                failures.append(failure)

        digest = f"do $$ begin perform {DIGEST} from large; update counter set b = b + 1; end $$"
        threads = [threading.Thread(target=run, args=([digest] * 2,), daemon=True) for _ in range(4)]
        threads += [threading.Thread(target=run, args=(["update counter set b = b + 1"] * 300,), daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
            assert not thread.is_alive(), "a session hangs"
        assert not failures, failures
        assert value(owner, "select b from counter") == "608"


CHECKS = [others_are_answered, it_sleeps_is_cancelled_and_waits_for_locks, its_answer_is_whole_and_its_input_too, its_client_leaves,
          the_server_ends_meanwhile, many_at_once]

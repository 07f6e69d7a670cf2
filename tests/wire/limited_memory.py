"""A server whose address space is limited: a statement that wants too much gets 53200, no connection is lost, others go on."""
import random
import resource
import threading
import time

import protocol
from probes import USER, done, eventually, measurable, served, value

HEADROOM = 140 << 20  # above what the server has when it starts
STATEMENTS = 25       # of each greedy session
GREEDY_SESSIONS = 6

GREEDY = [
    "select count(*) from (select array_agg(repeat('x', 1000) || g) from generate_series(1, 1000000) g) q",
    "select length(string_agg(repeat('y', 1000), ',')) from generate_series(1, 1000000)",
    "create temp table if not exists big as select g, repeat('z', 900) t from generate_series(1, 500000) g",
    "select count(*) from (select distinct repeat('x', 500) || g from generate_series(1, 1000000) g) q",
    "select g, repeat('x', 500) || g from generate_series(1, 1000000) g order by 2 desc limit 1",
    "select length(repeat('x', 200000000))",
    "insert into grown select g, repeat('a', 1000) from generate_series(1, 300000) g",
    "update grown set t = t || 'x'",
    "delete from grown",
    "truncate grown",
    "create index if not exists grown_t on grown (t)",
    "drop index if exists grown_t",
    "create table if not exists copied as select * from pg_class, generate_series(1, 100)",
    "drop table if exists copied",
    "begin; declare c cursor with hold for select repeat('x', 900) from generate_series(1, 500000); commit",
    "close all",
    "select '" + "x" * 3_000_000 + "'",
    "select " + ",".join(f"{i} as c{i}" for i in range(1600)),
    "select " + "+".join(str(i) for i in range(3000)),
    "analyze grown",
    "select 1",
]
# Beside out of memory: too deep without address space for a large stack, and what concurrent definitions make of each other.
EXPECTED = {"53200", "54001", "25P02", "34000", "42P01", "42P07", "42710", "23505", "40P01"}


def sqlstates(got):
    return [m.split()[2] for m in got if m.startswith("ErrorResponse")]


def come_in(address, seen):
    """A session, as soon as there is memory for it: a start, too, is refused with 53200."""
    for _ in range(1000):
        session = protocol.Connection(address, {})
        got = session.start(USER)
        if got == "ReadyForQuery I":
            return session
        session.close()
        assert got.startswith('ErrorResponse FATAL 53200 "out of memory"'), got
        seen.add("53200")
        time.sleep(0.02)
    raise AssertionError("no memory for a session in 20 s")


def be_greedy(address, rng, seen, unexpected):
    session = come_in(address, seen)
    for _ in range(STATEMENTS):
        statement = rng.choice(GREEDY)
        got = session.query(statement)
        if not got[-1].startswith("ReadyForQuery"):
            unexpected.append((statement[:60], got[-3:]))
            return
        seen.update(sqlstates(got))
        if set(sqlstates(got)) - EXPECTED:
            unexpected.append((statement[:60], got[-3:]))
        if got[-1] != "ReadyForQuery I":
            done(session, "rollback")
    session.close()


def the_greedy_fail_and_others_go_on(_address, _pid):
    seed = random.randrange(1 << 32)
    with served() as server:
        if not measurable(server.pid):
            return  # sanitizers have an address space of their own
        modest = come_in(server.address, set())
        done(modest, "create table grown (g int, t text)")
        done(modest, "create table kept (n int primary key)")
        with open(f"/proc/{server.pid}/statm") as statm:
            bytes_now = int(statm.read().split()[0]) * resource.getpagesize()
        resource.prlimit(server.pid, resource.RLIMIT_AS, (bytes_now + HEADROOM, resource.RLIM_INFINITY))
        seen, unexpected = set(), []
        threads = [
            threading.Thread(target=be_greedy, args=(server.address, random.Random(seed + i), seen, unexpected))
            for i in range(GREEDY_SESSIONS)
        ]
        for thread in threads:
            thread.start()
        kept = tried = 0
        while any(thread.is_alive() for thread in threads):
            got = modest.query(f"insert into kept values ({tried})")
            assert got[-1] == "ReadyForQuery I" and set(sqlstates(got)) <= {"53200"}, (seed, got)
            kept += not sqlstates(got)
            tried += 1
        for thread in threads:
            thread.join()
        assert not unexpected, (seed, unexpected)
        assert "53200" in seen, (seed, seen)
        assert int(value(modest, "select count(*) from kept")) == kept > 0, (seed, kept, tried)
        # What they had comes back, if not at once. Address space does not: jemalloc keeps what one of its arenas had for that arena,
        # so this asks for a megabyte, not for all that is free.
        eventually(lambda: not sqlstates(modest.query("truncate grown")))
        eventually(lambda: not sqlstates(modest.query("insert into grown select g, repeat('a', 1000) from generate_series(1, 1000) g")))
        assert value(come_in(server.address, seen), "select count(*) from grown") == "1000"


CHECKS = [the_greedy_fail_and_others_go_on]

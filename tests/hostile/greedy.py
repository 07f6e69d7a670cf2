"""Greedy sessions, each over its session_memory_limit again and again, beside transfers of TPC-B's kind that lose nothing.

Every greedy statement fails with 53200; its session goes on, and gets its memory back. The server's memory stays below what the
limits allow together.
"""
import threading
import time

LIMIT_KB = 24 * 1024
GREEDY = [
    ("array_agg", "select cardinality(array_agg(g)) from generate_series(1, 100000000) g"),
    ("string_agg", "select length(string_agg(repeat('x', 100), ',')) from generate_series(1, 100000000) g"),
    ("hash join", "select count(*) from generate_series(1, 20000000) a join generate_series(1, 20000000) b on a = b"),
    ("groups", "select count(*) from (select g, count(*) from generate_series(1, 20000000) g group by g) q"),
    ("sort", "select * from (select g from generate_series(1, 20000000) g order by g desc offset 10) q limit 1"),
    ("distinct", "select count(*) from (select distinct g from generate_series(1, 20000000) g) q"),
    ("except", "select count(*) from (select g from generate_series(1, 20000000) g except select 1) q"),
    ("window", "select max(s) from (select sum(g) over () s from generate_series(1, 20000000) g) q"),
    ("WITH", "with w as materialized (select g from generate_series(1, 20000000) g) select count(*) from w a, w b where a.g < 0"),
    ("held cursor", "declare c cursor with hold for select repeat('x', 100) from generate_series(1, 10000000) g"),
    ("return next", "select count(*) from greedy_rows(20000000)"),
    ("text", "select length(repeat('x', 200000000) || repeat('y', 200000000)) from generate_series(1, 3)"),
]
SETUP = [
    "create table branches (id int primary key, balance bigint not null)",
    "create table accounts (id int primary key, branch int not null, balance bigint not null)",
    "create table history (account int, branch int, delta bigint)",
    "insert into branches select g, 0 from generate_series(1, 10) g",
    "insert into accounts select g, g % 10 + 1, 0 from generate_series(1, 10000) g",
    "create function greedy_rows(n int) returns setof int language plpgsql as "
    "$$ begin for i in 1..n loop return next i; end loop; end $$",
    "create role greedy login",
    f"alter role greedy set session_memory_limit = {LIMIT_KB}",
]


class Transfers(threading.Thread):
    def __init__(self, connect, number):
        super().__init__()
        self.server, self.number = connect("postgres"), number
        self.stop, self.done, self.error = False, 0, None

    def run(self):
        try:
            while not self.stop:
                account, branch = (self.done * 7 + self.number) % 10000 + 1, self.done % 10 + 1
                for sql in (
                    "begin",
                    f"update accounts set balance = balance + 3 where id = {account}",
                    f"update branches set balance = balance + 3 where id = {branch}",
                    f"insert into history values ({account}, {branch}, 3)",
                    "commit",
                ):
                    if (got := self.server.run(sql)) != "":
                        raise RuntimeError(f"{sql}: {got}")
                self.done += 1
        except (OSError, RuntimeError) as error:
            self.error = error


class Greedy(threading.Thread):
    def __init__(self, connect, first):
        super().__init__()
        self.server, self.first, self.wrong = connect("greedy"), first, []

    def run(self):
        try:
            for i in range(len(GREEDY)):
                name, sql = GREEDY[(self.first + i) % len(GREEDY)]
                if (got := self.server.run(sql)) != "53200":
                    self.wrong.append(f"{name}: {got[:100]}")
                if (got := self.server.run("select 'goes on'")) != "goes on":
                    self.wrong.append(f"after {name}: {got[:100]}")
            kept = 0  # statements of 100 kB, until no more are kept
            while (got := self.server.run(f"prepare p{kept} as select '{'x' * 100000}', {kept}")) == "":
                kept += 1
                if kept > 10 * LIMIT_KB / 100:
                    break
            if got != "53200":
                self.wrong.append(f"prepared statements: {kept}, {got[:100]}")
            if (got := self.server.run("deallocate all")) != "" or self.server.run("prepare p as select 1") != "":
                self.wrong.append(f"deallocate: {got[:100]}")
            # They share the text of the message that has made them; who asks for it gets it once for each.
            self.server.run("; ".join(f"prepare q{i} as select {i}" for i in range(2000)))
            if (got := self.server.run("select sum(length(statement)) from pg_prepared_statements")) != "53200":
                self.wrong.append(f"texts of prepared statements: {got[:100]}")
            self.server.run("deallocate all")
        except (OSError, RuntimeError) as error:
            self.wrong.append(repr(error))


def memory_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def run_greedy(connect, pid, suite):
    server = connect("postgres")
    for sql in SETUP:
        if (got := server.run(sql)) != "":
            suite.failed("greedy sessions", f"{sql}: {got}")
            return
    before, most = memory_bytes(pid), 0
    transfers = [Transfers(connect, n) for n in range(2)]
    greedy = [Greedy(connect, n * 3) for n in range(4)]
    for thread in transfers + greedy:
        thread.start()
    while any(thread.is_alive() for thread in greedy):
        most = max(most, memory_bytes(pid))
        time.sleep(0.02)
    for thread in transfers:
        thread.stop = True
    for thread in transfers + greedy:
        thread.join()
    wrong = [why for thread in greedy for why in thread.wrong]
    wrong += [repr(thread.error) for thread in transfers if thread.error is not None]
    done = sum(thread.done for thread in transfers)
    expected = f"{done} {3 * done} {3 * done} {3 * done}"
    got = server.run(
        "select (select count(*) from history) || ' ' || (select sum(delta) from history) || ' ' || "
        "(select sum(balance) from accounts) || ' ' || (select sum(balance) from branches)"
    )
    if done == 0 or got != expected:
        wrong.append(f"transfers: expected {expected}, got {got}")
    # A value may be large before anybody looks: twice 400 MB of text each.
    if most - before > len(greedy) * (LIMIT_KB * 1024 + 800_000_000):
        wrong.append(f"the server took {most - before} bytes")
    if wrong:
        suite.failed("greedy sessions", "\n".join(wrong))
    else:
        suite.passed("greedy sessions")

"""Clients that move money while their server is killed: what they were told stays, and nothing else."""
import random
import threading
import time

import psycopg2

from server import rows, run


class Client(threading.Thread):
    """pgbench's TPC-B transaction; remembers what was acknowledged."""

    def __init__(self, server, number, seed):
        super().__init__(daemon=True)
        self.server, self.number, self.random, self.acknowledged = server, number, random.Random(seed), []

    def run(self):
        try:
            c = self.server.connect(autocommit=False)
            cursor = c.cursor()
            for i in range(1_000_000):
                mark = f"{self.number}/{i}/{self.random.random()}"
                aid, tid, bid = self.random.randint(1, 1000), self.random.randint(1, 10), 1
                delta = self.random.randint(-5000, 5000)
                cursor.execute("update accounts set balance = balance + %s where id = %s", (delta, aid))
                cursor.execute("select balance from accounts where id = %s", (aid,))
                cursor.execute("update tellers set balance = balance + %s where id = %s", (delta, tid))
                cursor.execute("update branches set balance = balance + %s where id = %s", (delta, bid))
                cursor.execute("insert into history values (%s, %s, %s, %s, %s)", (tid, bid, aid, delta, mark))
                c.commit()
                self.acknowledged.append(mark)
        except psycopg2.Error:
            pass


def check_bank(server, acknowledged):
    c = server.connect()
    sums = rows(c, """select (select sum(balance) from accounts), (select sum(balance) from tellers),
                             (select sum(balance) from branches), (select coalesce(sum(delta), 0) from history)""")[0]
    assert len(set(sums)) == 1, f"the sums differ: {sums}"
    found = {mark for (mark,) in rows(c, "select mark from history")}
    lost = [mark for mark in acknowledged if mark not in found]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged transactions are lost, first {lost[0]}"
    assert not acknowledged or rows(c, "select count(*) from history where mark = %s", acknowledged[-1]) == [(1,)]
    return len(found)


def bank(server):
    run(server.connect(), "create table accounts (id int primary key, balance int)",
        "create table tellers (id int primary key, balance int)", "create table branches (id int primary key, balance int)",
        "create table history (tid int, bid int, aid int, delta int, mark text)", "create index on history (mark)",
        "insert into accounts select i, 0 from generate_series(1, 1000) i", "insert into tellers select i, 0 from generate_series(1, 10) i",
        "insert into branches values (1, 0)")


def kill_under_load(case, kills, *options, environment=None):
    server = case.start(*options, environment=environment)
    bank(server)
    acknowledged = []
    for kill in range(kills):
        clients = [Client(server, f"{kill}-{n}", case.random.random()) for n in range(6)]
        for client in clients:
            client.start()
        stop = time.monotonic() + case.random.uniform(0.05, 0.6)
        while time.monotonic() < stop or not any(c.acknowledged for c in clients):
            if kill % 3 == 1 and case.random.random() < 0.1:
                run(server.connect(), "checkpoint")
            time.sleep(0.01)
            assert any(c.is_alive() for c in clients), "all clients failed: " + server.messages()
        server.kill()
        for client in clients:
            client.join()
            acknowledged += client.acknowledged
        server = case.start(*options, environment=environment)
        found = check_bank(server, acknowledged)
    print(f"  {kills} kills, {len(acknowledged)} acknowledged, {found} present", flush=True)


def acknowledged_transactions_survive_sigkill(case):
    kill_under_load(case, case.options.kills)


def acknowledged_transactions_survive_sigkill_at_level_process(case):
    kill_under_load(case, max(2, case.options.kills // 2), "-c", "durability=process")


def acknowledged_transactions_survive_sigkill_on_emulated_persistent_memory(case):
    kill_under_load(case, max(2, case.options.kills // 2), environment={"PMEM2_FORCE_GRANULARITY": "CACHE_LINE"})

"""Backups of servers that run: whole, cancelled, refused, restored."""
import os
import random
import shutil
import signal
import subprocess
import threading
import time

import psycopg2

from contents import answers, define, expect_errors
from kills import Client, bank, check_bank
from server import rows, run


def a_backup_of_a_running_server_is_one_moment(case):
    server = case.start()
    define(server)
    bank(server)
    clients = [Client(server, f"backup-{n}", case.random.random()) for n in range(4)]
    for client in clients:
        client.start()
    c = server.connect()
    for n in range(3):
        before = [mark for client in clients for mark in list(client.acknowledged)]
        size, _ = rows(c, "select * from indigo_backup(%s)", f"{case.base}/backup{n}")[0]
        assert size > 1000
        copy = case.start(name=f"backup{n}")
        check_bank(copy, before)
        expect_errors(copy)
        run(copy.connect(), "create table later (a int primary key)", "insert into later values (1)")
        copy.kill()
        copy = case.start(name=f"backup{n}")  # it is a data directory like any other
        assert rows(copy.connect(), "select * from later") == [(1,)]
        expect_errors(copy)
        copy.kill()
        for _ in range(2):  # once more work before the next
            marks = sum(len(client.acknowledged) for client in clients)
            while sum(len(client.acknowledged) for client in clients) < marks + 10:
                assert any(client.is_alive() for client in clients), server.messages()
                time.sleep(0.01)
    before = answers(server)
    rows(c, "select * from indigo_backup(%s)", f"{case.base}/last")
    assert answers(case.start(name="last")) == before


class Cancelled(threading.Thread):
    """A backup that will be ended before it is done; `pid` of its session."""

    def __init__(self, server, directory):
        super().__init__(daemon=True)
        self.connection, self.directory, self.error = server.connect(), directory, None
        self.pid = self.connection.get_backend_pid()

    def run(self):
        try:
            rows(self.connection, "select * from indigo_backup(%s)", self.directory)
        except psycopg2.Error as error:
            self.error = error


def has(directory, name):
    return os.path.exists(os.path.join(directory, name))


def under_way(case, server, name):
    """A backup that has begun to write; a fast machine may be done with it before we look, then it is tried again."""
    for n in range(100):
        backup = Cancelled(server, f"{case.base}/{name}{n}")
        backup.start()
        while backup.is_alive() and not has(backup.directory, "checkpoint-0000000001.tmp"):
            pass
        if backup.is_alive() and not has(backup.directory, "format"):
            return backup
        backup.join()
    raise AssertionError("every backup ended at once")


def a_cancelled_backup_ends_and_leaves_nothing(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (id int primary key, b text)",
        "insert into t select i, repeat('row ' || i, 20) from generate_series(1, 600000) i", "checkpoint")
    for end in ("pg_cancel_backend", "pg_terminate_backend"):
        while True:
            backup = under_way(case, server, end)
            rows(c, f"select {end}(%s)", backup.pid)
            backup.join()
            if backup.error is not None:
                break
        assert backup.error.pgcode == "57014" or backup.connection.closed, backup.error
        deadline = time.monotonic() + 60
        while os.path.exists(backup.directory):
            assert time.monotonic() < deadline, os.listdir(backup.directory)
    backup = under_way(case, server, "statement_timeout")  # and a checkpoint does not wait for it
    run(c, "checkpoint")
    backup.join()
    # By the command, with Ctrl-C.
    command = [case.options.server, "backup", "-h", server.sockets, "-p", str(server.port), "-U", "postgres"]
    for n in range(100):
        directory = f"{case.base}/command{n}"
        process = subprocess.Popen([*command, directory], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not has(directory, "checkpoint-0000000001.tmp"):
            pass
        process.send_signal(signal.SIGINT)
        out, complaint = process.communicate()
        if process.returncode == 1:
            break
    assert "canceling statement due to user request" in complaint, complaint
    assert not os.path.exists(directory)
    # The server's end, with one under way: the directory is either a backup or gone.
    backup = under_way(case, server, "shutdown")
    server.stop()
    backup.join()
    assert not os.path.exists(backup.directory) or has(backup.directory, "format"), os.listdir(backup.directory)
    # Its death: what is left is told from a data directory, and from an empty one.
    server = case.start()
    backup = under_way(case, server, "kill")
    server.kill()
    backup.join()
    assert has(backup.directory, "unfinished-backup") or has(backup.directory, "format")
    if has(backup.directory, "unfinished-backup"):
        refused = case.start(name=os.path.basename(backup.directory))
        assert refused.port is None and "backup that was not finished" in refused.messages(), refused.messages()


def a_backup_by_command_under_pgbench_is_restored(case):
    server = case.start()
    address = ["-h", server.sockets, "-p", str(server.port), "-U", "postgres"]
    subprocess.run(["pgbench", *address, "-i", "-q", "-s", "1", "postgres"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    load = subprocess.Popen(["pgbench", *address, "-n", "-c", "8", "-T", "600", "postgres"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        c = server.connect()
        before = 0
        for n in range(3):
            while rows(c, "select count(*) from pgbench_history")[0][0] < before + 50:
                assert load.poll() is None, server.messages()
            before = rows(c, "select count(*) from pgbench_history")[0][0]
            done = subprocess.run([case.options.server, "backup", *address, f"backup{n}"], cwd=case.base, capture_output=True, text=True)
            assert done.returncode == 0 and f"{case.base}/backup{n}: " in done.stdout, (done.stdout, done.stderr)
    finally:
        load.kill()
        load.wait()
    for n in range(3):
        shutil.copytree(f"{case.base}/backup{n}", f"{case.base}/copy{n}")  # the backup is kept
        copy = case.start(name=f"copy{n}").connect()
        sums = rows(copy, """select (select sum(abalance) from pgbench_accounts), (select sum(tbalance) from pgbench_tellers),
            (select sum(bbalance) from pgbench_branches), (select coalesce(sum(delta), 0) from pgbench_history)""")[0]
        assert len(set(sums)) == 1, sums
        assert rows(copy, "select count(*) >= %s from pgbench_history" % (50 * (n + 1))) == [(True,)]


def backups_that_cannot_be_are_refused(case):
    server = case.start()
    c = server.connect()
    for directory, code in ((server.directory, "55006"), (case.base, "55000"), ("relative", "22023"), ("/dev/null/x", "58030")):
        try:
            rows(c, "select * from indigo_backup(%s)", directory)
        except psycopg2.Error as error:
            assert error.pgcode == code, (directory, error.pgcode, error)
        else:
            raise AssertionError(f"no error: {directory}")
    run(c, "create role plain login")
    plain = psycopg2.connect(host=server.sockets, port=server.port, user="plain", dbname="postgres")
    try:
        rows(plain, "select * from indigo_backup('/tmp/never')")
    except psycopg2.errors.InsufficientPrivilege:
        pass
    run(c, "create table still_there (a int)")
    server.kill()
    run(case.start().connect(), "select * from still_there")

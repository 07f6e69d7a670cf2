"""The data directory: its level, its lock, full disks, damage, what recovery tells clients, and the log's figures."""
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time

import psycopg2

from backups import has
from server import START_SECONDS, rows, run


def settings_say_what_is_promised(case):
    server = case.start()
    c = server.connect()
    assert rows(c, "show durability") == [("power",)]
    assert "fdatasync" in rows(c, "show log_device")[0][0]
    assert rows(c, "show data_directory") == [(server.directory,)]
    server.stop()
    server = case.start(environment={"PMEM2_FORCE_GRANULARITY": "CACHE_LINE"})
    assert "cacheline" in rows(server.connect(), "show log_device")[0][0]
    server.stop()
    assert case.start("-c", "durability=none").port is None


def a_second_server_is_refused(case):
    first = case.start()
    second = case.start()
    assert second.port is None and "in use" in second.messages(), second.messages()
    first.kill()
    assert case.start().port


def a_foreign_directory_is_refused(case):
    os.mkdir(os.path.join(case.base, "data"))
    with open(os.path.join(case.base, "data", "letter.txt"), "w") as f:
        f.write("dear")
    server = case.start()
    assert server.port is None and "not a data directory" in server.messages(), server.messages()
    assert os.listdir(os.path.join(case.base, "data")) in (["letter.txt", "lock"], ["lock", "letter.txt"])


def a_directory_of_another_user_is_refused(case):
    if os.geteuid() != 0:
        return  # only root may give directories away
    directory = os.path.join(case.base, "data")
    os.mkdir(directory)
    os.chown(directory, 12345, 12345)
    server = case.start()
    assert server.port is None and "wrong ownership" in server.messages() and not os.listdir(directory), server.messages()


def a_server_without_threads_says_so(case):
    if os.geteuid() != 0:
        return  # the limit counts all that a user runs: it takes one who runs nothing else
    os.chmod(case.base, 0o755)
    user = case.random.randrange(1 << 20, 1 << 30)
    home = os.path.join(case.base, "home")
    os.mkdir(home)
    os.chown(home, user, user)
    shutil.copy(case.options.server, os.path.join(case.base, "indigo"))  # where any user may read it

    def become(threads):
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))

    for threads in range(1, 200):
        command = [os.path.join(case.base, "indigo"), "serve", "-D", os.path.join(home, "data"), "-p", "0", "-h", "", "-k", home]
        with tempfile.TemporaryFile(mode="w+") as log:
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=home,
                                      preexec_fn=lambda n=threads: become(n))
            timer = threading.Timer(START_SECONDS, server.kill)
            timer.start()
            ready = server.stdout.readline()
            timer.cancel()
            if ready:
                time.sleep(0.05)  # it stays quiet
                server.terminate()
            server.communicate(timeout=60)
            log.seek(0)
            said = log.read(100_000)
        assert len(said) < 2000, said[:2000]
        assert server.returncode == (0 if ready else 1), (threads, server.returncode, said)
        assert ready or "could not start a thread" in said or "out of memory" in said, (threads, said)
        if ready:
            assert threads > 3, threads
            return
    raise AssertionError("it never started")


def a_full_disk_is_an_error_and_loses_nothing(case):
    server = case.start(file_limit=100 << 20)
    c = server.connect()
    run(c, "create table t (id serial primary key, b text)", "checkpoint")
    stored = 0
    for _ in range(1000):
        try:
            run(c, "insert into t (b) select repeat(md5(i::text), 30) from generate_series(1, 1000) i")
            stored += 1000
        except psycopg2.Error as error:
            assert error.pgcode == "53100", error
            break
    else:
        raise AssertionError("the disk never got full")
    assert rows(c, "select count(*) from t") == [(stored,)]
    server.kill()
    server = case.start()
    c = server.connect()
    assert rows(c, "select count(*) from t") == [(stored,)]
    run(c, "insert into t (b) values ('room again')")


def a_start_without_room_for_a_whole_log_makes_a_smaller_one(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (id serial primary key, b text)", "insert into t (b) select 'kept' from generate_series(1, 100)")
    server.kill()
    stored = 100
    for megabytes in (20, 5):  # of 48 that a log has at least
        server = case.start(file_limit=megabytes << 20)
        c = server.connect()
        assert rows(c, "select count(*) from t") == [(stored,)]
        for _ in range(1000):
            try:
                run(c, "insert into t (b) select repeat('x', 300) from generate_series(1, 1000)")
                stored += 1000
            except psycopg2.Error as error:
                assert error.pgcode == "53100", error
                break
        else:
            raise AssertionError("the log never got full")
        assert "it gets blocks of" in server.messages(), server.messages()
        assert stored > 1000
        server.kill()
    files = sorted(os.listdir(server.directory))
    server = case.start(file_limit=1 << 20)
    assert server.port is None and "could not extend file" in server.messages(), server.messages()
    assert sorted(os.listdir(server.directory)) == files  # what did not become a log takes no room
    server = case.start()
    c = server.connect()
    assert rows(c, "select count(*) from t") == [(stored,)]
    run(c, "insert into t (b) values ('room again')")


def damage_below_the_watermark_is_refused(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (a int primary key, b text)")
    for i in range(50):
        run(c, f"insert into t values ({i}, 'payload number {i} to find')")
    time.sleep(0.2)  # the watermark follows when the log is idle
    server.kill()
    path = os.path.join(server.directory, "log-0000000001")
    with open(path, "rb") as f:
        bytes_before = f.read()
    at = bytes_before.index(b"payload number 25 to find")
    damaged = bytes_before[:at] + b"P" + bytes_before[at + 1 :]
    with open(path, "wb") as f:
        f.write(damaged)
    server = case.start()
    assert server.port is None and "log-0000000001" in server.messages() and "offset" in server.messages(), server.messages()
    with open(path, "rb") as f:
        assert f.read() == damaged, "the refusal has changed the file"
    with open(path, "wb") as f:
        f.write(bytes_before)
    assert rows(case.start().connect(), "select count(*) from t") == [(50,)]


def asynchronous_commits_follow_soon(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (a int)", "set synchronous_commit = off")
    for i in range(200):
        run(c, f"insert into t values ({i})")
    run(c, "set synchronous_commit = on", "insert into t values (1000)")  # not before what it follows
    server.kill()
    assert rows(case.start().connect(), "select count(*) from t") == [(201,)]


def clients_that_come_during_recovery_are_told_so(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (id int primary key, b text)", "create index on t (b)")
    for i in range(10):
        run(c, f"insert into t select i, 'row ' || i from generate_series({i * 30000 + 1}, {i * 30000 + 30000}) i")
    port = server.port  # one that is free then
    server.kill()
    server = case.start(port=port)
    told = 0
    while True:
        try:
            c = server.connect()
            break
        except psycopg2.OperationalError as error:
            told += "the database system is starting up" in str(error)
            refused = "No such file" in str(error) or "Connection refused" in str(error)  # the socket is not there yet
            assert refused or "starting up" in str(error), error
            assert server.process.poll() is None, server.messages()
    assert told > 0 and rows(c, "select count(*) from t") == [(300000,)], told


def figures_of_the_log_are_shown(case):
    server = case.start()
    c = server.connect()
    run(c, "create table t (a int primary key, b text)")
    first = rows(c, "select records, bytes, flushes, checkpoints, recovery_transactions from indigo_stat_log")[0]
    for i in range(10):
        run(c, f"insert into t values ({i}, repeat('x', 1000))")
    records, size, flushes, checkpoints, recovered = rows(
        c, "select records, bytes, flushes, checkpoints, recovery_transactions from indigo_stat_log")[0]
    assert records == first[0] + 10 and size > first[1] + 10000 and first[2] < flushes <= records, (first, records, size, flushes)
    assert checkpoints == 0 and recovered == 0
    run(c, "checkpoint")
    c.autocommit = True
    row = rows(c, """select checkpoints, checkpoint_bytes > 10000, checkpoint_time > 0, durable_lsn <= appended_lsn, flush_time_avg > 0,
                            flush_time_max >= flush_time_avg, records_per_flush >= 1, file_bytes >= 48 << 20 from indigo_stat_log""")
    assert row == [(1, True, True, True, True, True, True, True)], row
    run(c, "insert into t values (100, 'after the checkpoint')")
    server.kill()
    c = case.start().connect()
    row = rows(c, "select recovery_transactions, recovery_bytes > 10000, recovery_time > 0 from indigo_stat_log")
    assert row == [(1, True, True)], row


def logs_of_crashes_do_not_pile_up(case):
    server = case.start()
    run(server.connect(), "create table t (a int)")
    for i in range(4):
        run(server.connect(), f"insert into t values ({i})")
        server.kill()
        server = case.start()
        c = server.connect()
        deadline = time.monotonic() + 60
        while rows(c, "select checkpoints from indigo_stat_log") == [(0,)]:  # soon after the start, by itself
            assert time.monotonic() < deadline
        while len(logs := [name for name in os.listdir(server.directory) if name.startswith("log-")]) > 2:
            assert time.monotonic() < deadline, logs
    assert rows(c, "select count(*) from t") == [(4,)]

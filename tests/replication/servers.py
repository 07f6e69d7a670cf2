"""Servers that replicate to each other: ours, and a PostgreSQL 15 of its own."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def psql(port, sql, database="postgres"):
    command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "-d", database]
    done = subprocess.run(command, input=sql, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout.strip()


def eventually(ask, expected, seconds=240):
    end = time.monotonic() + seconds
    while (got := ask()) != expected:
        if time.monotonic() > end:
            raise AssertionError(f"expected {expected!r}, got {got!r}")
        time.sleep(0.1)


class Indigo:
    """A server of ours: with `kept`, one that has a data directory and can be killed and started again."""

    def __init__(self, binary, kept=False, settings=()):
        self.binary, self.port, self.settings = binary, free_port(), settings
        self.folder = tempfile.mkdtemp(prefix="indigo-replication-") if kept else None
        self.start()

    def start(self):
        command = [self.binary, "serve", "-h", "127.0.0.1", "-p", str(self.port), "-c", "wal_level=logical",
                   "-c", "max_prepared_transactions=10", "-c", "wal_retrieve_retry_interval=200ms"]
        for setting in self.settings:
            command += ["-c", setting]
        if self.folder is not None:
            command += ["-D", f"{self.folder}/data"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()

    def end(self, mode):
        if mode == "immediate":
            self.process.kill()
        else:
            self.process.terminate()
        return self.process.wait()

    def stop(self):
        status = self.end("fast")
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        return status

    def sql(self, text, database="postgres"):
        return psql(self.port, text, database)


class PostgreSQL:
    """A PostgreSQL of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="indigo-replication-")
        self.port = free_port()
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.call(BIN / "initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-N")
        self.start()

    def call(self, *command):
        command = [str(word) for word in command]
        if os.getuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)

    def start(self):
        self.call(BIN / "pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o",
                  f"-p {self.port} -h 127.0.0.1 -k {self.folder} -c fsync=off -c wal_level=logical -c wal_retrieve_retry_interval=200ms "
                  "-c max_prepared_transactions=10 -c logical_decoding_work_mem=64kB", "start")

    def end(self, mode):
        self.call(BIN / "pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "-w", "stop")

    def stop(self):
        self.end("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, database="postgres"):
        return psql(self.port, text, database)


def subscribe(publisher, subscriber, database, publications, options="enabled"):
    subscriber.sql(f"create subscription {database} connection 'host=127.0.0.1 port={publisher.port} user=postgres dbname={database}' "
                   f"publication {publications} with ({options})", database)
    states = "select count(*), count(*) filter (where srsubstate <> 'r') from pg_subscription_rel"
    eventually(lambda: subscriber.sql(states, database).split("|")[1], "0")


def make_tables(publisher, subscriber, database, sql):
    for server in (publisher, subscriber):
        server.sql(f"create database {database}")
        server.sql(sql, database)


def same(publisher, subscriber, database, query):
    eventually(lambda: subscriber.sql(query, database), publisher.sql(query, database))

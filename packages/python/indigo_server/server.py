"""Starts and stops `indigo`, and makes databases in it. Needs no driver."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

from indigo_server.protocol import SqlError, run_script

__all__ = ["Database", "Server", "SqlError", "binary", "main"]


def binary():
    """The server's path: $INDIGO, else the one that this package carries, else indigo of $PATH."""
    carried = pathlib.Path(__file__).parent / "bin/indigo"
    found = os.environ.get("INDIGO") or (str(carried) if carried.exists() else shutil.which("indigo"))
    if not found:
        raise FileNotFoundError("this package carries no indigo, and there is none in $PATH")
    return found


def main():
    """The command `indigo`."""
    path = binary()
    os.execv(path, [path, *sys.argv[1:]])


@dataclasses.dataclass(frozen=True)
class Database:
    """Where one database is."""

    host: str
    port: int
    name: str
    user: str = "postgres"

    @property
    def url(self):
        return f"postgresql://{self.user}@{self.host}:{self.port}/{self.name}"

    @property
    def dsn(self):
        return f"host={self.host} port={self.port} user={self.user} dbname={self.name}"

    @property
    def env(self):
        """For programs that read libpq's variables or DATABASE_URL."""
        return {"PGHOST": self.host, "PGPORT": str(self.port), "PGUSER": self.user, "PGDATABASE": self.name, "DATABASE_URL": self.url}

    def execute(self, sql):
        """Runs statements and answers the last one's rows, as texts."""
        return run_script((self.host, self.port), self.user, self.name, sql)

    def connect(self, **more):
        """A connection of the driver that is installed: psycopg, else psycopg2."""
        try:
            import psycopg as driver
        except ImportError:
            import psycopg2 as driver
        return driver.connect(self.dsn, **more)


class Server:
    """A server on a free port, in memory, that ends with this object or with this process, whichever is first."""

    def __init__(self, **settings):
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        # The server lives as long as its command, which reads our end of the pipe: it is closed however we end.
        command = [binary(), "run", *options, "--", "sh", "-c", 'echo "$PGPORT"; exec cat']
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"indigo did not start: it exited with {self._process.wait()}")
        self.host, self.port = "localhost", int(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def database(self, name):
        return Database(self.host, self.port, name)

    def url(self, name):
        return self.database(name).url

    def execute(self, sql, database="postgres"):
        return self.database(database).execute(sql)

    def create(self, name, template=None):
        """A new database; a clone takes a millisecond, whatever the template's size."""
        return create(self.database("postgres"), name, template)

    def drop(self, name):
        drop(self.database("postgres"), name)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def create(admin, name, template=None):
    admin.execute(f"create database {quoted(name)}" + (f" template {quoted(template)}" if template else ""))
    return dataclasses.replace(admin, name=name)


def drop(admin, name):
    admin.execute(f"drop database if exists {quoted(name)} with (force)")

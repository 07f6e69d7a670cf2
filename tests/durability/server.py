"""A server with a data directory that can be killed and started again, and what the cases share."""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading

import psycopg2

START_SECONDS = 120


class Server:
    """One life of a server on a directory."""

    def __init__(self, binary, directory, *options, environment=None, file_limit=None, port=0):
        self.directory = directory
        self.sockets = os.path.dirname(directory)  # a killed server leaves its socket there
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))) if file_limit else None
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [binary, "serve", "-D", directory, "-p", str(port), "-k", self.sockets, *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=os.environ | (environment or {}), preexec_fn=limit,
        )
        self.port = port or None
        if not port:
            self.wait_ready()

    def wait_ready(self):
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        ready = re.search(r"port (\d+)", line)
        self.port = int(ready[1]) if ready else None
        if not ready:
            self.process.wait()

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def connect(self, database="postgres", autocommit=True):
        assert self.port, self.messages()
        c = psycopg2.connect(host=self.sockets, port=self.port, user="postgres", dbname=database)
        c.autocommit = autocommit
        return c

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def rows(connection, sql, *arguments):
    cursor = connection.cursor()
    cursor.execute(sql, arguments or None)
    return cursor.fetchall() if cursor.description else None


def run(connection, *statements):
    for statement in statements:
        rows(connection, statement)


class Case:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.base = tempfile.mkdtemp(prefix="indigo-durability-")
        self.servers = []

    def start(self, *options, name="data", **more):
        server = Server(self.options.server, os.path.join(self.base, name), *options, **more)
        self.servers.append(server)
        return server

    def end(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()
        shutil.rmtree(self.base)

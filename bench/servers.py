"""Servers that benchmarks start for themselves, Indigo's and PostgreSQL 15's, and what they spend."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PG_BIN = pathlib.Path(os.environ.get("PG_BIN", "/usr/lib/postgresql/15/bin"))
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(root):
    """User and system time of a process and what it has started, the dead and reaped ones included (those in ticks of the clock)."""
    times, parents = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        pid = int(stat.parent.name)
        try:
            alive = time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid's: in nanoseconds
        except OSError:
            alive = sum(map(int, fields[11:13])) / TICKS
        times[pid] = alive + sum(map(int, fields[13:15])) / TICKS
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(times.get(pid, 0) for pid in family)


def as_postgres(command):
    """PostgreSQL refuses to run as root."""
    return (["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []) + command


class Server:
    """A server's process, from its first answer at `directory`/.s.PGSQL.`port` until stop()."""

    def __init__(self, command, directory, port):
        self.directory, self.port = directory, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        for _ in range(600):
            if self.answers():
                return
            time.sleep(0.05)
        sys.exit(f"{command[0]} did not answer")

    def answers(self):
        """Whether it accepts connections already."""
        if not os.path.exists(f"{self.directory}/.s.PGSQL.{self.port}"):
            return False
        return subprocess.run(self.client() + ["-c", "SELECT 1"], capture_output=True).returncode == 0

    def client(self):
        """A psql's command line, which may be added to."""
        return ["psql", "-X", "-q", "-A", "-t", "-h", self.directory, "-p", str(self.port), "-U", "postgres", "-d", "postgres",
                "-v", "ON_ERROR_STOP=1"]

    def script(self, text):
        """Sends a script by psql; what fails ends the benchmark."""
        done = subprocess.run(self.client() + ["-f", "-"], input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(done.stderr)

    def spent(self, work):
        """The server's seconds of processor time for `work()`, and what that returns. `work` has closed its connections."""
        before = cpu_seconds(self.process.pid)
        answer = work()
        time.sleep(0.1)  # PostgreSQL's backends end, and their times reach the parent
        return cpu_seconds(self.process.pid) - before, answer

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


class Servers(dict):
    """Both servers by name, "ours" first, for a `with` statement: stopped at its end, and their folder removed. PostgreSQL runs with its
    data in /dev/shm, without fsync and without autovacuum."""

    def __init__(self, prefix, binary, port, *, kind=Server, options=(), settings=(), alone=False):
        """Ports `port` and the next. `kind` is the class of both, `options` go to ours, `settings` (name=value) to PostgreSQL's."""
        super().__init__()
        self.directory = tempfile.mkdtemp(prefix=prefix, dir="/dev/shm")
        os.chmod(self.directory, 0o777)
        self.binary, self.port, self.kind, self.options, self.settings, self.alone = binary, port, kind, options, settings, alone

    def __enter__(self):
        try:
            self["ours"] = self.kind([os.path.abspath(self.binary), "serve", "-p", str(self.port), "-k", self.directory, *self.options],
                                     self.directory, self.port)
            if not self.alone:
                data = self.directory + "/data"
                subprocess.run(as_postgres([str(PG_BIN / "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                                            "--locale=C", "-N"]), check=True, stdout=subprocess.DEVNULL, cwd="/")
                command = [str(PG_BIN / "postgres"), "-D", data, "-p", str(self.port + 1), "-k", self.directory]
                for setting in ("fsync=off", "autovacuum=off", *self.settings):
                    command += ["-c", setting]
                self["PostgreSQL"] = self.kind(as_postgres(command), self.directory, self.port + 1)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for server in self.values():
            server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

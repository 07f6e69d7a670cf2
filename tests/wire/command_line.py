"""`indigo serve` and `indigo run` as a user of the command line meets them."""
import glob
import os
import signal
import socket
import subprocess
import tempfile

import protocol
from probes import Served, answers

TIMEOUT_S = protocol.TIMEOUT_S


def refused(*command):
    """stderr of a command that must fail without serving."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode != 0 and done.stdout == "", done
    return done.stderr


def stops_cleanly_on_either_signal(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-cli-") as directory:
        for number in (signal.SIGTERM, signal.SIGINT):
            server = Served(binary, directory, "-p", "0")
            answers(server.address)
            idle = protocol.Connection(server.address, {})
            idle.start([("user", "postgres"), ("database", "postgres")])
            assert server.end(number) == 0
            got = idle.next()
            assert got.startswith("ErrorResponse FATAL 57P01"), got
            assert os.listdir(directory) == [], os.listdir(directory)


def a_taken_port_is_an_error(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-cli-") as directory, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        complaint = refused(binary, "serve", "-h", "127.0.0.1", "-p", port, "-k", directory)
        assert "Address already in use" in complaint, complaint
        server = Served(binary, directory, "-p", "0", "-h", "")
        complaint = refused(binary, "serve", "-p", str(server.port), "-h", "", "-k", directory)
        assert "another server listens" in complaint, complaint
        answers(server.address)
        server.end(signal.SIGTERM)


def a_killed_server_leaves_nothing_in_the_way(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-cli-") as directory:
        first = Served(binary, directory, "-p", "0")
        port = first.port
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        assert os.listdir(directory) != []
        second = Served(binary, directory, "-p", str(port))
        answers(second.address)
        assert second.end(signal.SIGTERM) == 0


def bad_arguments_are_refused(binary):
    assert "could not " in refused(binary, "serve", "-p", "0", "-D", "/dev/null/data")
    assert "needs a data directory" in refused(binary, "serve", "-p", "0", "-c", "durability=power")
    assert "no_such_setting" in refused(binary, "serve", "-p", "0", "-c", "no_such_setting=1")
    assert "requires a value" in refused(binary, "serve", "-p", "0", "-c", "work_mem")
    assert "70000" in refused(binary, "serve", "-p", "70000")
    refused(binary)
    refused(binary, "serve", "--nonsense")


def settings_reach_the_server(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-cli-") as directory:
        server = Served(binary, directory, "-p", "0", "-c", "work_mem=7MB", "-c", "max_connections=1")
        connection = protocol.Connection(server.address, {})
        connection.start([("user", "postgres"), ("database", "postgres")])
        got = connection.query("show work_mem; show port")
        assert 'DataRow "7MB"' in got and f'DataRow "{server.port}"' in got, got
        second = protocol.Connection(server.address, {})
        got = second.start([("user", "postgres"), ("database", "postgres")])
        assert got == 'ErrorResponse FATAL 53300 "sorry, too many clients already"', got
        server.end(signal.SIGTERM)


def passwords_over_tcp(binary):
    """psql against each method, with a password that the server stored itself."""
    with tempfile.TemporaryDirectory(prefix="indigo-cli-") as directory:
        for method in ("scram-sha-256", "md5", "password"):
            server = Served(binary, directory, "-p", "0", "-h", "127.0.0.1", "-c", f"loopback_auth={method}")
            local = protocol.Connection(server.address, {})
            local.start([("user", "postgres"), ("database", "postgres")])
            got = local.query("create role alice login password 'secret'")
            assert 'CommandComplete "CREATE ROLE"' in got, got
            command = ["psql", "-X", "-At", "-h", "127.0.0.1", "-p", str(server.port), "-U", "alice", "-d", "postgres"]
            for password, expected in (("secret", 0), ("wrong", 2)):
                done = subprocess.run(
                    command + ["-c", "select current_user"],
                    env=os.environ | {"PGPASSWORD": password},
                    capture_output=True,
                    text=True,
                    timeout=TIMEOUT_S,
                )
                assert done.returncode == expected, (method, password, done)
                if expected == 0:
                    assert done.stdout == "alice\n", done
                else:
                    assert 'password authentication failed for user "alice"' in done.stderr, done
            assert server.end(signal.SIGTERM) == 0


def run_gives_a_command_its_server(binary):
    script = 'echo "$PGUSER $PGDATABASE $DATABASE_URL $PGPORT"; exit 7'
    before = set(glob.glob("/tmp/.s.PGSQL.*"))
    done = subprocess.run([binary, "run", "--", "sh", "-c", script], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 7, done
    user, database, url, port = done.stdout.split()
    assert (user, database) == ("postgres", "postgres") and url == f"postgresql://postgres@localhost:{port}/postgres"
    left = f"/tmp/.s.PGSQL.{port}"  # another server may have left one of that name
    assert left in before or not os.path.exists(left)
    done = subprocess.run(
        [binary, "run", "--", "psql", "-X", "-At", "-c", "select 40 + 2"], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert (done.returncode, done.stdout) == (0, "42\n"), done
    missing = subprocess.run([binary, "run", "--", "/no/such/command"], capture_output=True, timeout=TIMEOUT_S)
    assert missing.returncode == 127, missing


CHECKS = [
    stops_cleanly_on_either_signal,
    a_taken_port_is_an_error,
    a_killed_server_leaves_nothing_in_the_way,
    bad_arguments_are_refused,
    settings_reach_the_server,
    passwords_over_tcp,
    run_gives_a_command_its_server,
]

"""What a server writes to its log, and that no session waits when it is not read."""
import csv
import io
import json
import os
import signal
import subprocess
import tempfile
import time

import protocol
from probes import USER, answers, connect, done, value

TIMEOUT_S = protocol.TIMEOUT_S


class Logged:
    """A server whose stderr is a file, with these settings."""

    def __init__(self, binary, **settings):
        self.folder = tempfile.TemporaryDirectory(prefix="indigo-log-")
        self.path = os.path.join(self.folder.name, "log")
        words = [word for name, text in settings.items() for word in ("-c", f"{name}={text}")]
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen([binary, "serve", "-p", "0", "-h", "", "-k", self.folder.name, *words],
                                            stdout=subprocess.PIPE, stderr=log, text=True)
        self.address = (self.folder.name, int(self.process.stdout.readline().split("port ")[1].split(",")[0]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(TIMEOUT_S) == 0
        self.process.stdout.close()
        self.folder.cleanup()

    def text(self):
        with open(self.path, encoding="utf-8", newline="") as log:
            return log.read()

    def records(self):
        """Of jsonlog, after the one that says that the server is ready."""
        records = [json.loads(line) for line in self.text().splitlines()]
        same(records[0]["message"], "database system is ready to accept connections")
        return records[1:]

    def lines(self):
        """Without time and process, and after the line that says that the server is ready."""
        with open(self.path, encoding="utf-8") as log:
            lines = [line.rstrip("\n").split("] ", 1)[-1] for line in log]
        assert lines[:1] == ["LOG:  database system is ready to accept connections"], lines
        return lines[1:]


def same(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


def statements_are_logged_by_kind(binary):
    with Logged(binary, log_statement="ddl") as server:
        client = connect(server.address)
        done(client, "create table t (a int)")
        done(client, "insert into t values (1)")
        done(client, "select 1")
        done(client, "set log_statement = 'mod'")
        done(client, "insert into t values (2)")
        done(client, "truncate t")
        done(client, "select 2")
        done(client, "set log_statement = 'all'")
        done(client, "select 3")
        client.send(protocol.message(b"P", b"\0select 4\0\0\0") + protocol.message(b"B", b"\0\0\0\0\0\0\0\0")
                    + protocol.message(b"E", b"\0\0\0\0\0") + protocol.message(b"S"))
        while not client.next().startswith("ReadyForQuery"):
            pass
        same(server.lines(), ["LOG:  statement: create table t (a int)", "LOG:  statement: insert into t values (2)",
                              "LOG:  statement: truncate t", "LOG:  statement: select 3", "LOG:  statement: select 4"])


def errors_come_with_their_statements(binary):
    with Logged(binary) as server:
        client = connect(server.address)
        client.query("select 1/0")
        same(server.lines(), [])
        done(client, "set log_min_messages = 'error'")
        client.query("select 1/0")
        done(client, "set log_min_error_statement = 'panic'")
        client.query("select 2/0")
        done(client, "do $$ begin raise log 'noted'; end $$")
        where = "CONTEXT:  PL/pgSQL function inline_code_block line 1 at RAISE"
        same(server.lines(), ["ERROR:  division by zero", "STATEMENT:  select 1/0", "ERROR:  division by zero", "LOG:  noted", where])
        connection = protocol.Connection(server.address, {})
        connection.start([("user", "stranger"), ("database", "postgres")])
        same(server.lines()[-1], 'FATAL:  role "stranger" does not exist')


def passwords_are_not_logged(binary):
    with Logged(binary, log_statement="all", log_min_messages="error") as server:
        client = connect(server.address)
        for text in ("create role a password 'geheim'", "alter role a encrypted password e'gehe\\'im'",
                     "alter role a password $x$geheim$x$", "alter role absent password /* */ 'geheim'"):
            client.query(text)
        log = "\n".join(server.lines())
        assert "gehe" not in log and log.count("***") == 5, log


def passwords_in_other_places_are_not_logged(binary):
    texts = ("alter role a password U&'geh\\0065im'", "alter role a password 'x'\n'geheim'", "/* don't */ alter role a password 'geheim'",
             "-- don't\nalter role a password 'geheim'", "do $$ begin execute 'alter role a password ''geheim'''; end $$",
             "do 'begin execute $x$alter role a password ''geheim''$x$; end'",
             "create subscription s connection 'host=a password=geheim' publication p", "select 'host=a Password = ''geheim b'' user=c'",
             "select 'postgresql://a:geheim@b/c'", "select 'http://no/secret', 'http://a:geheim@b'", "select 'postgresql://a/?password=geheim&x=y'",
             "create user mapping for public server absent options (\"password\" 'geheim', user 'seen')",
             "alter role a password 'geheim", "alter role a password $$geheim",
             "select e'password=\\'geheim\\''", "select " + "".join(f"$a{i}$" for i in range(200)) + "password 'geheim'")
    with Logged(binary, log_statement="all", log_min_messages="error") as server:
        client = connect(server.address)
        for text in texts:
            client.query(text)
        client.query("select 'the password is short', 'password', 'x=1' as password, 'http://a/b@c:d'")
        log = "\n".join(server.lines())
        assert "geheim" not in log and "0065im" not in log, log
        contained = ("'the password is short', 'password', 'x=1' as password, 'http://a/b@c:d'", "user 'seen'", "http://no/secret", "host=a Password")
        for part in contained:
            assert part in log, (part, log)


def a_text_of_several_lines_forges_no_message(binary):
    with Logged(binary, log_statement="all") as server:
        client = connect(server.address)
        done(client, "select 1 /*\n2026-01-01 00:00:00.000 UTC [1] LOG:  forged */")
        client.query("select 1\n/ 0")
        stranger = protocol.Connection(server.address, {})
        stranger.start([("user", "x\n2026-01-01 00:00:00.000 UTC [1] FATAL:  forged"), ("database", "postgres")])
        with open(server.path, encoding="utf-8") as log:
            lines = log.read().splitlines()
        forged = [line for line in lines if "forged" in line]
        assert len(forged) == 2 and all(line.startswith("\t2026") for line in forged), lines
        assert "\t/ 0" in lines, lines


def slow_statements_are_logged(binary):
    with Logged(binary, log_min_duration_statement="0") as server:
        client = connect(server.address)
        done(client, "select 1")
        client.query("select 1/0")
        done(client, "set log_min_duration_statement = '1h'")
        done(client, "select 2")
        lines = [line for line in server.lines() if "select" in line]
        assert len(lines) == 1 and lines[0].startswith("LOG:  duration: ") and lines[0].endswith(" ms  statement: select 1"), lines


def connections_are_logged(binary):
    with Logged(binary, log_connections="on", log_disconnections="on") as server:
        connect(server.address).close()
        until = time.monotonic() + TIMEOUT_S
        while len(server.lines()) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        received, authorized, ended = server.lines()
        same(received, "LOG:  connection received: host=[local]")
        same(authorized, "LOG:  connection authorized: user=postgres database=postgres host=[local]")
        assert ended.startswith("LOG:  disconnection: session time: 0:00:0") and ended.endswith("host=[local]"), ended


# PostgreSQL 15's, in its order (write_jsonlog there), for an error within a program.
FIELDS = ["timestamp", "user", "dbname", "pid", "remote_host", "session_id", "line_num", "ps", "session_start", "vxid", "txid",
          "error_severity", "state_code", "message", "internal_query", "internal_position", "context", "statement",
          "application_name", "backend_type", "query_id"]


def connections_are_logged_after_a_reload(binary):
    with Logged(binary) as server:
        client = connect(server.address)
        for value_then in ("on", "off"):
            done(client, f"alter system set log_connections = {value_then}")
            done(client, "select pg_reload_conf()")
            connect(server.address).close()
        same([line for line in server.lines() if "authorized" in line],
             ["LOG:  connection authorized: user=postgres database=postgres host=[local]"])


def records_are_json_with_postgresqls_fields(binary):
    with Logged(binary, log_destination="jsonlog", log_min_messages="error") as server:
        client = connect(server.address)
        done(client, "set application_name = 'a \"b\"'")
        inside = "do $$ begin execute 'select 1 from\n absent'; end $$"
        client.query(inside)
        client.query("select 1 from\n\tabsent")
        done(client, "do $$ begin raise log 'noted' using detail = 'd\\e', hint = 'h'; end $$")
        done(client, "begin")
        done(client, "create table t (a int primary key)")
        done(client, "insert into t values (1)")
        client.query("insert into t values (1)")
        first, second, third, fourth = server.records()
        same(list(first), FIELDS)
        pid = int(value(connect(server.address), "select pid from pg_stat_activity where application_name like 'a %'"))
        wanted = {"user": "postgres", "dbname": "postgres", "pid": pid, "remote_host": "[local]", "line_num": 1, "ps": "DO", "txid": 0,
                  "error_severity": "ERROR", "state_code": "42P01", "message": 'relation "absent" does not exist',
                  "internal_query": "select 1 from\n absent", "internal_position": 16, "statement": inside,
                  "context": "PL/pgSQL function inline_code_block line 1 at EXECUTE", "application_name": 'a "b"',
                  "backend_type": "client backend", "query_id": 0}
        same({name: first[name] for name in wanted}, wanted)
        assert first["session_id"].endswith(f".{pid:x}") and first["vxid"].startswith(f"{pid}/"), first
        assert time.strptime(first["timestamp"][:19], "%Y-%m-%d %H:%M:%S") and first["timestamp"].endswith(" UTC"), first
        same((second["statement"], second["cursor_position"], second["line_num"]), ("select 1 from\n\tabsent", 16, 2))
        same((third["error_severity"], third["message"], third["detail"], third["hint"]), ("LOG", "noted", "d\\e", "h"))
        assert "state_code" not in third, third
        same((fourth["ps"], fourth["state_code"], fourth["detail"]), ("INSERT", "23505", "Key (a)=(1) already exists."))
        assert fourth["txid"] > 0, fourth
        stranger = protocol.Connection(server.address, {})
        stranger.start([("user", "x\n{\"forged\"}"), ("database", "postgres")])
        same([server.records()[-1][name] for name in ("error_severity", "state_code", "user")], ["FATAL", "28000", 'x\n{"forged"}'])


def records_are_lines_of_csv(binary):
    with Logged(binary, log_destination="csvlog", log_min_messages="error", log_statement="all") as server:
        client = connect(server.address)
        client.query("select 'a\nb', '\"', 1/0")
        ready, statement, error = csv.reader(io.StringIO(server.text()))
        same([len(row) for row in (ready, statement, error)], [26] * 3)
        same((ready[1:3], ready[11:14], ready[23]), (["", ""], ["LOG", "00000", "database system is ready to accept connections"], "postmaster"))
        same((statement[6:8], statement[13]), (["1", "idle"], "statement: select 'a\nb', '\"', 1/0"))
        same(error[1:3] + error[4:5] + error[11:14], ["postgres", "postgres", "[local]", "ERROR", "22012", "division by zero"])
        same(error[19:21] + error[23:], ["select 'a\nb', '\"', 1/0", "", "client backend", "", "0"])


def the_form_of_the_log_is_reloaded(binary):
    with Logged(binary) as server:
        client = connect(server.address)
        for text, code in (("alter system set log_destination = 'smoke'", "22023"), ("alter system set log_destination = 'syslog'", "0A000"),
                           ("set log_destination = 'jsonlog'", "55P02")):
            assert client.query(text)[0].startswith(f"ErrorResponse ERROR {code} "), text
        done(client, "alter system set log_destination = 'jsonlog', 'stderr'")
        same(value(client, "show log_destination"), "stderr")
        done(client, "set log_statement = 'all'")
        done(client, "select 1")
        done(client, "select pg_reload_conf()")
        same(value(client, "show log_destination"), "jsonlog, stderr")
        done(client, "set log_statement = 'none'")
        done(client, "alter system reset log_destination")
        server.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + TIMEOUT_S
        while value(client, "show log_destination") != "stderr" and time.monotonic() < until:
            time.sleep(0.01)
        told = [line for line in server.text().splitlines() if "log_destination" in line or "select 1" in line]
        same([line[0] == "{" for line in told], [False, False, True])


def an_unread_log_stops_no_session(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-log-") as folder:
        server = subprocess.Popen([binary, "serve", "-p", "0", "-h", "", "-k", folder, "-c", "log_statement=all"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        address = (folder, int(server.stdout.readline().split(b"port ")[1].split(b",")[0]))
        client = protocol.Connection(address, {})
        client.start(USER)
        long = "x" * 30000
        for _ in range(20):
            done(client, f"select length('{long}')")
        answers(address)
        same(value(client, "select 1"), "1")
        client.close()
        taken = os.read(server.stderr.fileno(), 1 << 20)
        assert taken.startswith(b"20") and len(taken) <= 1 << 17, len(taken)
        answers(address)
        assert b"lines of the log were dropped" in os.read(server.stderr.fileno(), 1 << 20)
        server.terminate()
        assert server.wait(TIMEOUT_S) == 0
        server.stdout.close()
        server.stderr.close()


CHECKS = [
    a_text_of_several_lines_forges_no_message,
    statements_are_logged_by_kind,
    errors_come_with_their_statements,
    passwords_are_not_logged,
    passwords_in_other_places_are_not_logged,
    slow_statements_are_logged,
    connections_are_logged,
    connections_are_logged_after_a_reload,
    records_are_json_with_postgresqls_fields,
    records_are_lines_of_csv,
    the_form_of_the_log_is_reloaded,
    an_unread_log_stops_no_session,
]

"""What a data directory says of itself: identifier, catalog layout, collations; checkpoints with a second one behind; indigo check."""
import os
import re
import subprocess
import time

from server import rows, run


def read(directory, name):
    with open(os.path.join(directory, name), "rb") as file:
        return file.read()


def write(directory, name, content):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(content)


def check(case, directory):
    done = subprocess.run([case.options.server, "check", directory], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def newest_checkpoint(directory):
    return max(name for name in os.listdir(directory) if name.startswith("checkpoint-"))


def with_two_checkpoints(server):
    c = server.connect()
    run(c, "create table t (a int primary key, b text)", "insert into t select g, 'row ' || g from generate_series(1, 100) g",
        "checkpoint", "insert into t values (101, 'between')", "checkpoint", "insert into t values (102, 'after')")
    server.kill()
    return server.directory


def a_damaged_checkpoint_has_one_before_it(case):
    directory = with_two_checkpoints(case.start())
    name = newest_checkpoint(directory)
    content = read(directory, name)
    at = case.random.randrange(64, len(content))
    write(directory, name, content[:at] + bytes([content[at] ^ 1]) + content[at + 1:])
    status, lines, error = check(case, directory)
    assert status == 1 and name in error, (at, status, lines, error)
    assert f"{name}: checkpoint" in lines and "102 rows written" not in lines.split(name)[0], (at, lines)
    server = case.start()
    c = server.connect()
    assert rows(c, "select count(*) from t") == [(102,)], at
    assert name in server.messages() and "the checkpoint before" in server.messages(), server.messages()
    run(c, "checkpoint", "checkpoint")
    server.stop()
    status, lines, error = check(case, directory)
    assert status == 0 and lines.count(": whole") == 2 and not error, (lines, error)


def check_reads_all_and_changes_nothing(case):
    directory = with_two_checkpoints(case.start())
    before = {name: read(directory, name) for name in os.listdir(directory)}
    status, lines, error = check(case, directory)
    assert status == 0 and lines.count(": whole") == 2 and re.search(r"1 transactions", lines) and not error, (lines, error)
    assert {name: read(directory, name) for name in os.listdir(directory)} == before
    server = case.start()
    status, lines, error = check(case, directory)
    assert status == 1 and "in use" in error, error
    server.kill()
    status, lines, error = check(case, os.path.dirname(directory))
    assert status == 1 and "not a data directory" in error, error


def directories_of_other_programs_are_refused(case):
    server = case.start()
    run(server.connect(), "create table t (a int)")
    server.stop()
    text = read(server.directory, "format")
    assert re.fullmatch(rb"Indigo data directory, format 2\nsystem identifier \d+\ncatalog layout [0-9a-f]{8}\ncollations ICU [\d.]+, libc order \d+\n",
                        text), text
    for changed, message in (
        (re.sub(rb"catalog layout .*", b"catalog layout 00000000", text), "not compatible with this program"),
        (text.replace(b"format 2", b"format 3"), "has format 3"),
        (b"something else\n", "not that of a data directory"),
    ):
        write(server.directory, "format", changed)
        refused = case.start()
        assert refused.port is None and message in refused.messages(), refused.messages()
        assert read(server.directory, "format") == changed
    write(server.directory, "format", text.split(b"\n")[0].replace(b"2", b"1") + b"\n")  # before there was more than a number
    again = case.start()
    assert rows(again.connect(), "select count(*) from t") == [(0,)]
    again.stop()
    assert re.search(rb"catalog layout [0-9a-f]{8}\n", read(server.directory, "format"))


def a_backup_has_the_identifier(case):
    server = case.start()
    copy = os.path.join(case.base, "copy")
    rows(server.connect(), "select * from indigo_backup(%s)", copy)
    server.stop()
    assert read(copy, "format") == read(server.directory, "format")
    assert case.start(name="other").port
    assert read(os.path.join(case.base, "other"), "format") != read(copy, "format")


def keys_of_other_collations_are_rewritten(case):
    server = case.start()
    c = server.connect()
    run(c, 'create table words (word text collate "de-x-icu" primary key, n int unique)', "create table others (a text primary key)",
        "insert into words select chr(97 + g % 26) || g, g from generate_series(1, 500) g", "insert into others values ('x')",
        "create view v as select * from words", "create table more (word text collate \"de-x-icu\" references words)",
        "insert into more values ('b1')")
    server.stop()
    text = read(server.directory, "format")
    write(server.directory, "format", re.sub(rb"collations .*", b"collations ICU 50.1", text))
    server = case.start()
    assert "table words is rewritten" in server.messages() and "table others" not in server.messages(), server.messages()
    c = server.connect()
    assert rows(c, "select n from words where word = 'b1'") == [(1,)] and rows(c, "select word from words where n = 27") == [("b27",)]
    assert rows(c, "select count(*), min(word) from v") == [(500, "a104")]
    for statement in ("insert into words values ('b1', 1000)", "delete from words where word = 'b1'"):
        try:
            run(c, statement)
        except Exception as error:
            assert error.pgcode in ("23505", "23503"), error
        else:
            raise AssertionError(statement)
    server.kill()
    assert read(server.directory, "format") == text
    server = case.start()
    assert "is rewritten" not in server.messages()
    assert rows(server.connect(), "select count(*) from words") == [(500,)]


def a_log_that_cannot_be_stored_into_is_an_error(case):
    # Behind a file's end a mapping has no page, as where a disk fails.
    for level in ("power", "process"):
        server = case.start("-c", f"durability={level}", name=level)
        c = server.connect()
        run(c, "create table t (a int primary key, b text)", "insert into t values (1, 'before')")
        for i in range(2, 100):
            # Each time: a log that grows in the background makes the file longer, and what lies between is a hole that takes stores.
            os.truncate(os.path.join(server.directory, "log-0000000001"), 4096)
            try:
                run(c, f"insert into t values ({i}, repeat('x', 10000))")
            except Exception as error:
                assert error.pgcode == "58030" and "log-0000000001" in str(error), (level, error)
                break
        else:
            raise AssertionError("every insert was acknowledged")
        # Reading goes on, though nobody is told at a commit that what was read will last.
        assert rows(server.connect(autocommit=False), "select b from t where a = 1") == [("before",)]
        try:
            run(server.connect(), "insert into t values (1000, '')")
        except Exception as error:
            assert error.pgcode == "58030", error
        else:
            raise AssertionError("it was acknowledged")
        server.stop()


def starts_without_changes_leave_few_logs(case):
    server = case.start()
    run(server.connect(), "create table t (a int)")
    for _ in range(6):
        server.stop()
        server = case.start()
    deadline = time.monotonic() + 60
    while len(logs := [name for name in os.listdir(server.directory) if name.startswith("log-")]) > 4:
        assert time.monotonic() < deadline, logs
        time.sleep(0.01)

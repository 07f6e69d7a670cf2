"""An index's function that does not end where nobody can cancel it: while changes are taken back, when a transaction has committed, and
where versions that nobody needs any more are thrown away. Each comes to its end, and the server's memory back."""
import time

# The log's first warnings take two seconds in all, then calls are not made any more; a sanitizer build is slow.
BOUND_SECONDS = 30
SETUP = [
    "create role late login; create schema late authorization late",
    "set session authorization late",
    "create function late.key(a int) returns int immutable language plpgsql as $$ begin "
    "while coalesce(current_setting('late.fine', true), '') <> 'yes' loop null; end loop; return a; end $$",
    "set late.fine = yes",
    "create table late.rows (a int primary key, b int)",
    "create index on late.rows (late.key(b)); create index on late.rows using gin ((array[late.key(b)]))",
    "insert into late.rows select g, g from generate_series(1, 2000) g",
]
# Changes, under a statement_timeout that is none of theirs once they have been made.
CHANGES = [
    ("taken back", "begin; update late.rows set b = b + 1; insert into late.rows select g, g from generate_series(3001, 4000) g; rollback"),
    ("taken back to a savepoint", "begin; savepoint s; update late.rows set b = b + 1; rollback to s; commit"),
    ("committed", "update late.rows set b = b + 5000; update late.rows set b = b - 5000; delete from late.rows where a % 2 = 1"),
]
# Of the server: what others have left there may stay.
LEFT = "select records_in_process + versions from indigo_stat_storage"


def run_behind_statements(connect, suite):
    server, reader = connect(), connect()
    for sql in SETUP:
        if (got := server.run(sql)) != "":
            return suite.failed("behind statements", f"{sql}: {got}")
    before = int(server.run(LEFT))
    reader.run("begin isolation level repeatable read; select count(*) from late.rows")
    for name, sql in CHANGES:
        began = time.monotonic()
        got = server.run(sql)
        seconds = time.monotonic() - began
        if got != "" or seconds > BOUND_SECONDS:
            return suite.failed(f"behind statements: {name}", f"{got}, {seconds:.1f} s")
        suite.passed(f"behind statements: {name}")
    reader.run("commit")
    began = time.monotonic()
    while (left := int(server.run(LEFT))) > before and time.monotonic() - began < BOUND_SECONDS:
        time.sleep(0.1)
    if left > before or server.run("select count(*) from late.rows where late.key(b) > 0") != "1000":
        suite.failed("behind statements: memory", f"{left} versions are left, {before} before")
    else:
        suite.passed("behind statements: memory")
    server.run("reset session authorization; drop schema late cascade; drop role late")

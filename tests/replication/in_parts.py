"""Transactions that are told in parts: while they are in progress (streaming), and of two-phase commit."""
import pathlib
import subprocess
import tempfile
import time

from servers import BIN, Indigo, PostgreSQL, eventually, make_tables, same, subscribe


STREAMED = """insert into t select i, repeat('x', 100) from generate_series(1000, 4000) i; savepoint a; insert into t select i, repeat('y', 100) from generate_series(4001, 6000) i;
    savepoint b; update t set b = 'z' where a < 3000; rollback to b; insert into late select i from generate_series(1, 2000) i; savepoint c;
    delete from t where a between 1500 and 1600; release c; rollback to a; savepoint d; insert into t select i, repeat('k', 100) from generate_series(7000, 9000) i;
    insert into late select i from generate_series(5000, 7000) i; release d; update t set b = 'end' where a between 3900 and 3950; """


def both_streams(publisher, subscriber):
    """Transactions that are streamed while they are in progress: what is rolled back of them does not count, and others commit between their parts."""
    make_tables(publisher, subscriber, "streams", "create table t (a int primary key, b text); create table late (a int primary key)")
    publisher.sql("create publication p for all tables; insert into t values (1, 'copied')", "streams")
    subscribe(publisher, subscriber, "streams", "p", "streaming = on")
    assert subscriber.sql("select substream from pg_subscription where subname = 'streams'", "streams") == "t"
    publisher.sql(f"begin; {STREAMED} commit; begin; {STREAMED.replace('select i', 'select -i')} rollback; insert into t values (2, 'behind')", "streams")
    query = "select count(*), md5(string_agg(a || b, ',' order by a)) from t; select count(*), sum(a) from late"
    same(publisher, subscriber, "streams", query)
    if isinstance(publisher, PostgreSQL):
        assert publisher.sql("select stream_txns >= 1 from pg_stat_replication_slots where slot_name = 'streams'") == "t"
    # One that ends after another which began later, and one that is in progress when the subscriber goes away.
    slow = subprocess.Popen(["psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(publisher.port), "-U", "postgres", "-d", "streams"],
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    slow.stdin.write("begin; insert into t select i, repeat('s', 100) from generate_series(20000, 23000) i; select pg_sleep(1);\n")
    slow.stdin.flush()
    publisher.sql("insert into t values (3, 'meanwhile'); begin; insert into t select i, repeat('o', 100) from generate_series(30000, 33000) i; commit", "streams")
    same(publisher, subscriber, "streams", query)
    subscriber.end("immediate")
    subscriber.start()
    slow.communicate("insert into t select i, repeat('s', 100) from generate_series(23001, 24000) i; commit;\n")
    assert publisher.sql("select count(*) from t where a between 20000 and 24000", "streams") == "4001"
    same(publisher, subscriber, "streams", query)
    subscriber.sql("alter subscription streams set (streaming = off)", "streams")
    publisher.sql("begin; insert into t select i, repeat('x', 100) from generate_series(40000, 43000) i; commit", "streams")
    same(publisher, subscriber, "streams", query)
    subscriber.sql("drop subscription streams", "streams")


def in_streams_that_do_not_fit(publisher, subscriber):
    """More than may be kept of transactions in progress is refused, and the subscription goes on without streams."""
    server = Indigo(subscriber.binary, settings=["memory_limit=400MB"])
    try:
        make_tables(publisher, server, "much", "create table t (a int primary key, b text)")
        publisher.sql("create publication p for all tables", "much")
        subscribe(publisher, server, "much", "p", "streaming = on, disable_on_error = on")
        publisher.sql("begin; insert into t select i, repeat('x', 1000000) from generate_series(1, 100) i; commit", "much")
        eventually(lambda: server.sql("select subenabled from pg_subscription", "much"), "f")
        assert server.sql("select count(*) from t", "much") == "0"
        server.sql("alter subscription much set (streaming = off); alter subscription much enable", "much")
        same(publisher, server, "much", "select count(*), sum(length(b)) from t")
        server.sql("drop subscription much", "much")
    finally:
        server.stop()


def prepared(server, database):
    return server.sql("select count(*) from pg_prepared_xacts where database = current_database()", database)


def refused(server, sql, database, reason):
    try:
        server.sql(sql, database)
    except RuntimeError as error:
        assert reason in str(error), error
    else:
        raise AssertionError(sql)


def both_two_phase(publisher, subscriber):
    """What the publisher prepares is prepared at the subscriber, and ends as it does there, also when the subscriber is killed meanwhile."""
    make_tables(publisher, subscriber, "two_phase", "create table t (a int primary key, b text); create table late (a int primary key)")
    publisher.sql("create publication p for all tables; insert into t values (1, 'copied')", "two_phase")
    subscribe(publisher, subscriber, "two_phase", "p", "two_phase = on, streaming = on")
    state = "select subtwophasestate from pg_subscription where subname = 'two_phase'"
    eventually(lambda: subscriber.sql(state, "two_phase"), "e")
    assert publisher.sql("select two_phase from pg_replication_slots where slot_name = 'two_phase'") == "t"
    query = "select count(*), md5(string_agg(a || b, ',' order by a)) from t; select count(*), sum(a) from late"
    publisher.sql("begin; insert into t values (2, 'kept'); prepare transaction 'kept'; begin; update t set b = 'no' where a = 1; prepare transaction 'it''s gone'; insert into t values (3, 'meanwhile')", "two_phase")
    eventually(lambda: prepared(subscriber, "two_phase"), "2")
    same(publisher, subscriber, "two_phase", query)
    subscriber.end("immediate")
    subscriber.start()
    assert prepared(subscriber, "two_phase") == "2"
    publisher.sql("commit prepared 'kept'; rollback prepared 'it''s gone'; update t set b = 'then' where a in (1, 2)", "two_phase")
    same(publisher, subscriber, "two_phase", query)
    eventually(lambda: prepared(subscriber, "two_phase"), "0")
    # Large ones, empty ones, and some that come and go while nobody listens.
    publisher.sql(f"begin; {STREAMED} prepare transaction 'large'; begin; create table only_here (a int); prepare transaction 'empty'; commit prepared 'empty'; "
                  "begin; insert into late values (-1); prepare transaction 'name'; commit prepared 'name'; begin; insert into late values (-2); prepare transaction 'name'", "two_phase")
    eventually(lambda: prepared(subscriber, "two_phase"), "2")
    subscriber.end("immediate")
    publisher.sql("rollback prepared 'name'; begin; insert into late values (-3); prepare transaction 'name'; commit prepared 'large'; commit prepared 'name'; "
                  "begin; insert into late values (-4); prepare transaction 'name'; rollback prepared 'name'", "two_phase")
    subscriber.start()
    same(publisher, subscriber, "two_phase", query)
    eventually(lambda: prepared(subscriber, "two_phase"), "0")
    # What must not be copied while it is enabled.
    hint = "is not allowed when two_phase is enabled"
    refused(subscriber, "alter subscription two_phase refresh publication", "two_phase", hint)
    refused(subscriber, "alter subscription two_phase set publication p", "two_phase", hint)
    refused(subscriber, "alter subscription two_phase add publication q", "two_phase", hint)
    subscriber.sql("create table only_here (a int); alter subscription two_phase refresh publication with (copy_data = false)", "two_phase")
    publisher.sql("begin; insert into only_here values (7); prepare transaction 'more'; commit prepared 'more'", "two_phase")
    same(publisher, subscriber, "two_phase", "select * from only_here")
    subscriber.sql("drop subscription two_phase", "two_phase")
    # Tables that are not copied: at once.
    subscriber.sql(f"create subscription again connection 'host=127.0.0.1 port={publisher.port} user=postgres dbname=two_phase' publication p with (two_phase, copy_data = false)", "two_phase")
    assert subscriber.sql("select subtwophasestate from pg_subscription where subname = 'again'", "two_phase") == "e"
    assert publisher.sql("select two_phase from pg_replication_slots where slot_name = 'again'") == "t"
    publisher.sql("begin; insert into late values (-5); prepare transaction 'again'; commit prepared 'again'", "two_phase")
    same(publisher, subscriber, "two_phase", query)
    subscriber.sql("drop subscription again", "two_phase")
    assert publisher.sql("select count(*) from pg_replication_slots where slot_name in ('two_phase', 'again')") == "0"


PREPARING = """\\set n random(1, 200)
begin;
update t set b = b + 1 where a = :n;
insert into done (client, n) values (:client_id, :n);
prepare transaction '%s:client_id';
%s prepared '%s:client_id';
"""


def two_phase_load(publisher, subscriber, database, ends):
    """Transactions of two-phase commit, one way and the other, while servers are killed; names come again and again."""
    make_tables(publisher, subscriber, database, "create table t (a int primary key, b int); create table done (id bigserial primary key, client int, n int)")
    publisher.sql("insert into t select i, 0 from generate_series(1, 200) i; create publication p for all tables", database)
    subscribe(publisher, subscriber, database, "p", "two_phase = on, streaming = on")
    with tempfile.TemporaryDirectory() as folder:
        scripts = []
        for name, end in (("c", "commit"), ("r", "rollback")):
            scripts.append(f"{folder}/{end}")
            pathlib.Path(scripts[-1]).write_text(PREPARING % (name, end, name))
        pgbench = [str(BIN / "pgbench"), "-h", "127.0.0.1", "-p", str(publisher.port), "-U", "postgres", "-n", "-c", "4", "-R", "300", "-T", "3",
                   "-f", scripts[0], "-f", scripts[1], database]
        for server, mode in ends:
            load = subprocess.Popen(pgbench, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1.5)
            server.end(mode)
            server.start()
            load.wait()
            for name in publisher.sql("select gid from pg_prepared_xacts where database = current_database()", database).split():
                publisher.sql(f"{'commit' if name[0] == 'c' else 'rollback'} prepared '{name}'", database)
    same(publisher, subscriber, database, "select count(*), sum(n), sum(id) from done; select sum(b), sum(a * b) from t")
    assert publisher.sql("select count(*) > 0, count(*) = (select sum(b) from t) from done", database) == "t|t"
    eventually(lambda: prepared(subscriber, database), "0")
    subscriber.sql(f"drop subscription {database}", database)


def both_two_phase_load(publisher, subscriber):
    """The subscriber is killed, and once ends in good order."""
    two_phase_load(publisher, subscriber, "two_phase_load", [(subscriber, "immediate"), (subscriber, "fast"), (subscriber, "immediate")])


def kept_two_phase_crashes(publisher, subscriber):
    """Both are killed in turn."""
    two_phase_load(publisher, subscriber, "two_phase_crashes",
                   [(publisher, "immediate"), (subscriber, "immediate"), (publisher, "immediate"), (publisher, "fast")])


def kept_prepared(publisher, subscriber):
    """The publisher is killed between a PREPARE that it has told and its end; a PREPARE that was never decided on is there again, and told once."""
    make_tables(publisher, subscriber, "prepared", "create table t (a int primary key, b text)")
    publisher.sql("create publication p for all tables", "prepared")
    subscribe(publisher, subscriber, "prepared", "p", "two_phase = on")
    eventually(lambda: subscriber.sql("select subtwophasestate from pg_subscription where subname = 'prepared'", "prepared"), "e")
    for told in (True, False):
        if not told:
            subscriber.sql("alter subscription prepared disable", "prepared")
            eventually(lambda: publisher.sql("select active from pg_replication_slots where slot_name = 'prepared'"), "f")
        for name in ("a", "b"):
            publisher.sql(f"begin; insert into t values ({1 + 2 * (name == 'b') + told}, '{name}'); prepare transaction '{name}'", "prepared")
        if told:
            eventually(lambda: prepared(subscriber, "prepared"), "2")
        publisher.end("immediate")
        publisher.start()
        publisher.sql("commit prepared 'a'; rollback prepared 'b'", "prepared")
        publisher.end("immediate")
        publisher.start()
        if not told:
            subscriber.sql("alter subscription prepared enable", "prepared")
        publisher.sql(f"insert into t values ({10 + told}, 'last')", "prepared")
        same(publisher, subscriber, "prepared", "table t order by a")
        eventually(lambda: prepared(subscriber, "prepared"), "0")
    subscriber.sql("drop subscription prepared", "prepared")

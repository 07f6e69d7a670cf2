"""Clients that end by kill -9 at bad moments: what they held is free again, and other sessions do not notice."""
import protocol
from probes import answers, client_process, connect, descriptors, done, eventually, served, value


def killed(address, pid, code, count=1):
    """Starts clients that come to where they print, and kills them; their sockets must be closed by the server."""
    before_fds = descriptors(pid)
    for _ in range(count):
        with client_process(address, code):
            pass
    eventually(lambda: descriptors(pid) <= before_fds + 2)
    answers(address)


def killed_in_a_result(address, pid):
    killed(
        address,
        pid,
        "c.send(protocol.message(b'Q', b'select * from generate_series(1, 100000000)\\0'))\n"
        "c.receive(); print('receiving', flush=True)\n"
        "while True: c.receive()\n",
        count=5,
    )


def killed_without_reading(address, pid):
    killed(
        address,
        pid,
        "c.send(protocol.message(b'Q', b'select * from generate_series(1, 100000000)\\0'))\n"
        "c.receive(); print('received one', flush=True)\n"
        "time.sleep(60)\n",
        count=5,
    )


def killed_in_a_long_statement(address, pid):
    watcher = connect(address)
    for statement in (
        "select pg_sleep(600)",
        "select count(*) from generate_series(1, 100000000) a, generate_series(1, 1000) b",
        "select sum(a::numeric) from generate_series(1, 1000000000) a",
    ):
        code = (
            f"c.send(protocol.message(b'Q', b'/* to be killed */ {statement}\\0'))\n"
            "w = probes.connect((sys.argv[2], int(sys.argv[3])))\n"
            "busy = 'select count(*) from pg_stat_activity where state = $$active$$ and query like $$/* to be%$$'\n"
            "probes.eventually(lambda: probes.value(w, busy) == '1')\n"
            "print('it runs', flush=True)\n"
            "time.sleep(60)\n"
        )
        killed(address, pid, code)
        left = "select count(*) from pg_stat_activity where query like '/* to be%'"
        eventually(lambda left=left: value(watcher, left) == "0")
    watcher.close()


def killed_in_a_transaction(address, pid):
    owner = connect(address)
    done(owner, "create table killed (a int primary key, b int); insert into killed values (1, 1), (2, 2)")
    killed(
        address,
        pid,
        "probes.done(c, 'begin; update killed set b = 10 where a = 1; insert into killed values (3, 3);'"
        " 'lock table killed in share mode; select pg_advisory_lock(77); create table killed_too (a int)')\n"
        "print('in it', flush=True); time.sleep(60)\n",
    )
    done(owner, "set lock_timeout = '10s'")
    done(owner, "update killed set b = b + 1")
    assert value(owner, "select sum(b) || ' ' || count(*) from killed") == "5 2"
    # A session's own locks go after its transaction's: this one may have to wait.
    done(owner, "select pg_advisory_lock(77)")
    assert value(owner, "select pg_advisory_unlock(77)") == "t"
    done(owner, "create table killed_too (a int); drop table killed, killed_too")
    owner.close()


def killed_while_it_waits_for_a_lock(address, pid):
    owner, third = connect(address), connect(address)
    done(owner, "create table killed (a int primary key, b int); insert into killed values (1, 1)")
    done(owner, "begin; update killed set b = 2")
    killed(
        address,
        pid,
        "c.send(protocol.message(b'Q', b'update killed set b = b + 100\\0'))\n"
        "w = probes.connect((sys.argv[2], int(sys.argv[3])))\n"
        "waits = 'select count(*) from pg_stat_activity where state = $$active$$ and query like $$update killed set b = b + 100%$$'\n"
        "probes.eventually(lambda: probes.value(w, waits) == '1')\n"
        "print('waiting', flush=True); time.sleep(60)\n",
    )
    third.send(protocol.message(b"Q", b"update killed set b = b + 1\0"))
    done(owner, "commit")
    got = [third.next(), third.next()]
    assert got == ['CommandComplete "UPDATE 1"', "ReadyForQuery I"], got
    assert value(owner, "select b from killed") == "3"
    done(owner, "drop table killed")
    owner.close()
    third.close()


def killed_in_copy_in(address, pid):
    owner = connect(address)
    done(owner, "create table killed (a int primary key, b text)")
    rows = "b''.join(b'%d\\tsome text\\n' % n for n in range(i * 1000, i * 1000 + 1000))"
    for last in ("", "c.send(b'd' + struct.pack('>I', 500) + b'7\\tha')\n"):
        killed(
            address,
            pid,
            "c.send(protocol.message(b'Q', b'copy killed from stdin\\0'))\n"
            f"for i in range(30): c.send(protocol.message(b'd', {rows}))\n" + last + "print('sent', flush=True); time.sleep(60)\n",
        )
        assert value(owner, "select count(*) from killed") == "0"
    done(owner, "insert into killed values (1, 'x')")
    done(owner, "drop table killed")
    owner.close()


def killed_in_copy_out(address, pid):
    killed(
        address,
        pid,
        "c.send(protocol.message(b'Q', b'copy (select * from generate_series(1, 100000000)) to stdout\\0'))\n"
        "c.receive(); c.receive(); print('receiving', flush=True)\n"
        "while True: c.receive()\n",
        count=3,
    )


def killed_between_parse_and_sync(address, pid):
    killed(
        address,
        pid,
        "c.send(protocol.message(b'P', b'\\0select * from generate_series(1, 100000)\\0\\0\\0')"
        " + protocol.message(b'B', bytes(8)) + protocol.message(b'E', b'\\0\\0\\0\\0\\5') + protocol.message(b'H'))\n"
        "c.receive(); print('in a portal', flush=True); time.sleep(60)\n",
        count=3,
    )


def a_tcp_client_that_left_is_noticed(address, pid):
    """Its side is closed, the server's is not: only client_connection_check_interval makes that an end."""
    with served("-h", "127.0.0.1") as server:
        tcp = ("127.0.0.1", server.port)
        watcher = connect(server.address)
        client = connect(tcp)
        done(client, "set client_connection_check_interval = '1s'")
        client.send(protocol.message(b"Q", b"select pg_sleep(600)\0"))
        sleeping = "select count(*) from pg_stat_activity where state = 'active' and query = 'select pg_sleep(600)'"
        eventually(lambda: value(watcher, sleeping) == "1")
        client.close()
        eventually(lambda: value(watcher, sleeping) == "0")
        # Without it, the answer is there for a client that still reads.
        patient = connect(tcp)
        patient.send(protocol.message(b"Q", b"select pg_sleep(0.2), 42\0"))
        patient.socket.shutdown(1)
        got = [patient.next() for _ in range(3)]
        assert got[1] == 'DataRow "" "42"', got
        patient.close()
        watcher.close()


CHECKS = [
    killed_in_a_result,
    killed_without_reading,
    killed_in_a_long_statement,
    killed_in_a_transaction,
    killed_while_it_waits_for_a_lock,
    killed_in_copy_in,
    killed_in_copy_out,
    killed_between_parse_and_sync,
    a_tcp_client_that_left_is_noticed,
]

"""LISTEN by many sessions, NOTIFY by several at once, and listeners that do not read."""
import contextlib
import threading

from probes import BINARY, connect, done, eventually, resident_kb, served, value
from protocol import PATIENCE

LISTENERS = 1000
PAYLOAD = "x" * 7900


def a_thousand_sessions_listen(binary):
    """Each hears each notification once, in the order of the commits, which is the same for all."""
    BINARY[:] = [binary]
    with served("-c", "max_connections=1100") as server, contextlib.ExitStack() as stack:
        listeners = [stack.enter_context(contextlib.closing(connect(server.address))) for _ in range(LISTENERS)]
        for i, listener in enumerate(listeners):
            done(listener, f"listen everyone; listen only_{i}")
        senders = [stack.enter_context(contextlib.closing(connect(server.address))) for _ in range(4)]

        def send(number):
            for i in range(5):
                done(senders[number], f"begin; notify everyone, '{number} {i} first'; notify everyone, '{number} {i} last'; commit")

        threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        heard = [[listener.next() for _ in range(40)] for listener in listeners]
        assert all(h == heard[0] for h in heard), "listeners have heard different orders"
        texts = [message.rsplit(" ", 3)[1:] for message in heard[0]]
        assert len(set(heard[0])) == 40, heard[0]
        for at in range(0, 40, 2):  # a transaction's own stay together
            assert texts[at][:2] == texts[at + 1][:2], texts
        for number in range(4):
            mine = [t[1] for t in texts if t[0] == f'"{number}' and t[2] == 'first"']
            assert mine == [str(i) for i in range(5)], mine
        done(senders[0], "notify only_7, 'you'")
        assert listeners[7].next() == 'NotificationResponse ? "only_7" "you"'
        for listener in listeners:  # and nothing else has come
            assert done(listener, "unlisten *")[0] == 'CommandComplete "UNLISTEN"'
        done(senders[0], "notify everyone, 'nobody'")
        assert value(senders[0], "select pg_notification_queue_usage()") == "0"


def a_listener_in_a_transaction_keeps_the_queue(binary):
    """Notifications wait for it; it gets them all, and the queue is empty again."""
    BINARY[:] = [binary]
    with served() as server:
        listener, sender = connect(server.address), connect(server.address)
        done(listener, "listen q")
        done(listener, "begin")
        for i in range(20):
            done(sender, f"select count(pg_notify('q', i || '{PAYLOAD}')) from generate_series(1, 500) i where {i} = {i}")
        # 20 times 500 of 8 kB each, of a gigabyte.
        assert 0.05 < float(value(sender, "select pg_notification_queue_usage()")) < 0.1
        got = done(listener, "commit")
        assert sum(m.startswith("NotificationResponse") for m in got) == 10000, len(got)
        assert value(sender, "select pg_notification_queue_usage()") == "0"
        # One that goes away leaves nothing either.
        done(listener, "begin")
        done(sender, f"select count(pg_notify('q', i || '{PAYLOAD}')) from generate_series(1, 500) i")
        listener.close()
        eventually(lambda: value(sender, "select pg_notification_queue_usage()") == "0")


def a_listener_that_does_not_read(binary):
    """It holds up no other session, and the server's memory is the queue's."""
    BINARY[:] = [binary]
    with served() as server:
        deaf, listener, sender = (connect(server.address) for _ in range(3))
        done(deaf, "listen q")
        done(listener, "listen q")
        before = resident_kb(server.pid)
        for i in range(20):
            done(sender, f"select count(pg_notify('q', {i} || ' ' || i || '{PAYLOAD}')) from generate_series(1, 200) i")
            got = [listener.next() for _ in range(200)]
            assert all(m.startswith('NotificationResponse ? "q"') for m in got), got[:3]
        # The address sanitizer keeps 256 MB of what was freed.
        assert resident_kb(server.pid) - before < (150_000 if PATIENCE == 1 else 600_000)
        assert [deaf.next() for _ in range(4000)][-1].startswith('NotificationResponse ? "q" "19 200')
        eventually(lambda: value(sender, "select pg_notification_queue_usage()") == "0")


def what_was_sent_before_unlisten_is_heard(binary):
    """A notification that was acknowledged to its sender reaches a listener that then says UNLISTEN."""
    BINARY[:] = [binary]
    with served() as server:
        listener, sender = connect(server.address), connect(server.address)
        for i in range(300):
            done(listener, "listen q")
            done(sender, f"notify q, '{i}'")
            assert f'NotificationResponse ? "q" "{i}"' in done(listener, "unlisten q"), i


CHECKS = [a_thousand_sessions_listen, a_listener_in_a_transaction_keeps_the_queue, a_listener_that_does_not_read,
          what_was_sent_before_unlisten_is_heard]

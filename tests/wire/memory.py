"""Statements that want much memory: it returns while their session lives on, and there is a limit to what one may take."""
import struct

import protocol
from probes import assert_memory, assert_memory_returns, connect, done, measurable, resident_kb, value

MEGABYTE_KB = 1024


def returns_after(address, pid, *statements, limit_kb=48 * MEGABYTE_KB):
    session = connect(address)
    done(session, "select 1")
    before_kb = resident_kb(pid)
    for statement in statements:
        done(session, statement)
    assert_memory_returns(pid, before_kb, limit_kb)
    assert value(session, "select 1") == "1"
    session.close()


def memory_returns_after_a_sort(address, pid):
    returns_after(address, pid, "select count(*) from (select i from generate_series(1, 1000000) i order by -i offset 1) s")


def memory_returns_after_a_hash_join(address, pid):
    returns_after(
        address, pid, "select count(*) from generate_series(1, 500000) a(i) join generate_series(1, 500000) b(i) using (i)"
    )


def memory_returns_after_an_aggregate(address, pid):
    returns_after(
        address,
        pid,
        "select count(*) from (select i, min(i::text) from generate_series(1, 500000) i group by i) s",
        "select length(string_agg(i::text, ',')), cardinality(array_agg(i)) from generate_series(1, 1000000) i",
    )


def memory_returns_after_a_huge_value(address, pid):
    returns_after(address, pid, "select length(repeat('x', 200000000))", "select length(repeat('\u00e9', 20000000) || 'x')")
    session = connect(address)
    before_kb = resident_kb(pid)
    got = done(session, "select repeat('x', 30000000)")
    assert any(len(m) > 30000000 for m in got)
    del got
    assert_memory_returns(pid, before_kb, 48 * MEGABYTE_KB)
    session.close()


def prepared_statements_of_one_message_share_its_text(address, pid):
    """Each of 4,000 kept the message's 250 kB."""
    session = connect(address)
    done(session, "select 1")
    before_kb = resident_kb(pid)
    one = "prepare p{0} as select {0}::int + 1 from pg_class where relname = $1"
    done(session, "; ".join(one.format(i) for i in range(4000)))
    assert value(session, "select count(*) from pg_prepared_statements") == "4000"
    assert_memory(pid, resident_kb(pid) - before_kb, 160 * MEGABYTE_KB)
    session.close()


def prepared_statements_that_ran_keep_little(address, pid):
    """Buffers of a thousand statements that have run twice would be some 500 kB each."""
    session = connect(address)
    done(session, "create temp table wire_prepared as select i a, i b, i::text c from generate_series(1, 100) i")
    before_kb = resident_kb(pid)
    query = "select count(*) c{0}, sum(x.a), x.c, x.a, y.b from wire_prepared x join wire_prepared y on x.a = y.b join wire_prepared z "
    query += "on z.c = y.c group by 3, 4, 5 order by 2, 3, 4"
    for i in range(1000):
        done(session, f"prepare p{i} as " + query.format(i))
    for _ in range(3):
        for i in range(1000):
            done(session, f"execute p{i}")
    assert_memory(pid, resident_kb(pid) - before_kb, 240 * MEGABYTE_KB)
    session.close()


def texts_that_differ_in_what_shapes_their_plans_are_kept_in_number(address, pid):
    """By LIMIT each is a plan of its own: a thousand for each of a thousand texts were kept."""
    session = connect(address)
    done(session, "create temp table wire_shapes as select i a from generate_series(1, 10) i")
    before_kb = resident_kb(pid)
    for text in range(20):
        for limit in range(1, 900):
            done(session, f"select a as c{text} from wire_shapes order by a limit {limit}")
    assert_memory(pid, resident_kb(pid) - before_kb, 40 * MEGABYTE_KB)
    session.close()


def memory_returns_after_a_huge_text(address, pid):
    """A statement of 8 MB, and a parameter of 30 MB."""
    session = connect(address)
    before_kb = resident_kb(pid)
    assert value(session, "select length('" + "y" * 8_000_000 + "')") == "8000000"
    big = b"z" * 30_000_000
    parse = protocol.message(b"P", b"\0select length($1::text)\0\0\0")
    bind = protocol.message(b"B", b"\0\0" + struct.pack(">HHI", 0, 1, len(big)) + big + b"\0\0")
    session.send(parse + bind + protocol.message(b"E", b"\0\0\0\0\0") + protocol.message(b"S"))
    got = [session.next() for _ in range(5)]
    assert 'DataRow "30000000"' in got, got
    assert_memory_returns(pid, before_kb, 48 * MEGABYTE_KB)
    session.close()


def memory_returns_after_a_dropped_table(address, pid):
    returns_after(
        address,
        pid,
        "create table wire_memory as select i, repeat('t', 200) as t from generate_series(1, 200000) i",
        "drop table wire_memory",
    )


def values_that_are_too_much_together_fail_their_statement(address, pid):
    """2 GB and more in one chunk of rows."""
    if not measurable(pid):
        return  # sanitizers have no such allocations
    session = connect(address)
    before_kb = resident_kb(pid)
    got = session.query("select count(length(repeat(i::text, 100000000))) from generate_series(1, 1000) i")
    assert got[-2].startswith('ErrorResponse ERROR 53200 "out of memory"'), got
    assert_memory_returns(pid, before_kb, 48 * MEGABYTE_KB)
    assert value(session, "select count(length(repeat(i::text, 100000))) from generate_series(1, 1000) i") == "1000"
    session.close()


CHECKS = [
    memory_returns_after_a_sort,
    memory_returns_after_a_hash_join,
    memory_returns_after_an_aggregate,
    memory_returns_after_a_huge_value,
    prepared_statements_of_one_message_share_its_text,
    prepared_statements_that_ran_keep_little,
    texts_that_differ_in_what_shapes_their_plans_are_kept_in_number,
    memory_returns_after_a_huge_text,
    memory_returns_after_a_dropped_table,
    values_that_are_too_much_together_fail_their_statement,
]

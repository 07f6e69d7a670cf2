"""Statements that want much memory: it returns while their session lives on, and there is a limit to what one may take."""
import struct

import protocol
from probes import assert_memory_returns, connect, done, measurable, resident_kb, value

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
    memory_returns_after_a_huge_text,
    memory_returns_after_a_dropped_table,
    values_that_are_too_much_together_fail_their_statement,
]

"""Definitions keep what they mention: while one session has dropped or changed an object and not committed, another defines
something that refers to it. The second must wait, and then see the object as it is; nothing may refer to what is gone."""
import threading

import psycopg

SETUP = """
drop schema if exists keeping cascade; drop schema if exists sc cascade; drop role if exists keeper; create schema keeping;
set search_path = keeping; create domain d as int; create type e as enum ('x', 'y'); create type c as (a int, b text); create sequence s; create schema sc;
create role keeper; create collation co from "C"; create function f(int) returns int language sql immutable as 'select 1';
create table base (a int primary key, b text, c int); insert into base values (1, 'x', 2);
create table plain (a int); create view v as select a from base
"""
GONE = "gone"  # the second session is refused
CASES = [  # what the first does, what the second does, what the second gets: GONE or what `select ... from made` answers
    ("drop domain d", "create table made (a d)", GONE),
    ("drop domain d", "create table made (a d[])", GONE),
    ("drop domain d", "alter table plain add column z d", GONE),
    ("drop domain d", "create view made as select 1::d as q", GONE),
    ("drop domain d", "create materialized view made as select 1::d as q", GONE),
    ("drop domain d", "create function made(d) returns int language sql as 'select 1'", GONE),
    ("drop domain d", "create type made as (a d)", GONE),
    ("drop domain d", "create domain made as d", GONE),
    ("drop domain d", "alter domain d add check (value < 9)", GONE),
    ("drop domain d", "comment on domain d is 'x'", GONE),
    ("drop domain d", "grant usage on type d to keeper", GONE),
    ("drop domain d", "drop domain d", GONE),
    ("drop type e", "create table made (a e)", GONE),
    ("drop type e", "create table made (a e[])", GONE),
    ("drop type e", "alter type e add value 'z'", GONE),
    ("drop type c", "create table made (a c)", GONE),
    ("drop type c", "create table made (a c[])", GONE),
    ("drop function f(int)", "create table made (a int default f(1))", GONE),
    ("drop function f(int)", "create table made (a int check (f(a) > 0))", GONE),
    ("drop function f(int)", "create table made (a int, b int generated always as (f(a)) stored)", GONE),
    ("drop function f(int)", "create view made as select f(1) x", GONE),
    ("drop function f(int)", "create index made on plain (f(a))", GONE),
    ("drop function f(int)", "alter domain d add check (f(value) > 0)", GONE),
    ("drop function f(int)", "comment on function f(int) is 'x'", GONE),
    ("drop function f(int)", "grant execute on function f(int) to keeper", GONE),
    ("drop sequence s", "create table made (a int default nextval('s'))", GONE),
    ("drop sequence s", "alter sequence s owned by plain.a", GONE),
    ("drop table base cascade", "create view made as select * from base", GONE),
    ("drop table base cascade", "create table made (like base)", GONE),
    ("drop table base cascade", "create table made () inherits (base)", GONE),
    ("drop table base cascade", "create table made (a int references base)", GONE),
    ("drop table base cascade", "create table made (a base)", GONE),
    ("drop table base cascade", "create function made(base) returns int language sql as 'select 1'", GONE),
    ("drop table base cascade", "comment on table base is 'x'", GONE),
    ("drop table base cascade", "drop table base", GONE),
    ("drop view v", "create view made as select * from v", GONE),
    ("drop schema sc", "create table sc.made (a int)", GONE),
    ("drop schema sc", "create function sc.made() returns int language sql as 'select 1'", GONE),
    ("drop schema sc", "create domain sc.made as int", GONE),
    ("drop schema sc", "create view sc.made as select 1 a", GONE),
    ("drop schema sc", "alter table plain set schema sc", GONE),
    ("drop role keeper", "alter table plain owner to keeper", GONE),
    ("drop role keeper", "grant select on plain to keeper", GONE),
    ("drop collation co", "create table made (a text collate co)", GONE),
    ("alter table base drop column b", "create view made as select * from base", [(1, 2)]),
    ("alter table base drop column b", "create materialized view made as select * from base", [(1, 2)]),
    ("alter table base drop column b", "create table made as select * from base", [(1, 2)]),
    ("alter table base drop column b", "create view made as select b from base", GONE),
    ("alter table base alter column b type int using 7", "create view made as select b from base", [(7,)]),
    ("alter table base rename column b to bb", "create view made as select * from base", [(1, "x", 2)]),
    ("alter table base drop constraint base_pkey", "create view made as select a, b from base group by a", GONE),
    ("alter table base drop constraint base_pkey", "create table made (a int references base)", GONE),
    ("create or replace view v as select a, c from base", "create view made as select * from v", [(1, 2)]),
    ("alter type c add attribute z int", "create table made (a c)", []),
    ("create table made (a d); insert into made values (5)", "alter domain d add check (value < 3)", GONE),
    # Two changes of one row of a system table: neither is lost.
    ("grant select on plain to keeper", "grant insert on plain to keeper; select has_table_privilege('keeper', 'plain', 'select')",
     [(True,)]),
    ("alter table plain rename to made", "grant insert on plain to keeper", GONE),
    ("truncate plain", "grant insert on plain to keeper; insert into plain values (1); table plain", [(1,)]),
    ("alter role keeper createdb", "alter role keeper createrole; select rolcreatedb, rolcreaterole from pg_roles where "
     "rolname = 'keeper'", [(True, True)]),
]
# What refers to nothing.
ORPHANS = """
select 'pg_depend', refclassid::regclass::text from pg_depend where refobjid >= 16384 and not exists (
  select from pg_class where oid = refobjid union all select from pg_type where oid = refobjid
  union all select from pg_proc where oid = refobjid union all select from pg_namespace where oid = refobjid
  union all select from pg_constraint where oid = refobjid union all select from pg_collation where oid = refobjid
  union all select from pg_trigger where oid = refobjid)
union all select 'pg_attribute', attname from pg_attribute where attrelid >= 16384 and not attisdropped and attnum > 0 and
  not exists (select from pg_type where oid = atttypid)
union all select 'pg_class', relname from pg_class where not exists (select from pg_namespace where oid = relnamespace)
union all select 'pg_class', relname from pg_class where not exists (select from pg_roles where oid = relowner)
union all select 'pg_type', typname from pg_type where not exists (select from pg_namespace where oid = typnamespace)
union all select 'pg_description', description from pg_description where objoid >= 16384 and not exists (
  select from pg_class where oid = objoid union all select from pg_type where oid = objoid
  union all select from pg_proc where oid = objoid)
union all select 'pg_enum', enumlabel from pg_enum where not exists (select from pg_type where oid = enumtypid)
"""


def answer(connection, sql):
    """The last statement's rows, or the error."""
    try:
        for statement in sql.split("; "):
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else None
    except psycopg.Error as error:
        return error


def check(connect, first, second, wanted):
    one, other, watch = (connect(autocommit=True) for _ in range(3))
    with one, other, watch:
        one.execute(SETUP)
        other.execute("set search_path = keeping")
        one.execute("begin")
        for statement in first.split("; "):
            one.execute(statement)
        answers = []
        thread = threading.Thread(target=lambda: answers.append(answer(other, second)))
        thread.start()
        pid, waits = other.info.backend_pid, False
        while thread.is_alive() and not waits:
            waits = bool(watch.execute("select from pg_locks where pid = %s and not granted", (pid,)).fetchall())
        one.execute("commit")
        thread.join()
        got = answers[0]
        if isinstance(got, psycopg.Error):
            serious = got.sqlstate is None or got.sqlstate.startswith("XX")
            ok = wanted == GONE and not serious
        else:
            if got is None and wanted != GONE:
                got = other.execute("table made").fetchall()
            ok = got == wanted
        complaints = [] if ok else [f"{first} | {second}: {got!r}, not {wanted!r}"]
        orphans = watch.execute(ORPHANS).fetchall()
        if orphans:
            complaints.append(f"{first} | {second}: refers to what is gone: {orphans}")
        return complaints


def run(connect):
    complaints = []
    for case in CASES:
        complaints += check(connect, *case)
    print(f"  {len(CASES)} definitions beside others of what they mention")
    return complaints

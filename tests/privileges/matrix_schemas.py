"""Statements of the privilege matrix (matrix.py) on objects of others: in a schema that its owner owns alone, and the other way round."""
from matrix_setup import EVERYBODY

# The schema is m_owner's, all that is in it m_maker's.
SETUP = """
create schema mo authorization m_owner;
grant usage on schema mo to public;
create table mo.t (id int primary key, a int, b text);
create table mo.r (id int references mo.t);
create index i on mo.t (a);
create view mo.v as select id, a from mo.t;
create materialized view mo.mv as select id from mo.t;
create sequence mo.s;
create foreign table mo.ft (a int) server m_server;
create table mo.p (a int) partition by range (a);
create table mo.p1 partition of mo.p for values from (0) to (10);
create type mo.e as enum ('x');
create type mo.c as (a int);
create type mo.g as range (subtype = int4);
create domain mo.d as int constraint positive check (value > 0);
create function mo.f (int) returns int language sql as 'select 1';
create procedure mo.pr () language plpgsql as 'begin end';
create aggregate mo.ag (int) (sfunc = int4pl, stype = int);
create operator mo.=#= (leftarg = int, rightarg = int, function = int4eq);
create operator family mo.of using btree;
create operator class mo.oc for type mo.c using btree as operator 3 = (record, record), function 1 btrecordcmp(record, record);
create collation mo.co (locale = 'C');
create conversion mo.cv for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
create statistics mo.st on a, b from mo.t;
create text search dictionary mo.td (template = simple);
create text search configuration mo.tc (copy = simple);
create text search parser mo.tp (start = prsd_start, gettoken = prsd_nexttoken, end = prsd_end, lextypes = prsd_lextype);
create text search template mo.tt (lexize = dsimple_lexize);
create function mo.tf () returns trigger language plpgsql as 'begin return new; end';
create trigger tg before insert on mo.t for each row execute function mo.tf();
create rule ru as on delete to mo.t do nothing;
create policy po on mo.t;
alter table mo.r owner to m_maker;
alter table mo.t owner to m_maker;
alter view mo.v owner to m_maker;
alter materialized view mo.mv owner to m_maker;
alter sequence mo.s owner to m_maker;
alter foreign table mo.ft owner to m_maker;
alter table mo.p owner to m_maker;
alter table mo.p1 owner to m_maker;
alter type mo.e owner to m_maker;
alter type mo.c owner to m_maker;
alter type mo.g owner to m_maker;
alter domain mo.d owner to m_maker;
alter function mo.f(int) owner to m_maker;
alter function mo.tf() owner to m_maker;
alter procedure mo.pr() owner to m_maker;
alter aggregate mo.ag(int) owner to m_maker;
alter operator mo.=#= (int, int) owner to m_maker;
alter operator class mo.oc using btree owner to m_maker;
alter operator family mo.of using btree owner to m_maker;
alter operator family mo.oc using btree owner to m_maker;
alter collation mo.co owner to m_maker;
alter conversion mo.cv owner to m_maker;
alter statistics mo.st owner to m_maker;
alter text search dictionary mo.td owner to m_maker;
alter text search configuration mo.tc owner to m_maker;
"""

OBJECTS = {
    "table": ("mo.t", "mo.p", "mo.p1", "mo.r"), "index": ("mo.i", "mo.t_pkey"), "view": ("mo.v",), "materialized view": ("mo.mv",), "sequence": ("mo.s",),
    "foreign table": ("mo.ft",), "type": ("mo.e", "mo.c", "mo.g", "mo.d"), "domain": ("mo.d",), "function": ("mo.f(int)", "mo.tf()"),
    "procedure": ("mo.pr()",), "routine": ("mo.f(int)", "mo.pr()"), "aggregate": ("mo.ag(int)",), "operator": ("mo.=#= (int, int)",),
    "operator class": ("mo.oc using btree",), "operator family": ("mo.of using btree", "mo.oc using btree"), "collation": ("mo.co",),
    "conversion": ("mo.cv",), "statistics": ("mo.st",), "text search dictionary": ("mo.td",), "text search configuration": ("mo.tc",),
    "text search parser": ("mo.tp",), "text search template": ("mo.tt",),
}
UNOWNED = ("text search parser", "text search template")


def statements():
    for kind, names in OBJECTS.items():
        for name in names:
            yield f"drop {kind} {name}"
            yield f"drop {kind} if exists {name} cascade"
            yield f"alter {kind} {name} rename to n"
            yield f"comment on {kind} {name} is 'x'"
            if kind != "index":
                yield f"alter {kind} {name} set schema public"
            if kind not in (*UNOWNED, "index"):
                yield f"alter {kind} {name} owner to m_owner"
                yield f"alter {kind} {name} owner to current_user"
    yield from """drop trigger tg on mo.t
drop rule ru on mo.t
drop policy po on mo.t
alter trigger tg on mo.t rename to n
alter rule ru on mo.t rename to n
alter policy po on mo.t rename to n
comment on trigger tg on mo.t is 'x'
comment on constraint t_pkey on mo.t is 'x'
comment on constraint positive on domain mo.d is 'x'
comment on column mo.t.a is 'x'
drop table mo.t, mo.r
drop table mo.r, mo.t cascade
drop table m.u, mo.r
drop table mo.r, m.rl
drop function mo.f(int), mo.f(int)
drop function mo.f(int), m.fn(int)
drop type mo.e, m.e
drop view mo.v, m.v
drop owned by m_maker
drop owned by m_owner cascade
drop schema mo
drop schema mo cascade
drop schema if exists mo, m_closed cascade
alter schema mo rename to n
alter schema mo owner to m_other
alter table mo.t add column n int
alter table mo.t drop column a
alter table mo.t drop constraint t_pkey cascade
alter table mo.t disable trigger tg
alter table mo.p detach partition mo.p1
alter index mo.i set (fillfactor = 50)
alter index mo.i set statistics 5
alter type mo.e add value 'y'
alter type mo.c add attribute n int
alter domain mo.d drop constraint positive
alter domain mo.d set default 1
alter function mo.f(int) strict
alter procedure mo.pr() security definer
alter operator mo.=#= (int, int) set (restrict = none)
alter operator family mo.of using btree add operator 1 < (int, int)
alter operator family mo.of using btree drop operator 1 (int, int)
alter collation mo.co refresh version
alter statistics mo.st set statistics 5
alter text search dictionary mo.td (accept = false)
alter text search configuration mo.tc drop mapping for asciiword
alter sequence mo.s restart
alter view mo.v alter a set default 1
alter materialized view mo.mv set (fillfactor = 50)
create or replace view mo.v as select id, a from m.t
create or replace function mo.f(int) returns int language sql as 'select 2'
create or replace procedure mo.pr() language plpgsql as 'begin end'
create or replace aggregate mo.ag (int) (sfunc = int4mul, stype = int)
create or replace rule ru as on delete to mo.t do nothing
create or replace trigger tg before insert on mo.t for each row execute function mo.tf()
create or replace trigger n before insert on mo.t for each row execute function mo.tf()
create table mo.n (a int)
create table if not exists mo.t (a int)
create index on mo.t (a)
create index if not exists i on mo.t (a)
create policy n on mo.t
create statistics mo.n on a, b from mo.t
create operator class mo.n for type int using btree family mo.of as operator 1 <, function 1 btint4cmp(int, int)
create table m.n (primary key (id)) inherits (mo.t)
create table m.n partition of mo.p for values from (20) to (30)
create table m.n (like mo.t including all)
create table m.n of mo.c
create table m.n (id int references mo.t)
create function m.n() returns mo.c language sql as 'select null::mo.c'
create cast (mo.c as text) with inout
create cast (mo.c as mo.g) with function mo.f(int)
create operator m.=#= (leftarg = mo.c, rightarg = mo.c, function = record_eq)
create aggregate m.n (mo.c) (sfunc = mo.f, stype = int)
truncate mo.r
select 1 from mo.t
insert into mo.t values (1)
grant select on mo.t to m_public
grant select on all tables in schema mo to m_public
revoke all on mo.t from m_maker
refresh materialized view mo.mv
reindex schema mo
reindex index mo.i
analyze mo.t
cluster mo.t using i
lock table mo.t
select mo.f(1)
call mo.pr()""".split("\n")


KINDS = {
    "objects of others": (EVERYBODY + [("m_maker", ""), ("m_maker", "grant create on schema mo to m_maker"), ("m_grantee", "grant all on schema mo to m_grantee"),
                                       ("m_grantee", "grant m_maker to m_grantee"), ("m_owner", "grant m_maker to m_owner"),
                                       ("m_maker", "alter schema mo owner to m_super"), ("m_maker", "grant m_owner to m_maker")],
                          "\n".join(statements())),
}

"""Statements of the privilege matrix (matrix.py) on routines, triggers, rules, large objects, inheritance and default privileges."""

from matrix_setup import EVERYBODY, grants

CLOSED = ("revoke execute on all routines in schema m from public",)


def routine_contexts():
    made = []
    for who in ("m_owner", "m_member", "m_stranger", "m_public", "m_super", "m_createrole"):
        made.append((who, CLOSED[0]))
    for routine in ("function m.fn(int), m.pl(int), m.sd(), m.si(), m.ps(), m.tf(), m.ag(int)", "procedure m.pr(), m.pd()"):
        made.append(("m_grantee", f"{CLOSED[0]}; grant execute on {routine} to m_grantee"))
        made.append(("m_grantee", f"{CLOSED[0]}; grant execute on {routine} to m_grantee with grant option"))
        made.append(("m_public", f"{CLOSED[0]}; grant execute on {routine} to public"))
    return EVERYBODY + made


KINDS = {
    "routine": (routine_contexts(), """
select m.fn(1)
select m.pl(1)
select m.sd()
select m.si()
select * from m.ps()
select m.ag(g) from generate_series(1, 3) g
select m.ag(g) over () from generate_series(1, 3) g
select 1 from generate_series(1, 3) g where m.pl(g) > 1
select g from generate_series(1, 3) g order by m.fn(g)
select g from generate_series(1, 3) g group by g having m.pl(g) > 1
select array(select m.fn(1))
values (m.fn(1))
explain select m.pl(1)
deallocate all; prepare p (int) as select $1; execute p(m.pl(1))
call m.pr()
call m.pd()
do $$ declare x int; begin x := m.pl(1); end $$
do $$ begin perform m.fn(1); end $$
do $$ begin call m.pr(); end $$
do $$ begin if m.pl(1) > 1 then null; end if; end $$
create temp table n (a int default m.pl(1)); insert into n values (default)
create temp table n (a int check (m.pl(a) > 0)); insert into n values (1)
create temp table n (a int, b int generated always as (m.fn(a)) stored)
create temp table n (a int); insert into n values (1); alter table n add check (m.pl(a) > 0)
create temp table n (a int); insert into n values (1); alter table n alter a type int using m.pl(a)
create temp table n as select m.pl(1)
create temp view n as select m.pl(1); select * from n
create domain pg_temp.n as int check (m.pl(value) > 0); select 1::pg_temp.n
create temp table n (a int); create trigger x before insert on n for each row execute function m.tf()
create function pg_temp.n() returns int language sql as 'select m.pl(1)'
create aggregate pg_temp.n (int) (sfunc = m.ag, stype = int)
create operator pg_temp.+++ (leftarg = int, function = m.fn)
create cast (int as m.e) with function m.fn(int)
alter function m.fn(int) rename to x
alter function m.fn(int) owner to m_other
alter function m.fn(int) set schema public
alter function m.fn(int) security definer
alter function m.fn(int) leakproof
alter function m.fn(int) cost 3
alter function m.fn(int) set work_mem = '1MB'
alter function m.fn(int) set log_statement = 'all'
alter procedure m.pr() owner to m_other
alter routine m.pr() rename to x
alter aggregate m.ag(int) owner to m_other
alter aggregate m.ag(int) rename to x
create or replace function m.fn(int) returns int language sql as 'select 2'
create or replace procedure m.pr() language sql as 'select 1'
drop function m.fn(int)
drop procedure m.pr()
drop routine m.pl(int)
drop aggregate m.ag(int)
comment on function m.fn(int) is 'x'
comment on procedure m.pr() is 'x'
comment on aggregate m.ag(int) is 'x'
grant execute on function m.fn(int) to m_other
grant execute on procedure m.pr() to m_other
grant execute on all functions in schema m to m_other
revoke execute on function m.fn(int) from m_other
alter operator m.=#=(int, int) owner to m_other
alter operator m.=#=(int, int) set schema public
alter operator m.=#=(int, int) set (restrict = eqsel)
drop operator m.=#=(int, int)
comment on operator m.=#=(int, int) is 'x'
alter operator family m.of using btree owner to m_other
alter operator family m.of using btree rename to x
alter operator family m.of using btree add operator 1 < (int, int)
drop operator family m.of using btree
"""),
    "view over a function": (EVERYBODY + [("m_grantee", "grant select on m.vf to m_grantee"),
                                          ("m_grantee", f"{CLOSED[0]}; grant select on m.vf to m_grantee"),
                                          ("m_grantee", f"{CLOSED[0]}; grant select on m.vf to m_grantee;"
                                                        " grant execute on function m.fn(int) to m_grantee"),
                                          ("m_owner", CLOSED[0])], """
select x from m.vf
select count(*) from m.vf
select 1 from m.vf where x > 0
"""),
    "rules": (grants("m.rt", ("select", "insert", "update", "delete"))
              + [("m_grantee", "grant insert on m.vr to m_grantee"), ("m_grantee", "grant all on m.vr to m_grantee"),
                 ("m_grantee", "grant all on m.rt, m.rl to m_grantee")], """
delete from m.rt
delete from m.rt where id = 1
insert into m.rt values (2, 2)
insert into m.rt values (2, 2) returning id
select * from m.rl
insert into m.vr values (60)
insert into m.vr values (60) returning id
update m.vr set id = 61 where id = 60
delete from m.vr where id = 60
create rule x as on update to m.rt do nothing
create or replace rule ra as on insert to m.rt do nothing
alter rule ra on m.rt rename to x
drop rule ra on m.rt
comment on rule ra on m.rt is 'x'
alter table m.rt disable rule ra
"""),
    "triggers": (grants("m.tt", ("select", "insert", "update", "delete", "trigger", "references"))
                 + [("m_grantee", "grant all on m.tt to m_grantee; revoke execute on all functions in schema m from public"),
                    ("m_grantee", "grant all on m.tt, m.tl to m_grantee"),
                    ("m_grantee", "grant trigger on m.t to m_grantee; revoke execute on all functions in schema m from public")], """
insert into m.tt values (2, 2)
update m.tt set a = 3
update m.tt set a = 3 where id = 99
create trigger x before insert on m.tt for each row execute function m.tf()
create trigger x after insert on m.t for each statement execute function m.tf()
create or replace trigger td before insert on m.tt for each row execute function m.tf()
create constraint trigger x after insert on m.tt deferrable for each row execute function m.tf()
alter trigger td on m.tt rename to x
drop trigger td on m.tt
comment on trigger td on m.tt is 'x'
alter table m.tt disable trigger td
alter table m.tt disable trigger all
alter table m.tt disable trigger user
create temp table n (a int references m.tt)
"""),
    "inheritance": (grants("m.ip", ("select", "insert", "update", "delete", "truncate"), [("select", "a"), ("update", "a")])
                    + [("m_grantee", "grant all on m.ic to m_grantee")], """
select a from m.ip
select * from m.ip
select a from only m.ip
select a from m.ic
select b from m.ic
update m.ip set a = 5
update m.ic set a = 5
delete from m.ip
delete from m.ic
truncate m.ip
truncate only m.ip
lock table m.ip in access share mode
copy m.ip to stdout
create table m.in () inherits (m.ip)
create temp table n () inherits (m.ip)
alter table m.ic no inherit m.ip
alter table m.ip add column z int
"""),
    "column privileges": (grants("m.t", (), [("select", "id"), ("select", "id, a"), ("insert", "id"), ("insert", "id, a"), ("update", "a"), ("references", "id, a")])
                          + [("m_grantee", "grant select (id), insert (id), update (a) on m.t to m_grantee"),
                             ("m_grantee", "grant select (id, a), insert (id, a), update (a) on m.t to m_grantee"),
                             ("m_grantee", "grant select (id) on m.t to m_grantee with grant option"),
                             ("m_grantee", "grant all (id, a, b, f) on m.t to m_grantee")], """
insert into m.t (id) values (70) returning id
insert into m.t (id) values (70) returning a
insert into m.t (id) values (70) returning *
insert into m.t (id) values (70) returning t
insert into m.t (id) values (1) on conflict (id) do nothing
insert into m.t (id) values (1) on conflict on constraint t_pkey do nothing
insert into m.t (id) values (1) on conflict (id) do update set a = excluded.a
insert into m.t (id) values (1) on conflict (id) do update set a = 1 where t.a > 0
insert into m.t (id) values (1) on conflict (id) do update set a = 1 returning id
update m.t set a = 1 returning id
update m.t set a = 1 returning t.*
update m.t set (a) = row(1)
update m.t set a = default
update m.t set a = (select 1)
update m.t set a = x.id from m.t x where x.id = t.id
delete from m.t using m.t x where x.id = t.id
merge into m.t using (values (1)) v (x) on id = x when matched then update set a = 1
merge into m.t using (values (1)) v (x) on id = x when matched and a > 0 then update set a = 1
merge into m.t using (values (80)) v (x) on id = x when not matched then insert (id) values (x)
merge into m.t using (values (80)) v (x) on id = x when not matched then insert values (x)
merge into m.t using (values (1)) v (x) on id = x when matched then do nothing
merge into m.t using (values (1)) v (x) on true when matched then do nothing
merge into m.u using m.t on t.id = u.id when matched then do nothing
select id from m.t order by a
select id from m.t group by id having max(a) > 0
select count(a) filter (where id > 0) from m.t
select sum(id) over (partition by a) from m.t
select x.id from m.t x join m.t y using (id)
select x.id from m.t x natural join m.t y
select id from m.t tablesample system (100)
select t.* from m.t
select (t).id from m.t
select row_to_json(t) from m.t
select id from m.t for no key update
select xmin from m.t
select tableoid from m.t
select id from m.t where exists (select a from m.u where u.id = t.id)
with x as (update m.t set a = 1 returning id) select * from x
copy m.t (id) to stdout
copy m.t (id, a) to stdout
copy m.t (id, b) to stdout
create temp table n (x int references m.t (id))
create temp table n (x int references m.t)
grant select (id) on m.t to m_other
grant select (a) on m.t to m_other
grant select on m.t to m_other
revoke select (id) on m.t from m_other
select 1 / has_column_privilege('m.t', 'id', 'select')::int
select 1 / has_any_column_privilege('m.t', 'update')::int
"""),
    "large object": (grants("large object 7777", ("select", "update")), """
select lo_get(7777)
select lo_put(7777, 0, 'x')
select lo_unlink(7777)
select lo_open(7777, x'40000'::int)
select lo_open(7777, x'20000'::int)
select lo_create(0) > 0
select lo_from_bytea(0, 'x') > 0
select loread(lo_open(7777, x'40000'::int), 3)
select lowrite(lo_open(7777, x'20000'::int), 'x')
select lo_truncate(lo_open(7777, x'20000'::int), 1)
alter large object 7777 owner to m_other
comment on large object 7777 is 'x'
grant select on large object 7777 to m_other
revoke select on large object 7777 from m_other
set local lo_compat_privileges = on
select 1 from pg_largeobject limit 1
"""),
    "default privileges": (EVERYBODY + [("m_grantee", "grant m_owner to m_grantee"),
                                        ("m_owner", "set local role m_owner; alter default privileges grant select on tables to m_grantee;"
                                                    " create table m.dp (a int); reset role"),
                                        ("m_grantee", "set local role m_owner; alter default privileges in schema m grant select on tables to m_grantee;"
                                                      " create table m.dp (a int); reset role"),
                                        ("m_public", "set local role m_owner; alter default privileges revoke execute on functions from public;"
                                                     " create function m.dp() returns int language sql as 'select 1'; reset role"),
                                        ("m_grantee", "set local role m_owner; alter default privileges grant usage on sequences to m_grantee;"
                                                      " create sequence m.dp; reset role")], """
alter default privileges grant select on tables to m_other
alter default privileges for role m_owner grant select on tables to m_other
alter default privileges for role m_owner in schema m grant select on tables to m_other
alter default privileges for role m_victim grant select on tables to m_other
alter default privileges in schema m revoke execute on functions from public
alter default privileges for role current_user grant all on schemas to m_other
select a from m.dp
insert into m.dp values (1)
select m.dp()
select nextval('m.dp')
"""),
}

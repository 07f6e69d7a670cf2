"""Statements of the privilege matrix (matrix.py) on tables, views and sequences."""

from matrix_setup import COLUMNS, TABLE_PRIVILEGES, grants

KINDS = {
    "table": (grants("m.t", TABLE_PRIVILEGES, COLUMNS), """
select 1 from m.t
select count(*) from m.t
select a from m.t
select b from m.t
select * from m.t
select t from m.t
select id from m.t where a = 1
select ctid from m.t
select a from m.t for update
select a from m.t for share
select 1 from m.u join m.t on t.id = u.t
with x as (select a from m.t) select * from x
select (select a from m.t limit 1)
insert into m.t (id) values (9)
insert into m.t (a, id) values (9, 9)
insert into m.t (a) values (9)
insert into m.t values (9, 9, 'x', 9)
insert into m.t (id) values (9) returning id
insert into m.t (id) values (1) on conflict do nothing
insert into m.t (id) values (1) on conflict (id) do nothing
insert into m.t (id, a) values (1, 1) on conflict (id) do update set a = 2
insert into m.t (id, a) values (1, 1) on conflict (id) do update set a = excluded.a where t.b = 'x'
insert into m.t (id) select 9 from m.t
update m.t set a = 1
update m.t set b = 'x'
update m.t set a = a + 1
update m.t set a = 1 where id = 1
update m.t set a = 1 returning a
update m.t set a = u.id from m.u where u.t = m.t.id
delete from m.t
delete from m.t where id = 7
delete from m.t where b = 'x'
delete from m.t returning *
merge into m.t using (values (1, 5)) x (i, j) on id = i when matched then update set a = j
merge into m.t using (values (1, 5)) x (i, j) on id = i when matched then delete
merge into m.t using (values (9, 5)) x (i, j) on id = i when not matched then insert (id, a) values (i, j)
truncate m.t
truncate m.t cascade
lock table m.t in access share mode
lock table m.t in row share mode
lock table m.t in row exclusive mode
lock table m.t in share mode
lock table m.t
copy m.t to stdout
copy m.t (a) to stdout
copy (select b from m.t) to stdout
explain (costs off) select a from m.t
explain (costs off) delete from m.t
declare k cursor for select a from m.t
create temp table x as select a from m.t
create temp table x (like m.t)
create temp table x (y int references m.t)
create temp view x as select a from m.t
alter table m.t add column z int
alter table m.t drop column b
alter table m.t alter column a set not null
alter table m.t alter column a type bigint
alter table m.t alter column a set default 7
alter table m.t alter column a set statistics 10
alter table m.t add check (a > 0)
alter table m.t add constraint y unique (a)
alter table m.t rename to t2
alter table m.t rename column a to a2
alter table m.t set schema public
alter table m.t set (fillfactor = 50)
alter table m.t owner to m_other
alter table m.t owner to current_user
alter table m.t enable row level security
alter table m.t force row level security
alter table m.t cluster on t_pkey
alter table m.t drop constraint t_pkey cascade
alter table if exists m.t add column if not exists a int
create index on m.t (b)
create unique index on m.t (a)
drop index m.t_a
alter index m.t_a rename to t_b
alter index m.t_a set (fillfactor = 50)
reindex table m.t
reindex index m.t_a
cluster m.t using t_a
analyze m.t
comment on table m.t is 'x'
comment on column m.t.a is 'x'
comment on index m.t_a is 'x'
drop table m.t
drop table m.t cascade
drop table if exists m.t cascade
drop view m.t
grant select on m.t to m_other
grant insert on m.t to m_other
grant update (a) on m.t to m_other
grant select (a) on m.t to m_other
grant all on m.t to m_other
grant select on m.t to m_other with grant option
revoke select on m.t from m_other
revoke all on m.t from public
grant select on all tables in schema m to m_other
select has_table_privilege('m.t', 'select') and 1 / (has_table_privilege('m.t', 'select')::int) = 1
create policy p on m.t
create statistics m.st on a, f from m.t
"""),
    "view": (grants("m.v", ("select", "insert", "update", "delete", "trigger"), [("select", "a"), ("update", "a")]), """
select a from m.v
select * from m.v
select count(*) from m.v
select a from m.v for update
insert into m.v (id, a) values (9, 9)
insert into m.v (id, a) values (9, 9) returning b
update m.v set a = 5
update m.v set a = 5 where b = 'x'
delete from m.v
delete from m.v where a = 1
truncate m.v
lock table m.v in access share mode
copy m.v to stdout
copy (select a from m.v) to stdout
create or replace view m.v as select id, a, b from m.t
alter view m.v rename to v2
alter view m.v alter column a set default 3
alter view m.v set (security_barrier)
alter view m.v owner to m_other
alter view m.v set schema public
drop view m.v
comment on view m.v is 'x'
grant select on m.v to m_other
revoke select on m.v from m_other
refresh materialized view m.v
"""),
    "invoker view": (grants("m.w", ("select", "insert", "update", "delete"))
                     + [("m_grantee", "grant select on m.w, m.t to m_grantee"),
                        ("m_grantee", "grant select, update on m.w, m.t to m_grantee"),
                        ("m_grantee", "grant all on m.t to m_grantee")], """
select a from m.w
insert into m.w (id, a) values (9, 9)
update m.w set a = 5
delete from m.w
"""),
    "materialized view": (grants("m.mv", ("select", "insert", "update")), """
select a from m.mv
insert into m.mv values (1, 1)
lock table m.mv in access share mode
refresh materialized view m.mv
alter materialized view m.mv rename to mv2
alter materialized view m.mv owner to m_other
create index on m.mv (a)
drop materialized view m.mv
comment on materialized view m.mv is 'x'
grant select on m.mv to m_other
"""),
    "sequence": (grants("m.q", ("usage", "select", "update")), """
select nextval('m.q')
select currval('m.q')
select setval('m.q', 5)
select lastval()
select * from m.q
select last_value from m.q
select pg_sequence_last_value('m.q'::regclass)
alter sequence m.q restart
alter sequence m.q increment 2
alter sequence m.q owned by m.t.a
alter sequence m.q rename to q2
alter sequence m.q owner to m_other
alter sequence m.q set schema public
drop sequence m.q
comment on sequence m.q is 'x'
grant usage on sequence m.q to m_other
grant select on m.q to m_other
create temp table x (a int default nextval('m.q'))
insert into m.u (id) values (7)
lock table m.q
"""),
}

"""More kinds of objects of the matrix (matrix.py): partitioned tables, row security, languages and parameters."""


def kinds(grants, everybody):
    return {
    "partitioned table": (grants("m.pt", ("select", "insert", "update", "delete", "truncate"), [("select", "a"), ("update", "a")])
                          + [("m_grantee", "grant select on m.pt1 to m_grantee"),
                             ("m_grantee", "grant all on m.pt1, m.pt2 to m_grantee")], """
select a from m.pt
select b from m.pt
select a from m.pt1
select a from m.pt for update
insert into m.pt values (2, 2, 'x')
insert into m.pt values (99, 2, 'x')
insert into m.pt1 values (2, 2, 'x')
insert into m.pt values (1, 2, 'x') on conflict (id) do update set a = 5
update m.pt set a = 5
update m.pt set id = id + 10 where id = 1
update m.pt set b = 'x' where a = 1
delete from m.pt
delete from m.pt1
delete from m.pt where a = 1
merge into m.pt using (values (1, 5)) x (i, j) on id = i when matched then update set a = j
truncate m.pt
truncate m.pt1
lock table m.pt
copy m.pt to stdout
copy m.pt1 to stdout
analyze m.pt
create table m.pt3 partition of m.pt for values from (20) to (30)
alter table m.pt detach partition m.pt1
alter table m.pt attach partition m.t for values from (20) to (30)
alter table m.pt add column z int
alter table m.pt enable row level security
create policy p on m.pt
create policy p on m.pt1
create index on m.pt (a)
drop table m.pt
drop table m.pt1
grant select on m.pt to m_other
comment on table m.pt is 'x'
"""),
    # What a role sees is told by a division by zero.
    "row security": (grants("m.rs", ("select", "insert", "update", "delete", "truncate", "references"),
                            [("select", "id, a"), ("update", "a")])
                     + [("m_public", "grant all on m.rs to public"),
                        ("m_grantee", "alter table m.rs force row level security"),
                        ("m_owner", "alter table m.rs force row level security"),
                        ("m_member", "alter table m.rs force row level security"),
                        ("m_super", "alter table m.rs force row level security"),
                        ("m_grantee", "grant all on m.rs to m_grantee; alter role m_grantee bypassrls"),
                        ("m_grantee", "grant all on m.rs to m_grantee; set local row_security = off"),
                        ("m_owner", "set local row_security = off"),
                        ("m_grantee", "grant all on m.rv, m.rw to m_grantee"),
                        ("m_grantee", "grant all on m.rv, m.rw, m.rs to m_grantee")], """
select 1 / (count(*) - 0) from m.rs
select 1 / (count(*) - 1) from m.rs
select 1 / (count(*) - 2) from m.rs
select 1 / (count(*) - 3) from m.rs
select 1 / (count(*) - 1) from (select 1 from m.rs for update) x
select 1 / (count(*) - 1) from (select 1 from m.rs for key share) x
select 1 / (max(a) - 1) from m.rs
select 1 / (count(*) - 1) from m.rv
select 1 / (count(*) - 3) from m.rv
select 1 / (count(*) - 1) from m.rw
select 1 / (count(*) - 2) from m.rw
insert into m.rs values (9, 1, 'x')
insert into m.rs values (9, 1, 'x', 'nobody')
insert into m.rs values (9, 1, 'x') returning id
insert into m.rs values (9, 5, 'x') returning a
insert into m.rs values (1, 1, 'x') on conflict do nothing
insert into m.rs values (2, 1, 'x') on conflict (id) do update set a = 5
insert into m.rs values (1, 1, 'x') on conflict (id) do update set a = 5
insert into m.rv values (9, 1, 'm_owner')
insert into m.rw values (9, 1, 'm_owner')
with x as (update m.rs set a = 5 returning 1) select 1 / (count(*) - 1) from x
with x as (update m.rs set b = 'x' where id = 2 returning 1) select 1 / (count(*) - 1) from x
update m.rs set a = 50
update m.rs set a = 50 where id = 1
update m.rs set who = 'nobody' where id = 1
update m.rs set a = 5
update m.rv set a = 5
update m.rw set a = 50
with x as (delete from m.rs returning 1) select 1 / (count(*) - 1) from x
with x as (delete from m.rs where id > 1 returning 1) select 1 / (count(*) - 0) from x
delete from m.rs
merge into m.rs using (values (1, 5)) x (i, j) on id = i when matched then update set a = j
merge into m.rs using (values (2, 5)) x (i, j) on id = i when matched then update set a = j
merge into m.rs using (values (1, 5)) x (i, j) on id = i when matched then delete
merge into m.rs using (values (9, 5)) x (i, j) on id = i when not matched then insert (id, a, who) values (i, j, 'nobody')
truncate m.rs
copy m.rs to stdout
select 1 / row_security_active('m.rs')::int
create temp table x (y int references m.rs)
create policy p on m.rs
create policy seen on m.rs
alter policy seen on m.rs using (false)
alter policy seen on m.rs rename to p
drop policy seen on m.rs
drop policy if exists missing on m.rs
comment on policy seen on m.rs is 'x'
alter table m.rs disable row level security
alter table m.rs no force row level security
"""),
    "language": (everybody + [("m_grantee", "grant usage on language plpgsql to m_grantee with grant option"),
                              ("m_grantee", "revoke usage on language plpgsql from public"),
                              ("m_grantee", "revoke usage on language plpgsql from public; grant usage on language plpgsql to m_grantee")], """
create function pg_temp.n() returns int language plpgsql as 'begin return 1; end'
do language plpgsql 'begin null; end'
grant usage on language plpgsql to m_other
revoke usage on language plpgsql from m_other
grant usage on language c to m_other
"""),
    "parameter": (everybody + [("m_grantee", "grant set on parameter log_statement to m_grantee"),
                               ("m_grantee", "grant set on parameter log_statement to m_grantee with grant option"),
                               ("m_grantee", "grant alter system on parameter log_statement to m_grantee with grant option"),
                               ("m_public", "grant set on parameter log_statement to public")], """
set local log_statement = 'none'
reset log_statement
select set_config('log_statement', 'none', true)
select 1 / has_parameter_privilege('log_statement', 'set')::int
grant set on parameter log_statement to m_other
revoke set on parameter log_statement from m_other
grant all on parameter log_statement to m_other
alter role current_user set log_statement = 'none'
grant create on tablespace pg_default to m_other
"""),
    }

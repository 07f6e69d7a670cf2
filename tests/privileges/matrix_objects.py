"""Statements of the privilege matrix (matrix.py) on schemas, databases, types, roles, settings, functions."""

from matrix_setup import EVERYBODY, grants

KINDS = {
    "schema": (grants("schema m_closed", ("usage", "create"))
               + [("m_grantee", "grant usage on schema m_closed to m_grantee; grant all on m_closed.t, m_closed.q to m_grantee"),
                  ("m_grantee", "grant all on m_closed.t, m_closed.q to m_grantee")], """
select a from m_closed.t
insert into m_closed.t values (1, 1)
select * from m_closed.missing
select m_closed.missing(1)
select 'x'::m_closed.e
select 'x'::m_closed.missing
drop table m_closed.t
drop table if exists m_closed.missing
alter table m_closed.t add z int
create table m_closed.n (a int)
create view m_closed.n as select 1 as a
create sequence m_closed.n
create type m_closed.n as enum ('a')
create type m_closed.n as (a int)
create domain m_closed.n as int
create collation m_closed.n (locale = 'C')
create materialized view m_closed.n as select 1 as a
create table m_closed.n as select 1 as a
select 1 as a into m_closed.n
create index on m_closed.t (a)
create temp table x (a m_closed.e)
alter schema m_closed rename to m_open
alter schema m_closed owner to m_other
drop schema m_closed
drop schema m_closed cascade
comment on schema m_closed is 'x'
grant usage on schema m_closed to m_other
revoke create on schema m_closed from public
grant select on all tables in schema m_closed to m_other
alter table m.t set schema m_closed
comment on table m_closed.t is 'x'
analyze m_closed.t
copy m_closed.t to stdout
begin; lock table m_closed.t
set local search_path = m_closed; select a from t
set local search_path = m_closed; create table n (a int)
set local search_path = m_closed, m; select current_schema() = 'm' and 1 / (current_schema() = 'm')::int = 1
alter default privileges in schema m_closed grant select on tables to m_other
"""),
    "public schema": (EVERYBODY + [("m_grantee", "grant create on schema public to m_grantee")], """
create table public.n (a int)
create view n as select 1
create sequence public.n
create type public.n as enum ('a')
create temp table n (a int)
create schema n
create schema n authorization m_owner
create schema authorization m_other
drop schema public
alter schema public owner to m_other
comment on schema public is 'x'
grant usage on schema public to m_other
"""),
    "database": (EVERYBODY + [("m_grantee", "grant create on database {db} to m_grantee"),
                              ("m_public", "revoke temp on database {db} from public"),
                              ("m_grantee", "revoke temp on database {db} from public; grant temp on database {db} to m_grantee"),
                              ("m_owner", "revoke temp on database {db} from public")], """
create temp table n (a int)
create temp sequence n
create temp view n as select 1
create temp table n as select 1 as a
create schema n
alter database {db} set work_mem = '1MB'
alter database {db} rename to n
alter database {db} owner to m_other
alter database {db} connection limit 3
comment on database {db} is 'x'
grant connect on database {db} to m_other
revoke temp on database {db} from public
"""),
    "type": (EVERYBODY + [(who, f"revoke usage on type m.{t} from public; grant {g}")
                          for t in ("e", "c", "d")
                          for who, g in (("m_public", "usage on schema m to public"),
                                         ("m_grantee", f"usage on type m.{t} to m_grantee"),
                                         ("m_grantee", f"usage on type m.{t} to m_grantee with grant option"),
                                         ("m_owner", "usage on schema m to public"))], """
create temp table n (x m.e)
create temp table n (x m.e[])
create temp table n (x m.c)
create temp table n (x m.d)
create temp table n as select 'x'::m.e as x
create domain pg_temp.n as m.e
create domain pg_temp.n as m.d
create type pg_temp.n as (x m.e)
create temp view n as select 'x'::m.e as x
select 'x'::m.e
select row(1, 'x')::m.c
select 5::m.d
alter type m.e add value 'z'
alter type m.e rename value 'x' to 'w'
alter type m.e rename to e2
alter type m.e owner to m_other
alter type m.e set schema public
alter type m.c add attribute h int
alter domain m.d drop not null
alter domain m.d set default 3
alter domain m.d rename to d2
alter domain m.d owner to m_other
drop type m.e
drop type m.c
drop domain m.d
comment on type m.e is 'x'
comment on domain m.d is 'x'
grant usage on type m.e to m_other
grant usage on domain m.d to m_other
revoke usage on type m.e from public
create temp table n (x int); alter table n add y m.e
create temp table n (x int); alter table n alter x type m.e using 'x'
"""),
    "collation": (EVERYBODY, """
select 'a' < 'b' collate m.coll
alter collation m.coll rename to coll2
alter collation m.coll owner to m_other
alter collation m.coll set schema public
drop collation m.coll
comment on collation m.coll is 'x'
"""),
    "role": (EVERYBODY + [("m_grantee", "grant m_other to m_grantee"),
                          ("m_grantee", "grant m_other to m_grantee with admin option"),
                          ("m_grantee", "grant m_victim to m_grantee with admin option"),
                          ("m_grantee", "grant m_createrole to m_grantee")], """
create role n
create role n login password 'x'
create role n superuser
create role n replication
create role n bypassrls
create role n createrole
create role n createdb
create role n in role m_other
create role n in role m_victim
create role n in role m_super
create role n role m_other
create role n role m_victim
create role n admin m_other
create role n in role pg_monitor
create role n in role pg_execute_server_program
create role pg_n
create user n
create group n
alter role m_other nologin
alter role m_other superuser
alter role m_other nosuperuser
alter role m_other replication
alter role m_other bypassrls
alter role m_other createrole
alter role m_other createdb
alter role m_other connection limit 3
alter role m_other valid until '2030-01-01'
alter role m_other password 'x'
alter role m_other rename to n
alter role m_other set work_mem = '1MB'
alter role m_other set log_statement = 'all'
alter role m_other set role = 'm_victim'
alter role m_other reset all
alter role m_victim nologin
alter role m_victim nosuperuser
alter role m_victim password 'x'
alter role m_victim rename to n
alter role m_victim set work_mem = '1MB'
alter role m_victim connection limit 3
alter role current_user password 'x'
alter role current_user superuser
alter role current_user createdb
alter role current_user set work_mem = '1MB'
alter role current_user set log_statement = 'all'
alter role all set work_mem = '1MB'
alter role pg_monitor nologin
alter group m_other add user m_victim
alter group m_victim add user m_other
alter group m_other drop user m_victim
alter group pg_monitor add user m_other
drop role m_other
drop role m_victim
drop role pg_monitor
drop role missing
drop role if exists missing
grant m_other to m_public
grant m_other to current_user
grant m_victim to current_user
grant m_victim to m_other
grant m_super to m_other
grant m_other to m_victim
grant pg_monitor to current_user
grant pg_database_owner to current_user
grant m_other to pg_database_owner
grant pg_write_server_files to current_user
grant m_other to m_public with admin option
revoke m_owner from m_member
revoke m_victim from m_other
revoke admin option for m_other from m_public
comment on role m_other is 'x'
comment on role m_victim is 'x'
reassign owned by m_owner to m_other
reassign owned by m_other to m_owner
reassign owned by m_owner to current_user
drop owned by m_owner
drop owned by m_other
drop owned by current_user
set role m_owner
set role m_other
set role m_victim
set role postgres
set role pg_monitor
set session authorization m_other
set session authorization m_victim
select set_config('role', 'm_victim', false)
select set_config('session_authorization', 'm_victim', false)
"""),
    "setting": (EVERYBODY, """
set work_mem = '2MB'
set log_statement = 'all'
set log_min_duration_statement = 0
set log_min_messages = 'debug1'
set session_replication_role = 'replica'
set zero_damaged_pages = on
set allow_system_table_mods = on
set track_activities = off
set deadlock_timeout = '2s'
set lc_messages = 'C'
set log_connections = on
set max_connections = 5
set shared_buffers = '1MB'
set is_superuser = on
set server_version = 'x'
set temp_file_limit = 10
set session_preload_libraries = 'x'
set dynamic_library_path = 'x'
set backend_flush_after = 0
set row_security = off
set m.custom = 1
reset log_statement
select set_config('log_statement', 'all', false)
select set_config('work_mem', '2MB', false)
show data_directory
show hba_file
show work_mem
select current_setting('hba_file')
update pg_settings set setting = 'all' where name = 'log_statement'
alter system set work_mem = '1MB'
checkpoint
select pg_reload_conf()
select pg_rotate_logfile()
select pg_cancel_backend(pg_backend_pid() + 100000)
load 'plpgsql'
discard plans
"""),
    "function": (EVERYBODY + [("m_public", "revoke execute on function pg_catalog.upper(text) from public"),
                              ("m_grantee", "revoke execute on function pg_catalog.upper(text) from public;"
                                            " grant execute on function pg_catalog.upper(text) to m_grantee"),
                              ("m_owner", "revoke execute on function pg_catalog.upper(text) from public;"
                                          " revoke execute on function pg_catalog.sum(int) from public")], """
select upper('x')
select upper(b) from m.t
select sum(id) from m.u
select a from m.v where upper(b) = 'X'
select pg_ls_dir('.')
select pg_read_file('x')
select pg_read_binary_file('x')
select pg_stat_file('x')
select pg_stat_reset()
select pg_stat_reset_slru(null)
select pg_switch_wal()
select pg_current_logfile()
select lo_import('x')
select lo_export(1, 'x')
select pg_promote()
select pg_create_restore_point('x')
select pg_backup_start('x')
select pg_log_backend_memory_contexts(1)
select pg_config()
grant execute on function upper(text) to m_other
revoke execute on function upper(text) from public
copy m.u to '/nonexistent/x'
copy m.u from '/nonexistent/x'
copy m.u to program 'cat >/dev/null'
copy m.u from program 'true'
"""),
    "language, parameter, tablespace": (EVERYBODY, """
create language n
create extension n
create tablespace n location '/tmp/n'
create cast (text as m.c) with inout
create event trigger n on ddl_command_start execute function missing()
grant usage on language sql to m_other
grant set on parameter log_statement to m_other
grant create on tablespace pg_default to m_other
create table m.n (a int) tablespace pg_global
create publication n
create foreign data wrapper n
create server n foreign data wrapper missing
create function m.n() returns int language sql as 'select 1'
create function m.n() returns int language internal as 'int4pl'
create trigger n before insert on m.t execute function missing()
create rule n as on insert to m.t do nothing
create policy n on m.t
create operator m.=== (leftarg = int, rightarg = int, function = int4eq)
create aggregate m.n (int) (sfunc = int4pl, stype = int)
"""),
    "foreign data": (grants("foreign server m_server", ("usage",))
                     + grants("foreign data wrapper m_wrapper", ("usage",))[len(EVERYBODY):], """
alter foreign data wrapper m_wrapper options (a '1')
alter foreign data wrapper missing options (a '1')
alter foreign data wrapper m_wrapper owner to m_other
alter foreign data wrapper m_wrapper owner to m_victim
alter foreign data wrapper m_wrapper rename to n
drop foreign data wrapper m_wrapper
drop foreign data wrapper m_wrapper cascade
comment on foreign data wrapper m_wrapper is 'x'
grant usage on foreign data wrapper m_wrapper to m_other
revoke usage on foreign data wrapper m_wrapper from public
create server n foreign data wrapper m_wrapper
create server if not exists m_server foreign data wrapper m_wrapper
alter server m_server version '2'
alter server m_server options (a '1')
alter server m_server owner to m_other
alter server m_server rename to n
drop server m_server
drop server m_server cascade
comment on server m_server is 'x'
grant usage on foreign server m_server to m_other
revoke usage on foreign server m_server from public
create user mapping for user server m_server
create user mapping for public server m_server
create user mapping for m_other server m_server
create user mapping if not exists for m_owner server m_server
alter user mapping for m_owner server m_server options (a '1')
alter user mapping for user server m_server options (a '1')
drop user mapping for m_owner server m_server
drop user mapping if exists for user server m_server
import foreign schema a from server m_server into public
select 1 / count(umoptions) from pg_user_mappings
select 1 / count(option_value) from information_schema.user_mapping_options
"""),
    "publication": (EVERYBODY + [("m_grantee", "grant create on database {db} to m_grantee")], """
create publication n
create publication n for table m.t
create publication n for table m.rs (id), m.u where (id > 1)
create publication n for tables in schema m
create publication n for all tables
alter publication m_publication set (publish = 'insert')
alter publication m_publication add table m.u
alter publication m_publication set table m.rs
alter publication m_publication drop table m.t
alter publication m_publication add tables in schema m
alter publication m_publication rename to n
alter publication m_publication owner to m_other
alter publication m_publication owner to m_owner
comment on publication m_publication is 'x'
drop publication m_publication
drop publication if exists missing
create subscription n connection 'host=none' publication p with (connect = false)
"""),
}

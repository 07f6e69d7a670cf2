"""Statements of the privilege matrix (matrix.py) on text search objects, statistics, foreign tables, event triggers, operator classes,
casts, conversions, extensions, subscriptions, domains, parameters, and on whole sessions."""
from matrix_setup import EVERYBODY, grants

# Made beside matrix_setup.SETUP's objects.
SETUP = """
set role m_owner;
set search_path = m;
create text search dictionary td (template = simple);
create text search configuration tc (copy = simple);
create statistics sx on a, b from t;
create foreign table ft (id int, a int) server m_server;
create domain dk as int constraint positive check (value > 0);
create sequence qi owned by u.t;
reset role;
reset search_path;
create schema mx;
grant usage on schema mx to public;
create type mx.ck as (a int, b text);
alter type mx.ck owner to m_owner;
create function mx.et() returns event_trigger language plpgsql as 'begin end';
create event trigger m_event on ddl_command_start when tag in ('create aggregate') execute function mx.et();
create operator class m.oc for type int using btree as operator 1 <, operator 3 =, function 1 btint4cmp(int, int);
alter operator class m.oc using btree owner to m_owner;
alter operator family m.oc using btree owner to m_owner;
create cast (mx.ck as text) with inout;
create conversion m.cv for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
alter conversion m.cv owner to m_owner;
create extension seg schema mx;
"""

CREATE_IN_DATABASE = [("m_grantee", "grant create on database {db} to m_grantee")]

KINDS = {
    "text search": (EVERYBODY + [("m_grantee", "grant create on schema m to m_grantee")], """
create text search dictionary m.n (template = simple)
create text search configuration m.n (copy = m.tc)
create text search parser m.n (start = prsd_start, gettoken = prsd_nexttoken, end = prsd_end, lextypes = prsd_lextype)
create text search template m.n (lexize = dsimple_lexize)
alter text search dictionary m.td (accept = false)
alter text search dictionary m.td rename to n
alter text search dictionary m.td owner to m_other
alter text search dictionary m.td set schema public
alter text search configuration m.tc add mapping for email with simple
alter text search configuration m.tc alter mapping for asciiword with m.td
alter text search configuration m.tc drop mapping for asciiword
alter text search configuration m.tc rename to n
alter text search configuration m.tc owner to m_owner
alter text search parser pg_catalog.default rename to n
comment on text search dictionary m.td is 'x'
comment on text search configuration m.tc is 'x'
comment on text search parser pg_catalog.default is 'x'
comment on text search template simple is 'x'
drop text search dictionary m.td
drop text search configuration m.tc
select to_tsvector('m.tc', 'a')
select ts_lexize('m.td', 'a')
"""),
    "statistics": (EVERYBODY + [("m_grantee", "grant all on m.t to m_grantee"), ("m_grantee", "grant create on schema m to m_grantee")], """
create statistics m.n on a, b from m.t
create statistics pg_temp.n on a, b from m.t
create statistics if not exists m.sx on a, b from m.t
alter statistics m.sx set statistics 10
alter statistics m.sx rename to n
alter statistics m.sx owner to m_other
alter statistics m.sx owner to m_owner
alter statistics m.sx set schema public
comment on statistics m.sx is 'x'
drop statistics m.sx
drop statistics if exists m.missing
analyze m.t
select 1 / count(*) from pg_stats_ext where statistics_name = 'sx'
"""),
    "foreign table": (grants("m.ft", ("select", "insert", "update"))
                      + [("m_grantee", "grant usage on foreign server m_server to m_grantee; grant create on schema m to m_grantee")], """
create foreign table m.n (a int) server m_server
create foreign table pg_temp.n (a int) server m_server
select * from m.ft
insert into m.ft values (1, 1)
update m.ft set a = 1
delete from m.ft
truncate m.ft
alter foreign table m.ft options (add a '1')
alter foreign table m.ft add column b int
alter foreign table m.ft alter a options (add b '1')
alter foreign table m.ft rename to n
alter foreign table m.ft owner to m_other
alter table m.ft rename a to b
comment on foreign table m.ft is 'x'
create trigger n before insert on m.ft for each row execute function m.tf()
grant select on m.ft to m_other
drop foreign table m.ft
"""),
    "event trigger": (EVERYBODY, """
create event trigger n on ddl_command_start execute function mx.et()
create event trigger n on ddl_command_start execute function m.tf()
alter event trigger m_event disable
alter event trigger m_event rename to n
alter event trigger m_event owner to m_owner
alter event trigger m_event owner to m_victim
comment on event trigger m_event is 'x'
drop event trigger m_event
drop event trigger if exists missing
drop function mx.et()
drop function mx.et() cascade
select pg_event_trigger_dropped_objects()
"""),
    "operator class": (EVERYBODY + [("m_grantee", "grant create on schema m to m_grantee")], """
create operator class m.n for type int using btree as operator 1 <, function 1 btint4cmp(int, int)
create operator family m.n using btree
alter operator class m.oc using btree rename to n
alter operator class m.oc using btree owner to m_other
alter operator class m.oc using btree set schema public
alter operator family m.oc using btree add operator 1 < (int, int8)
alter operator family m.oc using btree rename to n
comment on operator class m.oc using btree is 'x'
comment on operator family m.oc using btree is 'x'
drop operator class m.oc using btree
drop operator family m.oc using btree cascade
create table pg_temp.n (a int); create index on pg_temp.n (a m.oc)
create access method n type index handler bthandler
drop access method btree
comment on access method btree is 'x'
"""),
    "cast and conversion": (EVERYBODY + [("m_grantee", "grant create on schema m to m_grantee"), ("m_grantee", "grant m_owner to m_grantee")], """
create cast (mx.ck as varchar) with inout
create cast (m.e as int) without function
create cast (int as text) with inout
create cast (m.d as m.c) with inout
drop cast (mx.ck as text)
drop cast (int as int8)
drop cast (bit as bit)
drop cast if exists (mx.ck as xml)
comment on cast (mx.ck as text) is 'x'
comment on cast (int as int8) is 'x'
select '(1,a)'::mx.ck::text
create conversion m.n for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8
create default conversion m.n for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8
alter conversion m.cv rename to n
alter conversion m.cv owner to m_other
alter conversion m.cv set schema public
comment on conversion m.cv is 'x'
drop conversion m.cv
create transform for int language plpgsql (from sql with function missing(internal))
"""),
    "extension": (EVERYBODY + CREATE_IN_DATABASE + [("m_grantee", "grant create on database {db} to m_grantee; grant create on schema m to m_grantee")], """
create extension citext schema m
create extension citext
create extension if not exists seg
create extension pg_stat_statements
create extension postgres_fdw
create extension missing
alter extension seg update
alter extension seg set schema public
alter extension seg add table m.t
alter extension seg drop type mx.seg
comment on extension seg is 'x'
drop extension seg
drop extension if exists missing
drop extension plpgsql
drop type mx.seg
select '1'::mx.seg
alter function mx.seg_in(cstring) owner to m_owner
"""),
    "subscription": (EVERYBODY + CREATE_IN_DATABASE, """
create subscription n connection 'host=none' publication p with (connect = false, slot_name = none)
alter subscription missing disable
alter subscription missing owner to m_owner
drop subscription if exists missing
drop subscription missing
select subname from pg_subscription limit 1
select subconninfo from pg_subscription limit 1
select 1 from pg_stat_subscription limit 1
select pg_create_logical_replication_slot('n', 'test_decoding', true)
select pg_drop_replication_slot('missing')
select pg_replication_origin_create('n')
"""),
    "domain": (EVERYBODY + [("m_public", "revoke usage on type m.dk from public"),
                            ("m_grantee", "revoke usage on type m.dk from public; grant usage on type m.dk to m_grantee")], """
alter domain m.dk set default 1
alter domain m.dk set not null
alter domain m.dk add check (value > 1)
alter domain m.dk drop constraint positive
alter domain m.dk rename constraint positive to n
alter domain m.dk validate constraint positive
alter domain m.dk rename to n
alter domain m.dk owner to m_other
alter domain m.dk owner to m_owner
alter domain m.dk set schema public
alter type m.dk owner to m_other
comment on domain m.dk is 'x'
comment on constraint positive on domain m.dk is 'x'
grant usage on domain m.dk to m_other
grant usage on type m.dk to m_other
drop domain m.dk
create domain pg_temp.n as m.dk
create temp table n (x m.dk)
create temp table n (x m.dk[])
create function pg_temp.n(m.dk) returns int language sql as 'select 1'
select 1::m.dk
do $$ declare x m.dk := 1; begin end $$
"""),
    "owned sequence": (grants("sequence m.qi", ("usage", "select", "update")), """
alter sequence m.qi owned by none
alter sequence m.qi owned by m.t.a
alter sequence m.qi as smallint
alter sequence m.qi restart
alter sequence m.qi owner to m_other
alter sequence m.qi set schema public
alter table m.u owner to m_other
alter table m.u drop column t
select pg_get_serial_sequence('m.u', 't')
select last_value from m.qi
select * from m.qi for update
insert into m.qi values (1)
copy m.qi to stdout
lock table m.qi
select pg_sequence_last_value('m.qi')
select 1 / has_sequence_privilege('m.qi', 'usage')::int
create temp table n (a int default nextval('m.qi')); insert into n default values
"""),
    "parameter for the server": (EVERYBODY + [("m_grantee", f"grant {p} on parameter {n} to m_grantee")
                                              for p in ("set", "alter system", "all") for n in ("work_mem", "log_statement", "my.own")]
                                 + [("m_public", "grant set, alter system on parameter log_statement, deadlock_timeout to public")], """
set log_statement = 'none'
set deadlock_timeout = '2s'
set my.own = 1
grant set on parameter my.own to m_other
grant alter system on parameter log_statement to m_other
grant alter system on parameter work_mem to m_other with grant option
grant set, alter system on parameter log_statement, work_mem to m_other
revoke all on parameter log_statement from m_other
revoke grant option for set on parameter log_statement from m_other cascade
grant set on parameter missing to m_other
grant select on parameter log_statement to m_other
alter database {db} set log_statement = 'none'
alter role m_other set log_statement = 'none'
alter role all set log_statement = 'none'
create function pg_temp.n() returns int language sql set log_statement = 'none' as 'select 1'
create function pg_temp.n() returns int language sql set log_statement = 'none' as 'select 1'; select pg_temp.n()
alter function m.fn(int) set log_statement = 'none'
select 1 / has_parameter_privilege('log_statement', 'alter system')::int
select 1 / has_parameter_privilege('m_owner', 'work_mem', 'set')::int
select 1 / has_parameter_privilege('missing', 'set')::int
select 1 / count(*) from pg_parameter_acl
"""),
    "session": (EVERYBODY + [("m_grantee", "grant m_owner to m_grantee")], """
set role m_owner
set role m_other
set role m_super
set role none
set session authorization m_owner
set local session authorization m_other
reset session authorization
set role m_owner; select 1 from m.t
set role m_owner; set role m_other
set role m_owner; alter role m_other createdb
reassign owned by m_owner to m_other
reassign owned by m_other to current_user
drop owned by m_owner cascade
drop owned by m_other
drop owned by current_user cascade
alter default privileges for role m_other grant all on tables to current_user
alter table m.t owner to current_user
alter schema m owner to session_user
security label on table m.t is 'x'
vacuum m.t
cluster m.t using t_a
reindex table m.t
reindex schema m
reindex index m.t_a
refresh materialized view m.missing
lock table m.t in row exclusive mode
select pg_terminate_backend(pg_backend_pid() + 100000)
select pg_stat_reset()
select pg_stat_get_activity(null) is null limit 1
select query from pg_stat_activity limit 1
select pg_read_file('/etc/passwd')
select pg_ls_dir('.')
select pg_ls_logdir()
select lo_import('/etc/passwd')
select lo_export(7777, '/nonexistent/x')
select pg_current_wal_lsn() is null
select pg_switch_wal() is null
select pg_export_snapshot() is null
select pg_relation_size('m.t')
select pg_database_size('{db}') > 0
select pg_tablespace_size('pg_default') > 0
select has_table_privilege('m_owner', 'm.t', 'select')
select pg_has_role('m_owner', 'usage')
"""),
}

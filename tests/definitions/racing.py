"""Sessions whose statements meet on the same few names: what one defines, alters, renames, moves, attaches, detaches or drops is what the others
use and refer to at that moment. Any of them may fail, but as PostgreSQL's fail: with no internal error, no lost connection and no wait for ever.

  racing.py DIR:PORT [--seconds S] [--seed N] [--states] [--topics TOPIC...]     against a server that runs (user postgres), PostgreSQL for one

--states prints which SQLSTATEs each statement has met, to be compared with another server's.
"""
import argparse
import collections
import random
import sys
import threading
import time
import traceback

import psycopg

PATIENCE_S = 20  # no statement takes so long
MOMENT_S, FEW = 0.3, 12  # so long all sessions keep to so few statements
# Of each topic: what the others live on, which is made again and again, and statements of which each session runs any. {n} and {k} are 1 or 2; ;; ends a
# statement of several.
TOPICS = {
    "partitions": ("""
create table p (a int, b text) partition by range (a) | create table p{n} partition of p for values from ({n}0) to ({n}9) | create table p{n} (a int, b text)
""", """
create table p (a int, b text) partition by range (a) | drop table p | drop table if exists p cascade | create table p{n} partition of p for values from ({n}0) to ({n}9)
create table p{n} (a int, b text) | create table p{n} partition of p default | create table p{n} partition of p for values from ({n}0) to ({n}9) partition by list (b) | create table p{n}{k} partition of p{n} for values in ('p', 'q{k}')
create table p{n}{k} partition of p{n} default | drop table p{n} | drop table p{n}{k} | alter table p attach partition p{n} for values from ({n}0) to ({n}9) | alter table p detach partition p{n}
alter table p detach partition p{n} concurrently | alter table p detach partition p{n} finalize | alter table p{n} detach partition p{n}{k} | alter table p rename to q | alter table q rename to p
alter table p{n} rename to p{k} | create index on p (b) | create index i on p (a) | drop index i | alter table p add primary key (a) | alter table p drop constraint p_pkey
alter table p add column c int default {n} | alter table p drop column c | alter table p alter b type varchar | alter table p alter b type text | truncate p | truncate p{n}
create trigger tg before insert on p for each row execute function suppress_redundant_updates_trigger() | drop trigger tg on p | alter table p add check (a > -{n}) | analyze p | alter table p{n} add column c int
create table f (a int references p) | drop table f | insert into f values ({n}1) | alter index i attach partition i{n} | create index i{n} on p{n} (a) | reindex table p | vacuum p | cluster p using i
insert into p select g, 'p' from generate_series({n}0, {n}8) g | insert into p values ({n}{k}, 'q{k}') returning tableoid::regclass, * | insert into p{n} values ({n}{k}, 'p') | select * from p | select * from p where a = {n}{k} | select count(*) from p{n}
update p set b = b || '' where a = {n}{k} | update p set a = a + 10 where a < 19 | update p set a = 1 where a = {n}{k} | delete from p where a > {n}4 | delete from p | select * from p order by a desc limit 3 for update
merge into p using (values ({n}{k})) v(x) on p.a = x when matched then update set b = 'm' when not matched then insert values (x, 'p') | prepare s as select * from p where a = $1 | execute s({n}{k}) | prepare u as insert into p values ($1, 'p') | execute u({n}{k}) | deallocate all
copy p from stdin | copy (select * from p) to stdout | copy p{n} to stdout | select * from pg_partition_tree('p') | select pg_get_partkeydef('p'::regclass) | select pg_get_expr(relpartbound, oid) from pg_class where relispartition | select tableoid::regclass, * from p join p{n} using (a) | begin;;lock table p;;rollback
insert into p values ({n}{k}, 'p') on conflict do nothing | insert into p values ({n}{k}, 'p') on conflict (a) do update set b = excluded.b | explain select * from p where a = {n}{k} | select pg_partition_root('p{n}'::regclass) | select pg_get_partition_constraintdef('p{n}'::regclass)
"""),
    "inheritance": ("""
create table h (a int, b text) | create table h{n} (c int) inherits (h) | create table h{n} (a int, b text) | create type hc as (a int)
""", """
create table h (a int, b text) | drop table h | drop table h cascade | create table h{n} (c int) inherits (h) | create table h{n} (a int, b text) | drop table h{n} | drop table h{n} cascade | create table h{n}{k} () inherits (h{n}) | create table h{n}{k} () inherits (h1, h2)
alter table h{n} inherit h | alter table h{n} no inherit h | alter table h add column x int | alter table h drop column x | alter table h alter b type varchar | alter table h rename b to bb | alter table h rename bb to b | alter table h add check (a > -{n})
alter table h drop constraint h_a_check | alter table h{n} rename to h{k} | create index on h (a) | truncate h | truncate h{n} | select * from h | select * from only h | insert into h{n} (a) values ({k}) | insert into h values ({n}, 'x') | update h set b = 'y' where a = {n} | delete from h where a = {k}
select tableoid::regclass from h | select * from h for update | analyze h | create view hv as select * from h | drop view hv | select * from hv | create table hl (like h including all) | drop table hl | create table ht of hc | drop table ht | create type hc as (a int) | drop type hc cascade | alter type hc add attribute z int cascade
alter table h set schema s | alter table s.h set schema racing | create schema s | drop schema s cascade | select h from h | select b(h) from h | prepare s as select * from h | execute s | deallocate all | comment on column h.a is 'a' | grant select on h to public | create table h{n} as select * from h
"""),
    "views": ("""
create table t{n} (a int, b text) | create view v{n} as select * from t{n} | create materialized view m{n} as select * from t{n} | create view w as select v1.a from v1 join v2 using (a)
""", """
create table t{n} (a int, b text) | drop table t{n} | drop table t{n} cascade | create view v{n} as select * from t{n} | create or replace view v{n} as select a, b from t{k} | create view v{n} as select * from v{k} | create view w as select v1.a from v1 join v2 using (a) | drop view v{n} | drop view v{n} cascade | drop view w
create or replace view v{n} as select 1 a, 'x'::text b | alter view v{n} rename to v{k} | alter table t{n} rename to t{k} | alter table t{n} rename a to aa | alter table t{n} rename aa to a | alter table t{n} add column c int | alter table t{n} drop column c | alter table t{n} drop column b cascade | alter table t{n} add column b text
create materialized view m{n} as select * from t{n} | create materialized view m{n} as select * from v{k} | create unique index m{n}u on m{n} (a) | refresh materialized view m{n} | refresh materialized view concurrently m{n} | drop materialized view m{n} | drop materialized view m{n} cascade | alter materialized view m{n} rename to m{k} | select * from m{n}
select * from v{n} | select * from w | select count(*) from v{n} join t{k} using (a) | insert into v{n} values ({n}, 'i') | update v{n} set b = 'u' where a = {n} | delete from v{n} where a = {k} | insert into t{n} values ({k}, 't') | select pg_get_viewdef('v{n}'::regclass) | select definition from pg_views where schemaname = 'racing' | select * from information_schema.view_column_usage
create rule r{n} as on insert to v{n} do instead insert into t{k} values (new.a) | drop rule r{n} on v{n} | alter view v{n} alter a set default {k} | alter view v{n} set (security_barrier) | prepare s as select * from v{n} | execute s | deallocate all | grant select on v{n} to public | comment on view v{n} is 'v' | create table t{n} as select * from v{k} | select into t{n} from v{k}
create recursive view w (a) as select a from t{n} union all select a + 1 from w where a < 3 | alter table t{n} set schema s | alter view v{n} set schema s | create schema s | drop schema s cascade | select * from s.v{n} | create view s.v{n} as select * from t{k} | create view s.w as select * from s.v1 | copy (select * from v{n}) to stdout | copy v{n} from stdin
alter table t{n} alter a type bigint | alter table t{n} alter a type int | truncate t{n} | begin;;lock table v{n};;rollback | create temp view tv as select * from t{n} | drop view tv | create view v{n} as select v{k} x from v{k} | create view v{n} as table t{k} with check option | analyze m{n} | declare c cursor with hold for select * from v{n} | fetch c | close c
"""),
    "functions": ("""
create table t (a int) | create function f{n}(int) returns int language sql as 'select $1 + {k}' | create or replace function f{n}(int) returns int language plpgsql as 'begin return $1 + {k}; end' | create function af(int, int) returns int language sql as 'select $1 + $2'
""", """
create function f{n}(int) returns int language sql as 'select $1 + {k}' | create or replace function f{n}(int) returns int language sql as 'select f{k}($1)' | create or replace function f{n}(int) returns int language plpgsql as 'begin return $1 + {k}; end' | create or replace function f{n}(int) returns int language plpgsql as 'begin return f{k}($1); end'
create or replace function f{n}(int) returns int immutable begin atomic select $1 + {k}; end | create or replace function f{n}(int) returns int begin atomic select f{k}($1); end | create function f{n}(int, int default {k}) returns int language sql as 'select $1 + $2' | create function f{n}(text) returns int language sql as 'select 1' | drop function f{n}(int) | drop function f{n} | drop function f{n}(int) cascade
drop function f{n}(int, int) cascade | alter function f{n}(int) rename to f{k} | alter function f{n}(int) set schema s | alter function s.f{n}(int) set schema racing | alter function f{n}(int) immutable | alter function f{n}(int) set work_mem = '1MB' | create schema s | drop schema s cascade | create function s.f{n}(int) returns int language sql as 'select $1' | create function s.g{n}(int) returns int language plpgsql as 'begin return s.f{k}($1); end'
create function s.g{n}(int) returns int begin atomic select s.f{k}($1); end | select s.f{n}(1) | select s.g{n}(a) from t | select s.g{n}({k}) | select f{n}({k}) | select f{n}(a) from t | select f{n}(a, {k}) from t | select f{n}('x'::text) | select * from f{n}(1) | select * from t where f{n}(a) = {k} | select sum(f{n}(a)) from t | select f1(f2(a)) from t
create procedure pr{n}() language plpgsql as 'begin perform f{k}(1); commit; perform f{n}(1); end' | create procedure pr{n}() language sql as 'insert into t values ({k})' | drop procedure pr{n} | call pr{n}() | do $$ begin perform f{n}(a) from t; end $$ | do $$ begin for i in 1..10 loop perform f{n}(i); end loop; end $$ | prepare s as select f{n}(a) from t | execute s | deallocate all
create index it on t (f{n}(a)) | drop index it | create view v as select f{n}(a) from t | drop view v | select * from v | create table d (a int default f{n}(1), check (f{k}(a) > 0)) | drop table d | insert into d default values | alter table d add column g int generated always as (f{n}(a)) stored | create domain dm as int check (f{n}(value) > 0) | drop domain dm | select 1::dm
create aggregate ag (int) (sfunc = int4pl, stype = int) | create aggregate ag (int) (sfunc = af, stype = int) | create function af(int, int) returns int language sql as 'select $1 + $2' | drop function af | drop function af cascade | drop aggregate ag (int) | select ag(a) from t | select ag(a) over (order by a) from t | create operator ## (function = af, leftarg = int, rightarg = int) | drop operator ## (int, int) | select a ## 1 from t
select pg_get_functiondef(oid) from pg_proc where proname like 'f_' | select oid::regprocedure, pg_get_function_arguments(oid) from pg_proc where pronamespace >= 16384 | select has_function_privilege('f{n}(int)', 'execute') | grant execute on function f{n}(int) to public | comment on function f{n}(int) is 'f' | create function tr(t) returns int language sql as 'select $1.a' | drop function tr | select tr(t) from t | select t.tr from t
create function st(int) returns setof t language sql as 'select * from t limit $1' | drop function st | select * from st({n}) | drop table t cascade | create table t (a int) | create function tb(int) returns table (x int) language plpgsql as 'begin return query select f1($1); end' | drop function tb | select * from tb({n}), st({k}) | create cast (text as dm2) with function f{n}(text) | revoke all on all functions in schema racing from public | grant execute on all routines in schema s to public
"""),
    "types": ("""
create type e as enum ('a', 'b') | create domain d as int check (value > 0) | create type c as (x int, y text) | create type cc as (c c, cs c[]) | create table t (a int, e e, d d, c c)
""", """
create type e as enum ('a', 'b') | drop type e | drop type e cascade | alter type e add value if not exists 'c{n}' | alter type e rename value 'a' to 'z' | alter type e rename to ee | alter type ee rename to e | create domain d as int check (value > 0) | create domain d as e | create domain dd as d | drop domain d | drop domain d cascade | drop domain dd | alter domain d add constraint k check (value::text <> '{n}')
alter domain d drop constraint k | alter domain d set default 7 | alter domain d set not null | alter domain d drop not null | create type c as (x int, y text) | create type c as (x e, y d) | create type cc as (c c, cs c[]) | drop type c | drop type c cascade | drop type cc cascade | alter type c add attribute z int | alter type c drop attribute z | alter type c alter attribute y type varchar cascade | alter type c rename attribute x to xx cascade | alter type c rename attribute xx to x cascade
create type r as range (subtype = int) | create type r as range (subtype = d) | drop type r | drop type r cascade | create table t (a int, e e, d d, c c) | create table t (a int, es e[], ds d[], r r) | create table t (a int, c cc) | drop table t | alter table t add column e e | alter table t add column d d default 3 | alter table t drop column e | alter table t alter column d type int | alter table t alter column d type d | insert into t (a, e) values (1, 'a') | insert into t (a, d) values (1, 3)
insert into t (a, c) values (1, (1, 'x')) | insert into t (a, c) values (1, row(row(1, 'x'), null)) | select * from t | select (c).x from t | select * from t where e = 'a' | select e, count(*) from t group by e order by e | select 'a'::e | select 3::d | select 3::dd | select '(1,x)'::c | select '[1,2)'::r | select array['a'::e] | select enum_range(null::e) | select null::cc | select pg_typeof(null::e), pg_typeof(null::c[]) | update t set d = 4 where e = 'a' | update t set c.x = 2
create function ff(e) returns d language sql as 'select 1::d' | create function ff(c) returns cc language plpgsql as 'declare v cc; begin v.c := $1; return v; end' | drop function if exists ff | drop function ff(e) | drop function ff(c) | select ff('a'::e) | select ff(row(1, 'x')::c) | create view v as select * from t | drop view v | select * from v | create index ti on t (e) | create index ti on t (d) | do $$ declare v c; w e; begin v := row(1, 'x'); w := 'a'; end $$ | do $$ declare v d := 3; begin perform v; end $$
prepare s as select * from t where e = $1 | execute s('a') | prepare s(d) as select $1 | execute s(3) | deallocate all | select format_type(atttypid, atttypmod) from pg_attribute where attnum > 0 and attrelid >= 16384 | select oid::regtype, typname from pg_type where oid >= 16384 | select * from information_schema.attributes | select enumlabel, enumtypid::regtype from pg_enum | comment on type e is 'e' | grant usage on type d to public | alter type e set schema s | alter type s.e set schema racing | create schema s | drop schema s cascade
create cast (e as int) with function fc(e) | create function fc(e) returns int language sql as 'select 1' | drop function fc cascade | drop cast (e as int) | select 'a'::e::int | create type sh | drop type sh | create temp table tt (e e, c c) | drop table tt | insert into tt values ('a') | copy t from stdin | copy t to stdout | select to_jsonb(t) from t | select t::text from t | select jsonb_populate_record(null::c, '{"x": 1}') | select row_to_json(t) from t | select max(e), min(d) from t | create table tc of c | drop table tc
alter table t alter column e type text | alter table t alter column e type e using e::text::e | alter table t rename to tn | alter table tn rename to t | select * from t x join t y using (e) | select has_type_privilege('e', 'usage') | select to_regtype('e'), to_regtype('d') | select 'racing.e'::regtype | analyze t | create statistics sx on e, d from t | truncate t
"""),
    "sequences": ("""
create sequence q{n} | create table t (a serial, b int) | create table t (a int default nextval('q{n}'), b int)
""", """
create sequence q{n} | create temp sequence q{n} | drop sequence q{n} | drop sequence q{n} cascade | drop sequence pg_temp.q{n} | alter sequence q{n} restart | alter sequence q{n} increment {k} | alter sequence q{n} as smallint | alter sequence q{n} rename to q{k} | alter sequence q{n} owned by t.a | alter sequence q{n} owned by none | alter sequence q{n} set schema s | create schema s | drop schema s cascade | alter sequence s.q{n} set schema racing | alter sequence q{n} set unlogged
create table t (a serial, b int) | create table t (a int generated always as identity, b int) | create table t (a int default nextval('q{n}'), b int) | drop table t | drop table t cascade | alter table t alter a set default nextval('q{n}') | alter table t alter a drop default | alter table t alter a add generated by default as identity | alter table t alter a drop identity | alter table t drop column a | alter table t add column a serial | alter table t alter a restart | alter table t alter a set increment 3 | alter table t rename a to aa | alter table t rename aa to a
insert into t (b) values ({n}) returning a | insert into t (b) select generate_series(1, 50) | truncate t restart identity | select nextval('q{n}') | select nextval('q{n}') from generate_series(1, 30) | select currval('q{n}') | select lastval() | select setval('q{n}', {k}) | select * from q{n} | select last_value from q{n} | select pg_get_serial_sequence('t', 'a') | select * from pg_sequences | select * from pg_sequence
select * from information_schema.sequences | grant usage on sequence q{n} to public | comment on sequence q{n} is 'q' | begin;;lock table q{n};;rollback | create view v as select nextval('q{n}') x | drop view v | select * from v | prepare s as select nextval('q{n}') | execute s | deallocate all | discard sequences | copy t (b) from stdin | create table tl (like t including all) | drop table tl | create function fs() returns bigint language sql as $$ select nextval('q{n}') $$ | create function fs() returns bigint begin atomic select nextval('q{n}'); end | drop function fs | select fs() | do $$ begin perform nextval('q{n}'); end $$
"""),
    "schemas": ("""
create schema s{n} | create table s{n}.t (a int primary key) | create function s{n}.f(int) returns int language sql as 'select $1' | create function s{n}.f2(int, int) returns int language sql as 'select 1' | create type s{n}.e as enum ('x')
""", """
create schema s{n} | create schema s{n} create table t (a int) create view v as select * from t | drop schema s{n} | drop schema s{n} cascade | drop schema if exists s1, s2 cascade | alter schema s{n} rename to s{k} | create table s{n}.t (a int primary key) | create table s{n}.u (a int references s{k}.t) | create view s{n}.v as select * from s{k}.t | create function s{n}.f(int) returns int language sql as 'select $1' | create function s{n}.g(int) returns int begin atomic select s{k}.f($1) + 1; end
create table s{n}.w (a int default s{k}.f(1), e s{k}.e) | create type s{n}.e as enum ('x') | create domain s{n}.d as s{k}.e | create sequence s{n}.q | create table s{n}.x (a serial, b s{k}.d) | create index on s{n}.t (s{k}.h(a)) | create function s{n}.h(int) returns int immutable language sql as 'select $1' | create trigger tg after insert on s{n}.t for each row execute function s{k}.tf() | create function s{n}.tf() returns trigger language plpgsql as 'begin return null; end' | create operator s{n}.## (function = s{k}.f2, leftarg = int, rightarg = int) | create function s{n}.f2(int, int) returns int language sql as 'select 1'
create aggregate s{n}.ag(int) (sfunc = s{k}.f2, stype = int) | create collation s{n}.co from "C" | create table s{n}.y (b text collate s{k}.co) | create statistics s{n}.st on a, e from s{k}.w | create text search configuration s{n}.ts (copy = simple) | create materialized view s{n}.m as select s{k}.f(1) | create table s{n}.p (a int) partition by range (a) | create table s{n}.p1 partition of s{k}.p default | create policy po on s{n}.t using (s{k}.f(a) > 0) | create rule ru as on insert to s{n}.t do also select s{k}.f(1)
select s{n}.f(1) | select s{n}.g(1) | select * from s{n}.t | select * from s{n}.v | select * from s{n}.t join s{k}.v using (a) | insert into s{n}.t values ({k}) | insert into s{n}.w default values | insert into s{n}.p values (1) | select nextval('s{n}.q') | select 'x'::s{n}.e | select null::s{n}.d | select s{n}.ag(1) | select 1 operator(s{n}.##) 2 | select to_tsvector('s{n}.ts', 'x') | select * from s{n}.m | refresh materialized view s{n}.m | call s{n}.f() | do $$ begin perform s{n}.g(s{k}.f(1)); end $$
set search_path = s{n}, racing | set search_path = racing | set search_path = s1, s2, racing | create table t (a int) | drop table t | select * from t | select f(1) | alter table s{n}.t set schema s{k} | alter function s{n}.f(int) set schema s{k} | alter type s{n}.e set schema s{k} | alter view s{n}.v set schema s{k} | alter sequence s{n}.q set schema s{k} | alter table s{n}.p1 set schema s{k} | grant all on schema s{n} to public | grant select on all tables in schema s{n} to public | comment on schema s{n} is 's' | alter default privileges in schema s{n} grant select on tables to public
select nspname, nspacl from pg_namespace | select * from information_schema.schemata | select schemaname, tablename from pg_tables where schemaname like 's_' | select relname, relnamespace::regnamespace from pg_class where relname in ('t', 'v') | select current_schemas(true) | select pg_table_is_visible(oid) from pg_class where relname = 't' | select pg_describe_object(classid, objid, objsubid) from pg_depend where objid > 16384 | select * from pg_identify_object(1259, 's{n}.t'::regclass, 0) | drop function s{n}.f cascade | drop type s{n}.e cascade | drop table s{n}.t cascade | create extension citext schema s{n} | drop extension citext | select 'A'::s{n}.citext = 'a' | analyze s{n}.t
"""),
    "indexes": ("""
create table t{n} (a int, b text, c int[]) | create table t{n} (a int primary key, b text unique, c int[]) | insert into t{n} select g, 'b' || g, array[g] from generate_series({k}, 20) g on conflict do nothing | create index i{n} on t{n} (b)
""", """
create table t{n} (a int, b text, c int[]) | create table t{n} (a int primary key, b text unique, c int[]) | drop table t{n} | drop table t{n} cascade | create index i{n} on t{n} (b) | create index i{n} on t{k} (lower(b)) | create index i{n} on t{k} using hash (a) | create index i{n} on t{k} using gin (c) | create unique index i{n} on t{k} (a) | create index i{n} on t{k} (b) where a > 3 | create index concurrently i{n} on t{k} (a) | drop index i{n} | drop index concurrently i{n} | alter index i{n} rename to i{k} | reindex index i{n} | reindex table t{n} | reindex table concurrently t{n} | reindex index concurrently i{n} | reindex schema racing
cluster t{n} using i{k} | cluster t{n} | alter table t{n} cluster on i{n} | alter table t{n} add primary key (a) | alter table t{n} add constraint t{n}_pkey primary key using index i{n} | alter table t{n} drop constraint t{n}_pkey | alter table t{n} drop constraint t{n}_pkey cascade | alter table t{n} add constraint u{n} unique (b) | alter table t{n} drop constraint u{n} | alter table t{n} add constraint fk{n} foreign key (a) references t{k} | alter table t{n} add constraint fk{n} foreign key (a) references t{k} not valid | alter table t{n} validate constraint fk{n} | alter table t{n} drop constraint fk{n}
alter table t{n} add constraint x{n} exclude (a with =) | alter table t{n} drop constraint x{n} | alter table t{n} add constraint ck check (a > -{k}) | alter table t{n} drop constraint ck | alter table t{n} rename constraint ck to ck2 | create statistics st{n} on a, b from t{k} | drop statistics st{n} | alter statistics st{n} rename to st{k} | alter statistics st{n} set statistics 100 | analyze t{n} | analyze | vacuum t{n} | alter table t{n} alter a type bigint | alter table t{n} alter a type int | alter table t{n} drop column b | alter table t{n} add column b text | alter table t{n} rename to t{k} | alter index i{n} set (fillfactor = 70) | alter table t{n} replica identity using index i{n}
insert into t{n} select g, 'b' || g, array[g] from generate_series({k}, 20) g on conflict do nothing | insert into t{n} (a) values ({k}) on conflict (a) do update set b = 'u' | insert into t{n} (a) values ({k}) on conflict on constraint t{n}_pkey do nothing | select * from t{n} where a = {k} | select * from t{n} where b = 'b{k}' | select * from t{n} order by a | select * from t{n} where c @> array[{k}] | select * from t1 join t2 using (a) | update t{n} set a = a + 1 | update t{n} set b = 'x' where a = {k} | delete from t{n} where a = {k} | delete from t{n} | truncate t{n} | truncate t1, t2 | truncate t{n} cascade
select pg_get_indexdef(indexrelid) from pg_index where indexrelid >= 16384 | select pg_get_constraintdef(oid), conrelid::regclass from pg_constraint where oid >= 16384 | select pg_get_statisticsobjdef(oid) from pg_statistic_ext | select * from pg_stats_ext | select * from pg_indexes where schemaname = 'racing' | select pg_relation_size('i{n}'), pg_total_relation_size('t{n}') | select pg_relation_size(oid), pg_table_size(oid) from pg_class where oid >= 16384 | select attname from pg_stats where tablename = 't{n}' | comment on index i{n} is 'i' | comment on constraint ck on t{n} is 'c' | prepare s as select * from t{n} where a = $1 | execute s({k}) | deallocate all | explain select * from t{n} where a = {k} | select * from pg_stat_user_indexes | select * from pg_statio_user_tables
"""),
    "triggers": ("""
create table t{n} (a int, b text) | create or replace function tf{n}() returns trigger language plpgsql as 'begin return new; end' | create trigger g{n} before insert or update on t{n} for each row execute function tf{k}() | create function pf(int) returns bool language sql as 'select true'
""", """
create table t{n} (a int, b text) | drop table t{n} | drop table t{n} cascade | create or replace function tf{n}() returns trigger language plpgsql as 'begin return new; end' | create or replace function tf{n}() returns trigger language plpgsql as 'begin if new.a <> 7 then insert into t{k} values (7); end if; return new; end' | drop function tf{n} | drop function tf{n} cascade | alter function tf{n} rename to tf{k} | create trigger g{n} before insert or update on t{n} for each row execute function tf{k}() | create or replace trigger g{n} after insert or delete on t{n} for each row execute function tf{k}() | create trigger g{n} after update on t{n} referencing old table as o for each statement execute function tf{k}()
create constraint trigger c{n} after insert on t{n} deferrable initially deferred for each row execute function tf{k}() | drop trigger g{n} on t{n} | drop trigger c{n} on t{n} | alter trigger g{n} on t{n} rename to g{k} | alter table t{n} disable trigger g{n} | alter table t{n} enable always trigger g{n} | alter table t{n} disable trigger all | alter table t{n} enable trigger all | create view v as select * from t{n} | drop view v | create trigger gv instead of insert on v for each row execute function tf{k}() | drop trigger gv on v | insert into v values (1) | create rule r{n} as on update to t{n} do also insert into t{k} values (new.a) | create or replace rule r{n} as on delete to t{n} do instead nothing
create rule r{n} as on insert to t{n} where new.a > 1 do instead update t{k} set b = 'r' | drop rule r{n} on t{n} | alter rule r{n} on t{n} rename to r{k} | alter table t{n} disable rule r{n} | insert into t{n} values ({k}, 'x') | insert into t{n} select generate_series(1, 30) | update t{n} set b = 'y' where a = {k} | delete from t{n} where a = {k} | truncate t{n} | merge into t{n} using (values (1)) v(x) on a = x when matched then delete when not matched then insert values (x) | copy t{n} from stdin | prepare s as insert into t{n} values ($1) | execute s({k}) | deallocate all | begin;;insert into t{n} values ({k});;insert into t{k} values ({n});;commit
create policy y{n} on t{n} using (a > {k}) | create policy y{n} on t{n} using (exists (select from t{k} z where z.a = t{n}.a)) | create policy y{n} on t{n} using (pf(a)) | create function pf(int) returns bool language sql as 'select true' | drop function pf | drop function pf cascade | drop policy y{n} on t{n} | alter policy y{n} on t{n} using (true) | alter policy y{n} on t{n} rename to y{k} | alter table t{n} enable row level security | alter table t{n} disable row level security | set role racer | reset role | grant all on t{n} to racer | select * from t{n} | select * from t1 join t2 using (a) | select pg_get_triggerdef(oid) from pg_trigger | select pg_get_ruledef(oid) from pg_rewrite where oid >= 16384
select * from pg_policies | select * from pg_rules where schemaname = 'racing' | select * from information_schema.triggers | alter table t{n} rename to t{k} | alter table t{n} add column c int | alter table t{n} drop column c | comment on trigger g{n} on t{n} is 'g' | comment on rule r{n} on t{n} is 'r' | comment on policy y{n} on t{n} is 'y' | create event trigger ev on ddl_command_end when tag in ('CREATE TABLE') execute function ef() | create function ef() returns event_trigger language plpgsql as 'begin end' | drop event trigger ev | drop function ef cascade | alter event trigger ev disable | alter event trigger ev rename to ev2 | drop event trigger ev2
"""),
    "rights": ("""
create table t{n} (a int, b text) | create role r{n} | grant all on schema racing to r{n} | create publication pu for table t{n} | create foreign data wrapper fw | create server sv foreign data wrapper fw
""", """
create table t{n} (a int, b text) | drop table t{n} | create role r{n} | drop role r{n} | alter role r{n} rename to r{k} | alter role r{n} createdb | grant r1 to r2 | revoke r1 from r2 | grant select on t{n} to r{k} | revoke select on t{n} from r{k} | grant select (a) on t{n} to r{k} | grant all on all tables in schema racing to r{n} | alter table t{n} owner to r{k} | alter table t{n} owner to postgres | reassign owned by r{n} to r{k} | reassign owned by r{n} to postgres | drop owned by r{n} | drop owned by r{n} cascade | alter default privileges in schema racing grant select on tables to r{n} | alter default privileges for role r{n} grant insert on tables to r{k} | create schema authorization r{n}
drop schema r{n} cascade | grant all on schema racing to r{n} | set role r{n} | reset role | select * from t{n} | insert into t{n} values ({k}, 'x') | create view v as select * from t{n} | drop view v | alter view v owner to r{n} | select * from v | create function f() returns int security definer language sql as 'select 1' | drop function f | alter function f owner to r{n} | grant execute on function f to r{n} | select f() | create policy y on t{n} to r{k} using (true) | drop policy y on t{n} | alter table t{n} enable row level security | select has_table_privilege('r{n}', 't{k}', 'select') | select has_schema_privilege('r{n}', 'racing', 'usage') | select pg_has_role('r1', 'r2', 'member')
select relacl, relowner::regrole from pg_class where oid >= 16384 | select * from information_schema.table_privileges where table_schema = 'racing' | select * from pg_roles | select pg_get_userbyid(relowner) from pg_class where oid >= 16384 | select pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, 0) from pg_shdepend where objid >= 16384 | select * from pg_default_acl | select rolname, pg_describe_object('pg_authid'::regclass, oid, 0) from pg_roles | select 'r{n}'::regrole | comment on role r{n} is 'r' | alter role r{n} set work_mem = '1MB' | alter role r{n} in database racing set work_mem = '2MB' | alter role r{n} reset all | create type ty as (a int) | alter type ty owner to r{n} | drop type ty | create sequence q | alter sequence q owner to r{n} | drop sequence q | begin;;lock table t{n};;rollback | truncate t{n}
create publication pu for table t{n} | create publication pu for tables in schema racing | create publication pu for all tables | drop publication pu | alter publication pu add table t{n} | alter publication pu drop table t{n} | alter publication pu set table t{n} where (a > 1) | alter publication pu set table t{n} (a), t{k} | alter publication pu owner to r{n} | alter publication pu rename to pv | alter publication pv rename to pu | select * from pg_publication_tables | alter table t{n} replica identity full | update t{n} set b = 'p' | delete from t{n} where a = 1 | alter table t{n} drop column b cascade | alter table t{n} add column b text | alter table t{n} rename to t{k}
create foreign data wrapper fw | drop foreign data wrapper fw | drop foreign data wrapper fw cascade | create server sv foreign data wrapper fw | drop server sv | drop server sv cascade | alter server sv rename to sw | alter server sw rename to sv | create user mapping for r{n} server sv | create user mapping for public server sv | drop user mapping for r{n} server sv | alter user mapping for r{n} server sv options (user 'x') | create foreign table ft (a int) server sv | drop foreign table ft | alter foreign table ft add column c int | select * from ft | alter server sv owner to r{n} | grant usage on foreign server sv to r{n} | select * from pg_user_mappings | select * from information_schema.foreign_tables | create foreign table ft partition of pt default server sv | create table pt (a int) partition by list (a) | drop table pt | select * from pt | insert into pt values (1)
"""),
    "sessions": ("""
create table t{n} (a int, b text default 'd') | create table t{n} as select g a, 'x'::text b from generate_series(1, 100) g
""", """
create table t{n} (a int, b text default 'd') | create table t{n} as select g a, 'x'::text b from generate_series(1, 100) g | drop table t{n} | drop table t1, t2 | create temp table t{n} (a int, b text) | create temp table t{n} (a int, b text) on commit drop | create temp table t{n} on commit delete rows as select 1 a, 'x' b | drop table pg_temp.t{n} | create unlogged table t{n} (a int, b text) | alter table t{n} set unlogged | alter table t{n} set logged | alter table t{n} rename to t{k} | alter table t{n} rename b to c | alter table t{n} rename c to b | alter table t{n} add column c int default {k} | alter table t{n} add column c int default random() * {k} | alter table t{n} drop column if exists c | alter table t{n} drop column b | alter table t{n} add column b text
alter table t{n} alter a type bigint | alter table t{n} alter a type int | alter table t{n} alter b set default 'e' | alter table t{n} alter b drop default | alter table t{n} alter a set not null | alter table t{n} alter a drop not null | alter table t{n} set schema s | alter table s.t{n} set schema racing | create schema s | drop schema s cascade | truncate t{n} | vacuum full t{n} | discard plans | discard temp | discard all;;set search_path = racing | create table t{n} (like t{k} including all) | select * into t{n} from t{k} | create table t{n} as table t{k} | create table if not exists t{n} as select * from t{k}
prepare s{n} as select * from t{k} where a = $1 | execute s{n}({k}) | prepare u{n} as update t{k} set b = $1 where a < 5 | execute u{n}('v') | create table t{n} as execute s{k}(1) | deallocate s{n} | deallocate all | begin;;declare c cursor for select * from t{n};;fetch 2 c;;fetch all c;;commit | begin;;declare c scroll cursor for select * from t{n} order by a;;move last c;;fetch backward 3 c;;commit | declare h cursor with hold for select * from t{n} | fetch 5 h | close h | begin;;declare c cursor for select * from t{n} for update;;fetch c;;update t{n} set b = 'c' where current of c;;commit | close all
begin;;insert into t{n} values ({k});;select count(*) from t{k};;commit | begin isolation level repeatable read;;select count(*) from t{n};;select count(*) from t{k};;commit | begin isolation level serializable;;select count(*) from t{n};;insert into t{k} values (1);;commit | begin;;savepoint a;;drop table t{n};;rollback to a;;select * from t{k};;commit | begin;;alter table t{n} add column c int;;alter table t{k} drop column c;;commit | begin;;create table t{n} (a int, b text);;insert into t{n} values (1);;drop table t{k};;commit | begin;;lock table t{n} in share mode;;select * from t{k};;rollback
select * from t{n} | select count(*) from t1, t2 | insert into t{n} select * from t{k} | insert into t{n} values ({n}, default) | update t{n} set b = 'u' where a = {k} | update t1 set b = t2.b from t2 where t1.a = t2.a | delete from t{n} using t{k} x where x.a = t{n}.a | copy t{n} from stdin | copy t{n} to stdout | copy (select * from t{n} join t{k} using (a)) to stdout | with x as (delete from t{n} returning *) insert into t{k} select * from x | select * from t{n} for update nowait | select * from t{n} where a in (select a from t{k}) | table t{n} | explain (analyze) select * from t{n} | explain insert into t{n} select * from t{k} | begin;;lock table t{n} in access exclusive mode nowait;;rollback
do $$ declare r record; begin for r in select * from t{n} loop update t{k} set b = 'l' where a = r.a; end loop; end $$ | do $$ declare r t{n}; begin select * into r from t{n}; end $$ | do $$ declare x t{n}.a%type; begin x := 1; end $$ | do $$ begin execute 'create table t{n} (a int, b text)'; execute 'drop table t{k}'; exception when undefined_table or duplicate_table then null; end $$ | do $$ begin drop table if exists t{n}; create table t{n} as select 1 a, 'x' b; end $$ | select * from information_schema.columns where table_schema = 'racing' | select * from pg_stat_user_tables | select attname, attrelid::regclass from pg_attribute where attrelid >= 16384 | select pg_get_expr(adbin, adrelid) from pg_attrdef
select col_description(oid, 1), obj_description(oid) from pg_class where oid >= 16384 | select to_regclass('t{n}') | select 't{n}'::regclass | select has_table_privilege(oid, 'select'), has_any_column_privilege(oid, 'update') from pg_class where relname like 't_' | select * from pg_locks | select relation::regclass from pg_locks | select query_to_xml('select * from t{n}', true, true, '') | select table_to_xml('t{n}', true, true, '') | select schema_to_xml('racing', true, true, '') | select database_to_xmlschema(true, true, '') | comment on table t{n} is 't' | comment on column t{n}.b is 'b' | analyze t{n} | analyze t{n} (a) | alter table t{n} set (fillfactor = 50) | alter table t{n} alter a set statistics 50 | select * from t{n} tablesample system (50)
"""),
    "searches": ("""
create text search configuration c{n} (copy = simple) | create text search dictionary d{n} (template = simple) | create collation co{n} from "C" | create extension citext | create extension hstore | create table t (a text) | create table tx (a citext, h hstore) | create table tc (a text collate co{n}) | create operator class oc for type int using btree as operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 btint4cmp(int, int) | create table ti (a int)
""", """
create text search configuration c{n} (copy = simple) | create text search configuration c{n} (parser = default) | drop text search configuration c{n} | drop text search configuration c{n} cascade | alter text search configuration c{n} rename to c{k} | alter text search configuration c{n} add mapping for asciiword with d{k} | alter text search configuration c{n} alter mapping for asciiword with d{k}, simple | alter text search configuration c{n} drop mapping if exists for asciiword | create text search dictionary d{n} (template = simple) | drop text search dictionary d{n} | drop text search dictionary d{n} cascade | alter text search dictionary d{n} (accept = false) | alter text search dictionary d{n} rename to d{k}
select to_tsvector('c{n}', 'some words') | select to_tsquery('c{n}', 'words') | select ts_lexize('d{n}', 'word') | select * from ts_debug('c{n}', 'some words') | create table t (a text) | drop table t | create index ti on t using gin (to_tsvector('c{n}', a)) | drop index ti | insert into t values ('some words') | select * from t where to_tsvector('c{n}', a) @@ to_tsquery('c{k}', 'some') | set default_text_search_config = 'c{n}' | reset default_text_search_config | select to_tsvector(a) from t | alter table t add column v tsvector generated always as (to_tsvector('c{n}', a)) stored | alter table t drop column v | select cfgname, oid::regconfig from pg_ts_config | select dictname, oid::regdictionary from pg_ts_dict
create collation co{n} from "C" | create collation co{n} (provider = icu, locale = 'en') | drop collation co{n} | drop collation co{n} cascade | alter collation co{n} rename to co{k} | create table tc (a text collate co{n}) | drop table tc | insert into tc values ('x'), ('y') | select * from tc order by a | select * from tc order by a collate co{n} | select 'a' < 'b' collate co{n} | create index on tc (a collate co{n}) | alter table tc alter a type text collate co{n} | alter collation co{n} refresh version | create domain dc as text collate co{n} | drop domain dc
create extension citext | drop extension citext | drop extension citext cascade | create table tx (a citext, h hstore) | create table tx (a citext) | drop table tx | insert into tx values ('a=>1') | select * from tx where a = 'A=>1' | create index on tx (a) | select 'a'::citext | create extension hstore | drop extension hstore | drop extension hstore cascade | select 'a=>1'::hstore -> 'a' | alter extension citext set schema s | create schema s | drop schema s cascade | create extension pg_trgm | drop extension pg_trgm cascade | create index on t using gin (a gin_trgm_ops) | select * from t where a % 'word' | select similarity('a', 'b') | create extension btree_gist | drop extension btree_gist cascade
create operator class oc for type int using btree as operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 btint4cmp(int, int) | drop operator class oc using btree | drop operator family oc using btree | drop operator family oc using btree cascade | create table ti (a int) | drop table ti | create index ii on ti (a oc) | drop index ii | insert into ti select generate_series(1, 9) | select * from ti where a = 3 | select * from ti order by a | create operator family ofa using btree | alter operator family ofa using btree add operator 1 < (int, int8) | drop operator family ofa using btree | create operator <<< (function = cmp, leftarg = int, rightarg = int) | create function cmp(int, int) returns bool language sql as 'select $1 < $2' | drop function cmp cascade | select * from ti where a <<< 3 | select * from ti order by a using <<< | drop operator <<< (int, int)
create table pc (a int) partition by range (a oc) | drop table pc | create table pc1 partition of pc for values from (1) to (9) | insert into pc values (3) | create type rr as range (subtype = int, subtype_opclass = oc) | drop type rr | create access method am type index handler bthandler | drop access method am | drop access method am cascade | create index on ti using am (a) | create language la handler plpgsql_call_handler | drop language la | drop language la cascade | create function lf() returns int language la as 'begin return 1; end' | drop function lf | select lf() | create conversion cv for 'UTF8' to 'LATIN1' from utf8_to_iso8859_1 | drop conversion cv | create transform for hstore language plpgsql (from sql with function tff(internal))
select lo_create({n}00) | select lo_unlink({n}00) | select lo_from_bytea({n}00, 'x') | select lo_get({n}00) | comment on large object {n}00 is 'l' | alter large object {n}00 owner to postgres | grant select on large object {n}00 to public | select lo_put({n}00, 0, 'yy') | select * from pg_largeobject_metadata | select oprname, oprcode from pg_operator where oid >= 16384 | select oid::regoperator, oid::regoper from pg_operator where oid >= 16384 | select oid::regcollation from pg_collation where oid >= 16384 | select pg_describe_object(classid, objid, objsubid) from pg_depend where objid >= 16384 | select pg_identify_object(refclassid, refobjid, refobjsubid) from pg_depend where refobjid >= 16384 | select * from pg_opclass where oid >= 16384
"""),
}
GONE = {  # which columns name what has to be there
    "pg_attribute": [("attrelid", "pg_class"), ("case when attisdropped then 0 else atttypid end", "pg_type"),
                     ("case when attisdropped then 0 else attcollation end", "pg_collation")],
    "pg_class": [("relnamespace", "pg_namespace"), ("relowner", "pg_authid"), ("reltype", "pg_type")],
    "pg_type": [("typnamespace", "pg_namespace"), ("typrelid", "pg_class"), ("t.typelem", "pg_type"), ("t.typbasetype", "pg_type")],
    "pg_proc": [("pronamespace", "pg_namespace"), ("prorettype", "pg_type"), ("proowner", "pg_authid")],
    "pg_constraint": [("conrelid", "pg_class"), ("confrelid", "pg_class"), ("conindid", "pg_class"), ("contypid", "pg_type")],
    "pg_inherits": [("inhrelid", "pg_class"), ("inhparent", "pg_class")], "pg_enum": [("enumtypid", "pg_type")],
    "pg_index": [("indexrelid", "pg_class"), ("indrelid", "pg_class")], "pg_attrdef": [("adrelid", "pg_class")],
    "pg_trigger": [("tgrelid", "pg_class"), ("tgfoid", "pg_proc")], "pg_rewrite": [("ev_class", "pg_class")],
    "pg_policy": [("polrelid", "pg_class")], "pg_sequence": [("seqrelid", "pg_class"), ("seqtypid", "pg_type")],
    "pg_publication_rel": [("prrelid", "pg_class"), ("prpubid", "pg_publication")], "pg_statistic_ext": [("stxrelid", "pg_class")],
    "pg_range": [("rngtypid", "pg_type"), ("rngsubtype", "pg_type")], "pg_event_trigger": [("evtfoid", "pg_proc")],
    "pg_cast": [("castsource", "pg_type"), ("casttarget", "pg_type"), ("castfunc", "pg_proc")],
    "pg_operator": [("oprcode", "pg_proc"), ("oprleft", "pg_type"), ("oprright", "pg_type")],
    "pg_opclass": [("opcfamily", "pg_opfamily"), ("opcintype", "pg_type")], "pg_aggregate": [("aggfnoid", "pg_proc"), ("aggtransfn", "pg_proc")],
    "pg_foreign_table": [("ftrelid", "pg_class"), ("ftserver", "pg_foreign_server")], "pg_foreign_server": [("srvfdw", "pg_foreign_data_wrapper")],
    "pg_user_mapping": [("umserver", "pg_foreign_server")], "pg_ts_config_map": [("mapcfg", "pg_ts_config"), ("mapdict", "pg_ts_dict")],
    "pg_auth_members": [("roleid", "pg_authid"), ("member", "pg_authid")],
}
ORPHANS = " union all ".join(f"select '{table}: {column}', t::text from {table} t where {column} >= 16384 and not exists (select from {of} there where there.oid = {column})"
                             for table, columns in GONE.items() for column, of in columns)
COPIED = "1\t1\n2\t2\n"


def statements(text):
    return [s.strip() for line in text.strip().splitlines() for s in line.split(" | ")]


def is_serious(error, lenient, sql):
    """What no statement may answer. PostgreSQL itself says of what has just been dropped that it cannot be found."""
    state = error.sqlstate
    if state is None or state.startswith(("08", "57")):
        return True
    # Of the type of a prepared statement's parameter drivers take it for the sign to look again (engine/exec/gone.h).
    parameter = sql.startswith("execute ") and "cache lookup failed for type" in str(error)
    return state.startswith("XX") and not lenient and not parameter


class Racer(threading.Thread):
    def __init__(self, connect, seed, number, pool, until, complaints, states, lenient):
        super().__init__(daemon=True)
        self.random, self.until, self.complaints, self.states, self.lenient = random.Random(f"{seed} {number}"), until, complaints, states, lenient
        (self.basics, self.others), self.seed = pool, seed
        self.connection = connect("racing", autocommit=True, prepare_threshold=self.random.choice([0, 3, None]))
        self.connection.execute("set search_path = racing")
        self.connection.execute(f"set statement_timeout = '{PATIENCE_S}s'")
        self.now = None

    def run(self):
        try:
            while time.monotonic() < self.until and len(self.complaints) < 20:
                self.one()
        except Exception:  # noqa: a thread must not lose its complaint
            self.complaints.append(f"{self.now}: {traceback.format_exc()}")
        finally:
            self.connection.close()

    def one(self):
        if self.random.random() < 0.3:  # others wait for what it has done, and find that it is so
            steps = ["begin", *(self.template() for _ in range(self.random.randint(1, 3))), self.random.choice(["commit", "commit", "rollback"])]
        else:
            steps = [self.template()] * self.random.choice([1, 1, 1, 2, 5])
        for template in steps:
            sql = template
            for name in ("{n}", "{k}"):
                sql = sql.replace(name, self.random.choice("12"))
            for part in sql.split(";;"):
                self.states[template, self.attempt(part)] += 1
            if len(steps) == 1 or self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
                break
        if self.connection.info.transaction_status:
            self.connection.rollback()

    def template(self):
        """One of the few that all sessions have at the moment, so that they meet often."""
        now = random.Random(f"{self.seed} {int((self.until - time.monotonic()) / MOMENT_S)}")
        few = now.sample(self.others, FEW)
        return self.random.choice(self.basics if self.random.random() < 0.3 else few)

    def attempt(self, sql):
        self.now = sql
        try:
            if sql.startswith("copy"):
                with self.connection.cursor().copy(sql) as copy:
                    if sql.endswith("stdin"):
                        copy.write(COPIED)
                    else:
                        collections.deque(copy, maxlen=0)
            else:
                self.connection.execute(sql)
            return "00000"
        except psycopg.Error as error:
            if is_serious(error, self.lenient, sql):
                self.complaints.append(f"{sql}: {error.sqlstate} {error}")
            if error.sqlstate is None:
                raise
            return error.sqlstate


def clean(connect):
    """Even PostgreSQL leaves rows behind that name what is gone: what is made in a race goes with its database."""
    with connect("postgres", autocommit=True) as admin:
        admin.execute("drop database if exists racing with (force)")
        admin.execute("drop role if exists racer, r1, r2")


def look_behind(connect, pool):
    """What the race has left is whole: it refers to nothing that is gone, and what uses it succeeds or is refused."""
    complaints = []
    with connect("racing", autocommit=True) as quiet:
        quiet.execute("set search_path = racing")
        quiet.execute(f"set statement_timeout = '{PATIENCE_S}s'")
        complaints += [f"left behind: {row}" for row in quiet.execute(ORPHANS).fetchall()]
        states = collections.Counter()
        racer = Racer(connect, 0, 0, pool, 0, complaints, states, False)
        racer.connection.close()
        racer.connection = quiet
        for template in pool[0] + pool[1]:
            for number in "12":
                for part in template.replace("{n}", number).replace("{k}", number).split(";;"):
                    racer.attempt(part)
                if quiet.info.transaction_status:
                    quiet.rollback()
    return [f"afterwards: {complaint}" for complaint in complaints]


def race(connect, topic, seed, seconds, states, lenient):
    complaints, pool = [], [statements(text) for text in TOPICS[topic]]
    clean(connect)
    with connect("postgres", autocommit=True) as admin:
        admin.execute("create database racing")
    with connect("racing", autocommit=True) as admin:
        admin.execute("create schema racing")
        admin.execute("set search_path = racing")
        admin.execute("create role racer")
        admin.execute("grant all on schema racing to racer")
    chosen = random.Random(f"{seed} {topic}")
    until = time.monotonic() + seconds
    count = chosen.randint(2, 6)
    racers = [Racer(connect, f"{seed} {topic}", i, pool, until, complaints, states, lenient) for i in range(count)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(max(until - time.monotonic(), 0) + 2 * PATIENCE_S)
        if racer.is_alive():
            complaints.append(f"it does not end: {racer.now}")
            break
    else:
        complaints += [] if lenient else look_behind(connect, pool)
        clean(connect)
    return [f"{topic}: {complaint}" for complaint in complaints]


def run(connect, seed, seconds, topics=TOPICS, lenient=False, states=None):
    """Answers the complaints."""
    complaints, states = [], collections.Counter() if states is None else states
    for topic in topics:
        complaints += race(connect, topic, seed, seconds, states, lenient)
    refused = sum(n for (_, state), n in states.items() if state != "00000")
    print(f"  {len(topics)} topics, {sum(states.values())} statements, {refused} of them refused, seed {seed}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--topics", nargs="+", default=list(TOPICS))
    parser.add_argument("--seconds", type=float, default=2, help="of each topic")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--states", action="store_true")
    parser.add_argument("--lenient", action="store_true", help="XX000 is none, as of PostgreSQL")
    options = parser.parse_args()
    host, port = options.address.rsplit(":", 1)
    connect = lambda name, **more: psycopg.connect(f"host={host} port={port} user=postgres dbname={name}", **more)
    states = collections.Counter()
    complaints = run(connect, options.seed, options.seconds, options.topics, options.lenient, states)
    print("\n".join(complaints))
    if options.states:
        for (template, state), n in sorted(states.items()):
            print(f"{state} {n} {template}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

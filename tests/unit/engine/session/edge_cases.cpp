#include "tests/unit/engine/session/edge_cases.h"

namespace indigo::engine {

namespace {

const EdgeCase kCases[] = {
    {"",
     {"select g, g * 2.5, 'x' || g, array[g, g] from generate_series(1, 50) g where g % 3 = 0 order by 2 desc"},
     "select 1",
     ""},
    {"",
     {"select t.b, count(*), string_agg(u.b, ',' order by u.a) from t join t u on t.a % 5 = u.a % 5 group by t.b "
      "having count(*) > 1"},
     "select 1",
     ""},
    {"",
     {"insert into t select g, 'new' from generate_series(101, 140) g"},
     "select count(*) from t",
     "delete from t where a > 100"},
    {"",
     {"update t set b = b || 'x', a = a + 1000 where a between 10 and 30"},
     "select min(b), count(*) from t where a > 1000",
     "update t set b = rtrim(b, 'x'), a = a - 1000 where a > 1000"},
    {"",
     {"delete from t where a < 20"},
     "select count(*) from t",
     "insert into t select g, 'b' || g from generate_series(1, 19) g"},
    {"",
     {"insert into t values (1, 'y') on conflict (a) do update set b = excluded.b returning *"},
     "select b from t where a = 1",
     "update t set b = 'b1' where a = 1"},
    {"",
     {"create table made (a int primary key, b text default 'x' check (b <> ''), c serial)"},
     "select count(*) from pg_class where relname like 'made%'",
     "drop table made"},
    {"",
     {"create index t_b on t (upper(b)) where a > 5"},
     "select count(*) from pg_indexes where indexname = 't_b'",
     "drop index t_b"},
    {"",
     {"alter table t add column c int default 7, add constraint positive check (a > 0)"},
     "select count(*) from pg_attribute where attrelid = 't'::regclass and attnum > 0 and not attisdropped",
     "alter table t drop column c, drop constraint positive"},
    {"create table gone (a int primary key, b text)",
     {"drop table gone"},
     "select count(*) from pg_class where relname = 'gone'",
     "create table gone (a int primary key, b text)"},
    {"",
     {"create view seen as select a, b from t group by a"},
     "select count(*) from pg_class where relname = 'seen'",
     "drop view seen"},
    {"",
     {"begin", "insert into t values (200, 'n')", "savepoint s", "update t set b = 'm' where a = 200", "rollback to s",
      "insert into t values (201, 'o')", "commit"},
     "select count(*), max(b) from t where a >= 200",
     "delete from t where a >= 200"},
    {"",
     {"begin", "declare c cursor for select a, b from t order by b", "fetch 10 from c", "move 5 in c", "fetch 3 from c",
      "rollback"},
     "select 1",
     ""},
    {"",
     {"begin", "create temp table temporary on commit drop as select * from t", "select sum(a) from temporary",
      "commit"},
     "select count(*) from pg_class where relname = 'temporary'",
     ""},
    {"",
     {"explain (analyze, costs off, timing off) select * from t where a in (select a from t where b like 'b1%')"},
     "select 1",
     ""},
    {"", {"set work_mem = '8MB'"}, "show work_mem", "reset work_mem"},
    {"",
     {"select * from json_to_recordset('[{\"a\": 1, \"b\": \"x\"}]') q(a int, b text), jsonb_each('{\"k\": [1, 2]}')"},
     "select 1",
     ""},
    {"create function twice(n int) returns int language plpgsql as 'declare r record; begin for r in select a from t "
     "where a = n "
     "loop n := n + r.a; end loop; begin perform 1 / (n - n); exception when division_by_zero then n := n + 1; end; "
     "return n; end'",
     {"select twice(a) from t where a < 5"},
     "select 1",
     "select 1"},
    {"create table parted (a int, b text) partition by range (a); create table parted_1 partition of parted for values "
     "from (0) to "
     "(100); create table parted_2 partition of parted default; create index on parted (b)",
     {"begin", "insert into parted select g, 'p' || g from generate_series(90, 110) g",
      "update parted set a = a + 5 where a between 95 and 99", "commit"},
     "select count(*), sum(a), count(distinct tableoid) from parted",
     "delete from parted"},
    {"create table parent (a int primary key); create table child (a int references parent on delete cascade); "
     "insert into parent select generate_series(1, 10); insert into child select generate_series(1, 10)",
     {"delete from parent where a > 5"},
     "select count(*) from parent, child",
     "insert into parent select generate_series(6, 10); insert into child select generate_series(6, 10)"},
    {"create table watched (a int); create table seen_by (n int); create function note() returns trigger language "
     "plpgsql as "
     "'begin insert into seen_by select count(*) from fresh; return null; end'; create trigger w after insert on "
     "watched "
     "referencing new table as fresh for each statement execute function note()",
     {"insert into watched select generate_series(1, 20)"},
     "select count(*), sum(n) from seen_by",
     "delete from watched; delete from seen_by"},
    {"create table guarded (a int, owner name default current_user); alter table guarded enable row level security; "
     "alter table guarded force row level security; create policy mine on guarded using (a > 0) with check (a < 100)",
     {"begin", "insert into guarded select generate_series(1, 10) returning a", "update guarded set a = a + 1",
      "commit"},
     "select count(*), sum(a) from guarded",
     "delete from guarded"},
    {"",
     {"alter table t alter column b type varchar(20)"},
     "select atttypid::regtype from pg_attribute where attrelid = 't'::regclass "
     "and attname = 'b'",
     "alter table t alter column b type text"},
    {"",
     {"create index t_hash on t using hash (b)"},
     "select count(*) from pg_indexes where indexname = 't_hash'",
     "drop index t_hash"},
    {"",
     {"create index t_griffin on t using griffin (b)"},
     "select count(*) from pg_indexes where indexname = 't_griffin'",
     "drop index t_griffin"},
    {"",
     {"grant select, insert on t to public"},
     "select relacl is null from pg_class where relname = 't'",
     "revoke all on t from public; update pg_class set relacl = null where relname = 't'"},
    {"create sequence counter", {"select setval('counter', 100, false)"}, "select 1", "select 1"},
    {"create table emptied as select * from t",
     {"truncate emptied"},
     "select count(*) from emptied",
     "insert into emptied select * from t"},
    {"",
     {"with recursive r as (select 1 n union all select n + 1 from r where n < 30) select n, sum(n) over (order by n "
      "rows 3 preceding), "
      "jsonb_build_object('n', n) ->> 'n', regexp_replace(n::text, '(\\d)', '<\\1>', 'g'), to_char(now(), 'YYYY') from "
      "r"},
     "select 1",
     ""},
    {"",
     {"merge into t using (select g a, 'm' b from generate_series(55, 65) g) s on t.a = s.a when matched then update "
      "set b = s.b "
      "when not matched then insert values (s.a, s.b)"},
     "select count(*), sum(length(b)) from t",
     "delete from t where a > 60; update t set b = 'b' || a where b = 'm'"},
    {"",
     {"create database copied template template1"},
     "select count(*) from pg_database where datname = 'copied'",
     "drop database copied"},
    {"",
     {"create role passing login password 'x'"},
     "select count(*) from pg_authid where rolname = 'passing'",
     "drop role passing"},
    {"",
     {"create type mood as enum ('a', 'b')"},
     "select count(*) from pg_type where typname = 'mood'",
     "drop type mood"},
    {"", {"analyze t"}, "select 1", "delete from pg_statistic where false"},
    {"create table copied (a int primary key, b text, c numeric default 1.5); create index on copied (b)",
     {"copy copied (a, b) from stdin"},
     "select count(*), sum(length(b)) from copied",
     "delete from copied"},
    {"", {"copy (select a, b, array[a, 2], now() from t order by b) to stdout with csv header"}, "select 1", ""},
    {"create table large (a int primary key, b text)",
     {"begin", "insert into large select g, repeat(md5(g::text), 400 * g) from generate_series(1, 8) g",
      "update large set b = b || 'x' where a % 2 = 0", "delete from large where a > 6", "commit"},
     "select count(*), sum(length(b)) from large",
     "delete from large"},
    {"create table docs (a int primary key, w text[], j jsonb, s tsvector); create index on docs using gin (w); create "
     "index on docs using gin (j); create index on docs using gin (s)",
     {"begin",
      ("insert into docs select g, array['w' || g, 'w' || g % 3], jsonb_build_object('k', g), to_tsvector('english', "
       "'the cats ' || g) from generate_series(1, 12) g"),
      "update docs set w = w || 'more'::text where a < 4", "delete from docs where w @> array['w2']", "commit"},
     "select count(*), (select count(*) from docs where w @> array['more']), (select count(*) from docs where s @@ "
     "to_tsquery('cat')) from docs",
     "delete from docs"},
    {"create table buffered (a int primary key, b text, c int, d int); create index on buffered using griffin (b); "
     "create index on buffered using indexlet (c); create index on buffered using hydralist (d); create unique index "
     "on "
     "buffered (b, c)",
     {"begin", "insert into buffered select g, 'b' || g, g % 7, g % 5 from generate_series(1, 60) g",
      "update buffered set c = c + 1, b = b || 'y' where a % 4 = 0", "delete from buffered where d = 3", "commit"},
     "select count(*), sum(c), count(distinct b) from buffered",
     "delete from buffered"},
    {"",
     {"select b collate \"de-x-icu\", initcap(b collate \"tr-x-icu\"), upper(b collate \"de-x-icu\") from t where b "
      "collate \"de-x-icu\" > 'b2' order by 1"},
     "select 1",
     ""},
    {"create table words (w text collate \"sv-x-icu\" primary key, n int)",
     {"begin", "insert into words select 'w' || g, g from generate_series(1, 20) g",
      "update words set w = w || 'z' where n < 5", "commit"},
     "select count(*), min(w), max(w) from words",
     "delete from words"},
    {"",
     {"select b ~ '^b[0-9]{2,}$', b similar to '%1%', b like '%2_', regexp_split_to_array(b, '\\d'), regexp_match(b, "
      "'(b)(\\d+)'), translate(b, 'b', 'c'), format('%s-%I-%L', a, b, b) from t"},
     "select 1",
     ""},
    {"",
     {"select to_tsvector('english', 'fat cats ran over ' || b) @@ to_tsquery('english', 'cat & run'), "
      "ts_headline('english', 'fat cats ran ' || b, to_tsquery('cat')), ts_rank(to_tsvector(b), plainto_tsquery(b)) "
      "from t "
      "where a < 6"},
     "select 1",
     ""},
    {"",
     {"select jsonb_path_query_array(j, '$.a[*] ? (@ > 1)'), jsonb_set(j, '{a,0}', '7'), j || '{\"b\": [1]}', "
      "jsonb_pretty(j), (select jsonb_agg(x) from jsonb_array_elements(j -> 'a') x), jsonb_object_agg('k', 1) over () "
      "from "
      "(select jsonb_build_object('a', array[a, 2, 3]) j from t where a < 4) q"},
     "select 1",
     ""},
    {"",
     {"select 2::numeric ^ a, (a * 1.5)::money, int4range(a, a + 5) * int4range(3, 9), range_agg(int4range(a, a + 2)) "
      "over "
      "(), ('10.0.0.' || a)::inet << '10.0.0.0/24', point(a, 1) <-> point(2, 3), a::bit(8) | b'00000001', timestamptz "
      "'2024-03-31 01:30+01' at time zone 'Europe/Berlin' + a * interval '1 hour', md5(b)::uuid, sha256(b::bytea) from "
      "t "
      "where a < 5"},
     "select 1",
     ""},
    {"",
     {"select a % 3, a % 4, count(distinct b), array_agg(b order by a desc), percentile_cont(0.5) within group (order "
      "by "
      "a), mode() within group (order by b), json_object_agg(b, a) from t group by grouping sets ((1), (2), ()) order "
      "by 1, 2"},
     "select 1",
     ""},
    {"",
     {"select b from t union select 'c' || b from t except select 'b3' intersect select b from t order by 1 limit 7"},
     "select 1",
     ""},
    {"",
     {"select t.a, l.n, lag(t.b) over w, rank() over w, ntile(3) over w from t left join lateral (select count(*) n "
      "from t u "
      "where u.a < t.a) l on true full join (values (3, 'x'), (99, 'y')) v(a, c) on v.a = t.a window w as (partition "
      "by "
      "t.a % 2 order by t.b)"},
     "select 1",
     ""},
    {"create table objects (o oid)",
     {"begin", "insert into objects select lo_from_bytea(0, decode(repeat('00ff', 3000), 'hex'))",
      "select lo_put(o, 100, 'written') from objects", "select length(lo_get(o)) from objects", "commit"},
     "select count(*) from pg_largeobject_metadata",
     "select lo_unlink(o) from objects; delete from objects"},
    {"",
     {"begin", "listen here", "notify here, 'payload'", "select pg_notify('here', 'x')", "commit"},
     "select 1",
     "unlisten *"},
    {"",
     {"deallocate all", "prepare p (int) as select a, b from t where a = $1", "execute p(5)", "deallocate p"},
     "select 1",
     "deallocate all"},
    {"",
     {"begin", "declare held cursor with hold for select a, b from t order by b", "commit"},
     "select count(*) from pg_cursors where name = 'held'",
     "close held"},
    {"",
     {"begin isolation level serializable", "select sum(a) from t where a < 30", "insert into t values (400, 'serial')",
      "commit"},
     "select count(*) from t where a = 400",
     "delete from t where a = 400"},
    {"create table chosen (a int unique deferrable initially deferred, r int references t (a) deferrable initially "
     "deferred)",
     {"begin", "insert into chosen select g, g from generate_series(1, 10) g", "update chosen set a = a + 1", "commit"},
     "select count(*), sum(a) from chosen",
     "delete from chosen"},
    {"",
     {"create materialized view kept as select a % 5 m, count(*) from t group by 1"},
     "select count(*) from pg_class where relname = 'kept'",
     "drop materialized view kept"},
    {"create materialized view fresh_view as select a, b from t; create unique index on fresh_view (a)",
     {"refresh materialized view fresh_view", "refresh materialized view concurrently fresh_view"},
     "select count(*) from fresh_view",
     ""},
    {"create table ruled (a int); create table ruled_log (a int); create rule r as on insert to ruled do also insert "
     "into "
     "ruled_log values (new.a)",
     {"insert into ruled select generate_series(1, 5)"},
     "select (select count(*) from ruled), (select count(*) from ruled_log)",
     "delete from ruled; delete from ruled_log"},
    {"create procedure steps() language plpgsql as 'begin insert into t values (500, ''one''); commit; insert into t "
     "values "
     "(501, ''two''); rollback; end'",
     {"do 'declare n int := 0; begin for i in 1..5 loop n := n + i; perform a from t where a = i; end loop; raise "
      "notice "
      "''%'', n; end'"},
     "select 1",
     ""},
    {"create function fib(n int) returns int language sql as 'select case when n < 2 then n else fib(n - 1) + fib(n - "
     "2) "
     "end'; create function pairs() returns table (x int, y text) language plpgsql as 'begin return query select a, b "
     "from t; x := 0; y := ''end''; return next; end'",
     {"select fib(5), count(*), max(y) from pairs()"},
     "select 1",
     ""},
    {"",
     {"create domain positive_int as int check (value > 0)"},
     "select count(*) from pg_type where typname = 'positive_int'",
     "drop domain positive_int"},
    {"create type grade as enum ('low')",
     {"alter type grade add value 'high' after 'low'"},
     "select enum_range(null::grade)",
     "drop type grade; create type grade as enum ('low')"},
    {"",
     {"create schema apart create table apart.x (a int primary key) create view apart.v as select a from apart.x"},
     "select count(*) from pg_class where relnamespace::regnamespace::text = 'apart'",
     "drop schema apart cascade"},
    {"create schema doomed; create table doomed.x (a int primary key); create view doomed.v as select * from doomed.x",
     {"drop schema doomed cascade"},
     "select count(*) from pg_namespace where nspname = 'doomed'",
     "create schema doomed; create table doomed.x (a int primary key); create view doomed.v as select * from doomed.x"},
    {"create table whole (a int, b text) partition by list (b); create table piece (a int, b text); insert into piece "
     "values (1, 'x')",
     {"alter table whole attach partition piece for values in ('x')"},
     "select count(*) from whole",
     "alter table whole detach partition piece"},
    {"create table keyed as select * from t",
     {"begin", "alter table keyed add primary key (a)", "cluster keyed using keyed_pkey", "reindex table keyed",
      "commit"},
     "select count(*) from pg_index where indrelid = 'keyed'::regclass",
     "alter table keyed drop constraint keyed_pkey"},
    {"create table renamed (a int)",
     {"begin", "alter table renamed rename a to b", "alter table renamed rename to other_name",
      "comment on table other_name is 'x'", "commit"},
     "select count(*) from pg_class where relname = 'renamed'",
     "alter table other_name rename to renamed; alter table renamed rename b to a"},
    {"",
     {"begin", "select * from t where a < 5 for update", "lock table t in share mode",
      "select pg_advisory_xact_lock(5)", "commit"},
     "select 1",
     ""},
    {"",
     {"select count(*), max(column_name) from information_schema.columns where table_name = 't'",
      "select * from pg_stat_activity", "select pg_get_viewdef('pg_tables'::regclass), pg_total_relation_size('t')"},
     "select 1",
     ""},
    {"create extension pgcrypto",
     {"select digest(b, 'sha256'), crypt('x', gen_salt('md5')), encode(hmac(b, 'k', 'sha1'), 'base64') from t where a "
      "< 3"},
     "select 1",
     ""},
    {"create table xmls (a int primary key, x xml)",
     {"insert into xmls select a, ('<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY e \"entity\">]><r n=\"1\"><i>&e;</i>' "
      "|| b "
      "|| '</r>')::xml from t where a < 4 returning x is document, xml_is_well_formed('<a')"},
     "select count(*), sum(length(x::text)) from xmls",
     "delete from xmls"},
    {"create table read_xmls as select a, ('<r n=\"1\"><i>' || b || '</i></r>')::xml as x from t where a < 4",
     {"select xmlelement(name a, xmlattributes(b as c), xmlforest(b, a)), xmlroot(xmlparse(content b), version '1.1'), "
      "xmlserialize(content xmlconcat(xmlpi(name p), b::xml) as text), xmlagg(b::xml) over () from t where a < 4",
      "select xpath('//i[contains(., \"n\")]/text()', x), xpath_exists('count(//i) + sum(//@n)', x), "
      "xmlexists('//i/@*' passing x) from read_xmls",
      "select q.* from read_xmls, xmltable('//i' passing x columns n for ordinality, t text path '.', w xml path '..') "
      "q",
      "select table_to_xml_and_xmlschema('read_xmls', true, false, 'u'), query_to_xml('select * from read_xmls', "
      "false, "
      "true, '')"},
     "select 1",
     ""},
    {"create table generated (a int generated always as identity, b int, c int generated always as (b * 2) stored)",
     {"insert into generated (b) values (1), (2), (3) returning *"},
     "select count(*), sum(c) from generated",
     "delete from generated"},
    {"",
     {"begin", "set local search_path = public", "set timezone = 'Asia/Tokyo'", "set datestyle = 'German'", "commit"},
     "show timezone",
     "reset timezone; reset datestyle"},
    {"",
     {"explain (verbose, format json) select * from t join t u using (b) where t.a in (1, 2) order by u.a"},
     "select 1",
     ""},
    {"",
     {"select * from t where a = any ('{1,2,3}'::int[]) and exists (select from t u where u.a = t.a + 1) and b in "
      "('b1', 'b2')"},
     "select 1",
     ""},
    {"create table caught (n int); create function careful() returns void language plpgsql as 'begin insert into "
     "caught "
     "values (1); begin insert into caught select a from t; exception when others then insert into caught values (1); "
     "end; "
     "end'",
     {"select careful()"},
     "select count(*) > 0 from caught",
     "delete from caught"},
};

}  // namespace

std::span<const EdgeCase> edge_cases() { return kCases; }

}  // namespace indigo::engine

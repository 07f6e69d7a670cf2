-- Every kind of stored expression over every kind of type and object: under a search_path that finds none of them, after each of
-- them has another name and schema, and through pg_dump. A stored tree knows objects, not names.

create schema zoo; create schema other; create schema away;
SET search_path = zoo;
create type mood as enum ('sad', 'ok', 'happy');
create type pair as (a int, m mood);
create domain posint as int default 7 check (value > 0);
create domain dmood as mood default 'ok' check (value <> 'sad');
create collation co (provider = icu, locale = 'und');
create sequence seq;
create table ref (x int primary key, y text);
create table t (
  id int primary key default nextval('seq'),
  m mood default 'ok' check (m <> 'sad'),
  ms mood[] default array['ok','happy']::mood[] check (not (ms @> array['sad']::mood[])),
  p pair default row(1, 'happy')::pair check ((p).m is distinct from 'sad'),
  ps pair[] default array[row(1,'ok')::pair],
  pi posint,
  dm dmood,
  rc regclass default 'ref'::regclass,
  rt regtype default 'mood'::regtype,
  rp regprocedure default 'pg_catalog.lower(text)'::regprocedure,
  rn regnamespace default 'other'::regnamespace,
  txt text collate co default 'a' check (txt < 'B' collate co),
  vc varchar(10) default 'vc',
  n numeric(6,2) default 1.5,
  iv interval default '1 day',
  ts timestamptz default '2020-01-01 00:00:00+00',
  by bytea default '\x00ff',
  js jsonb default '{"a": 1}',
  g int generated always as (case m when 'ok' then 1 when 'happy' then 2 else 0 end) stored,
  gm mood generated always as ((p).m) stored
);
create index ti on t ((case when m = 'happy' then 1 else 0 end));
create index tp on t (id) where m = 'ok' and ms <> '{sad}';
create unique index tl on t ((txt || 'x') collate co, id);
create index te on t (m) include (vc) where dm::mood = 'ok';
create view v as select id, m, (p).m as pm, 'happy'::mood as c, ms[1] as first, array['ok'::mood, m] as arr, row(1, m)::pair as r, x.y
  from t left join ref x on x.x = t.id where m in ('ok', 'happy') or p = row(1, 'sad')::pair;
create view vu as select * from t join (select x as id, y from ref) q using (id);
create view vn as select * from ref natural join (select 1 as x, 'ok'::mood is null as k) q where false;
create view vg as select x, y, count(*) from ref group by x;
create view vw as with recursive r(n, m) as (select 1, 'sad'::mood union all select n + 1, m from r where n < 3) select n, m, sum(n) over w from r window w as (partition by m order by n);
create view vx as select m from t where exists (select 1 from ref where ref.x = t.id and t.m = 'ok') and id = any (select x from ref) union select 'sad' order by 1;
create view vv as select v.id, v.c, vu.y from v full join vu using (id);
create view vr as select x from ref where x > (select count(*) from t where dm::mood = 'happy');
-- A session that sees none of the names.
SET search_path = '';
INSERT INTO zoo.t (id) VALUES (DEFAULT);
INSERT INTO zoo.t (m) VALUES ('happy');
INSERT INTO zoo.t (m) VALUES ('sad');
INSERT INTO zoo.t (ms) VALUES ('{sad}');
INSERT INTO zoo.ref VALUES (1, 'one');
SELECT * FROM zoo.t ORDER BY id;
SELECT * FROM zoo.v ORDER BY id;
SELECT * FROM zoo.vx;
SELECT * FROM zoo.vw;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND connamespace = 'zoo'::regnamespace ORDER BY 1;
SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'zoo.t'::regclass ORDER BY 1::text;
SELECT typname, typdefault, pg_get_expr(typdefaultbin, 0) FROM pg_type WHERE typtype = 'd' AND typnamespace = 'zoo'::regnamespace ORDER BY 1;
SELECT id FROM zoo.t WHERE m = 'ok' AND ms <> '{sad}' AND id = 1;
-- Others hold on to what is mentioned.
\set VERBOSITY terse
DROP TYPE zoo.mood;
DROP SEQUENCE zoo.seq;
ALTER TABLE zoo.ref DROP CONSTRAINT ref_pkey;
ALTER TABLE zoo.ref DROP COLUMN y;
\set VERBOSITY default

SET search_path = zoo;
alter type mood rename value 'ok' to 'fine, "thanks"';
alter type mood rename value 'sad' to 'sor''ry';
alter type mood rename to "Mood";
alter type pair rename attribute m to mm;
alter type pair rename to "Pair";
alter domain posint rename to pos;
alter domain dmood rename to dm2;
alter collation co rename to "Co";
alter sequence seq rename to "Seq";
alter table ref rename column x to z;
alter table ref rename column y to "Y";
alter table ref rename to reference;
alter table t rename column m to "M";
alter table t rename column id to key;
alter table t rename column txt to words;
alter table t rename to "T";
alter view v rename column c to cc;
alter view v rename to "V";
alter type "Pair" set schema away;
alter collation "Co" set schema away;
alter sequence "Seq" set schema away;
alter table reference set schema away;
alter schema other rename to another;
alter schema zoo rename to "Zoo";

SET search_path = '';
INSERT INTO "Zoo"."T" (key) VALUES (DEFAULT) RETURNING key, "M", ms, p, ps, pi, dm, rc, rt, rp, rn, words, g, gm;
INSERT INTO "Zoo"."T" ("M") VALUES ('sor''ry');
SELECT * FROM "Zoo"."V" ORDER BY id;
SELECT * FROM "Zoo".vu ORDER BY id;
SELECT * FROM "Zoo".vx;
SELECT * FROM "Zoo".vw;
SELECT * FROM "Zoo".vv ORDER BY 1;
SELECT pg_get_viewdef('"Zoo".vu', true);
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND connamespace = '"Zoo"'::regnamespace ORDER BY 1;
CREATE TABLE "Zoo".copy (extra int, LIKE "Zoo"."T" INCLUDING ALL EXCLUDING INDEXES);
INSERT INTO "Zoo".copy (extra) VALUES (1) RETURNING extra, "M", ms, p, words, g, gm;
INSERT INTO "Zoo".copy ("M") VALUES ('sor''ry');
\d "Zoo".copy

\setenv PGHOST :HOST
\setenv PGPORT :PORT
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME
\! pg_dump | grep -Ev '^-- Dumped|^.(un)?restrict '
CREATE DATABASE psql_stored_copy;
\! pg_dump | psql -X -q -d psql_stored_copy 2>&1 | grep -E 'ERROR|WARNING'
\! pg_dump | grep -Ev '^-- Dumped|^.(un)?restrict ' > "/tmp/psql_stored_$$.1"; pg_dump psql_stored_copy | grep -Ev '^-- Dumped|^.(un)?restrict ' | diff "/tmp/psql_stored_$$.1" - && echo "the copy dumps the same"; rm -f "/tmp/psql_stored_$$.1"
DROP DATABASE psql_stored_copy;

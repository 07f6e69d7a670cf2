"""Sessions that run random definitions, changes and queries over a few names, each session in transactions of its own: most
statements fail, as they should, but none with an internal error, none ends a connection, and none waits for ever."""
import collections
import random
import threading
import traceback

import psycopg

# {n} and {k} are one of three numbers, {w} a word.
DEFINITIONS = """
create type mood as enum ('a', 'b') | alter type mood add value if not exists '{w}' | drop type if exists mood cascade
create domain pos as int check (value > 0) | alter domain pos add constraint c{n} check (value < {n}000)
alter domain pos drop constraint if exists c{n} | drop domain if exists pos cascade
create table t{n} (id int primary key, v int, w text, m mood) | create table t{n} (id serial, v pos, w text)
drop table if exists t{n} cascade | alter table t{n} add column x{n} int default {n}
alter table t{n} drop column if exists x{n} cascade | alter table t{n} rename column v to vv
alter table t{n} rename column vv to v | alter table t{n} rename to t{k} | alter table t{n} alter column v type text
alter table t{n} alter column v type int using v::int | create or replace view v{n} as select * from t{n}
create view v{n} as select id, v from t{n} where v > 3 | drop view if exists v{n} cascade
create view vv{n} as select * from v{n} join t{k} using (id) | create index i{n} on t{n} (v)
create index on t{n} (lower(w)) | drop index if exists i{n} | create unique index u{n} on t{n} (id, v)
alter table t{n} add primary key (id) | alter table t{n} drop constraint if exists t{n}_pkey cascade
alter table t{n} add foreign key (v) references t{k} | alter table t{n} add check (id > -{n})
alter table t{n} alter column w set not null | alter table t{n} alter column w drop not null
alter table t{n} alter w set default 'q' | create schema s{n} | drop schema if exists s{n} cascade
alter table t{n} set schema s{n} | alter table s{n}.t{n} set schema public | alter schema s{n} rename to s{k}
create table s{n}.t{n} as select * from t{k} | create sequence q{n} | drop sequence if exists q{n} cascade
alter sequence q{n} restart | alter sequence q{n} increment 3 | truncate t{n} | truncate t{n}, t{k} cascade
analyze | analyze t{n} | reindex table t{n} | comment on table t{n} is 'x' | grant select on t{n} to public
revoke all on t{n} from public | create temp table tt (a int) on commit drop | create temp table t{n} (id int, v int)
drop table if exists pg_temp.t{n} | discard plans | create table part (id int, v int, w text) partition by range (id)
create table part{n} partition of part for values from ({n}0) to ({n}9) | drop table if exists part cascade
create table part{n} partition of part default | alter table part attach partition t{n} for values from ({k}0) to ({k}9)
alter table part detach partition part{n} | alter table part detach partition part{n} concurrently
alter table part detach partition part{n} finalize | alter table part detach partition t{n} | create index on part (v)
alter table part add primary key (id) | alter table t{n} add foreign key (v) references part | truncate part
create or replace function f{n}(a int) returns int language sql as 'select max(v)::int + a from t{k}'
create or replace function f{n}(a int) returns int language sql immutable as 'select a * {k}'
create or replace function f{n}(a int) returns int language plpgsql as $$ begin return a + (select count(*) from t{k}); end $$
drop function if exists f{n} cascade | alter function f{n} rename to f{k} | create index on t{n} (f{k}(id))
alter table t{n} add column y{n} int generated always as (f{k}(id)) stored | alter table t{n} alter v set default f{k}({n})
create or replace function tg{n}() returns trigger language plpgsql as $$ begin new.w := new.w || '{w}'; return new; end $$
create or replace function tg{n}() returns trigger language plpgsql as $$ begin insert into t{k} (id, w) values (new.id + 100, tg_op); return new; end $$
create trigger tr{n} before insert or update on t{n} for each row execute function tg{k}() | drop trigger if exists tr{n} on t{n}
create or replace trigger tr{n} after insert on t{n} for each row execute function tg{k}() | alter table t{n} disable trigger tr{n}
create constraint trigger tc{n} after update on t{n} deferrable initially deferred for each row execute function tg{k}()
create trigger tr{n} before insert on part for each row execute function tg{k}() | drop function if exists tg{n} cascade
create or replace rule r{n} as on delete to t{n} do also insert into t{k} (id, w) values (old.id + 200, 'r') | drop rule if exists r{n} on t{n}
create materialized view mv{n} as select id, v from t{k} | refresh materialized view mv{n} | drop materialized view if exists mv{n} cascade
create statistics st{n} on id, v from t{n} | create table ch{n} (z int) inherits (t{n}) | alter table ch{n} no inherit t{n}
drop table if exists ch{n} | create or replace procedure pr{n}() language plpgsql as $$ begin update t{k} set w = 'p' where id = {n}; end $$
"""
# What stands in no transaction block.
ALONE = ["alter table part detach partition part{n} concurrently", "reindex table concurrently t{n}", "vacuum analyze t{n}",
         "create index concurrently on t{n} (w)", "drop index concurrently if exists i{n}", "reindex index concurrently i{n}"]
STATEMENTS = """
insert into t{n} (id, v, w) select g, g % 7 + 1, 'w' || g from generate_series({k}, {k} + 20) g on conflict do nothing
update t{n} set w = w || 'x', v = v where id % 3 = {k} % 3 | delete from t{n} where id % 5 = {k} % 5 | select * from t{n}
select * from v{n} | select * from vv{n} order by 1 | select count(*), max(v) from t{n} join t{k} using (id)
select id, row_number() over (order by w) from t{n} | with x as (delete from t{n} where id < {k} returning *) select * from x
select * from t{n} where id = {k} | select * from t{n} where id = {k} for update | select m from t{n}
select w from s{n}.t{n} | select lastval() | select nextval('q{n}') | select setval('q{n}', {n})
select * from pg_class c join pg_attribute a on a.attrelid = c.oid where relname like 't%'
select pg_get_viewdef('v{n}'::regclass) | select pg_get_indexdef(indexrelid) from pg_index
select pg_get_constraintdef(oid) from pg_constraint | select count(*) from information_schema.columns
select format_type(atttypid, atttypmod) from pg_attribute where attnum > 0
merge into t{n} using t{k} on t{n}.id = t{k}.id when matched then update set w = 'm' when not matched then insert (id, w) values (t{k}.id, 'n')
insert into v{n} (id) values ({k}{n}0) | update v{n} set id = id + 1000 where id = {k}
explain select * from t{n} join t{k} using (id) | explain analyze update t{n} set w = 'y' where id = {k}
select sum(v::int) over () from t{n} | select distinct w from t{n} order by w limit 3 | fetch 3 from c1
declare c1 cursor for select * from t{n} | declare c2 cursor with hold for select * from t{n} | close all
fetch all from c2 | savepoint a | rollback to a | release a | copy t{n} to stdout
insert into part select g, g % 5, 'p' from generate_series({n}0, {n}7) g | update part set id = id + 10 where id % 4 = {k}
delete from part where v = {k} | select count(*) from part | select * from part where id = {n}{k} | select * from part{n}
select f{n}(id) from t{k} | select f{n}({k}) | select * from mv{n} | call pr{n}() | set constraints all immediate
do $$ begin insert into t{n} (id, w) values ({k}, 'd'); exception when unique_violation or undefined_table then null; end $$
do $$ declare r record; begin for r in select * from t{n} loop perform f{k}(r.id); end loop; end $$
select * from t{n} tablesample bernoulli (50) | select pg_get_triggerdef(oid) from pg_trigger | select pg_get_functiondef(oid) from pg_proc where proname like 'f_'
merge into part using t{n} on part.id = t{n}.id when matched then delete when not matched then insert values (t{n}.id, {k}, 'm')
"""


def statements(text):
    return [s.strip() for line in text.strip().splitlines() for s in line.split(" | ")]


def is_serious(error, theirs):
    """What no statement may answer: internal errors, which PostgreSQL has for what has just been dropped, and lost connections."""
    state = error.sqlstate
    if state is None or state.startswith(("08", "57P")):
        return True
    return state.startswith("XX") and not (theirs and "cache lookup failed" in str(error))


class Wanderer(threading.Thread):
    def __init__(self, connect, seed, transactions, complaints, counts, theirs):
        super().__init__()
        self.theirs = theirs
        self.random, self.transactions, self.complaints, self.counts = random.Random(seed), transactions, complaints, counts
        self.connection = connect()
        self.connection.prepare_threshold = self.random.choice([0, 2, None])
        self.connection.execute("SET lock_timeout = '300ms'")
        self.connection.execute("SET statement_timeout = '60s'")
        self.connection.commit()

    def run(self):
        try:
            for _ in range(self.transactions):
                if self.complaints:
                    return
                self.transaction()
        except Exception:  # noqa: a thread must not lose its complaint
            self.complaints.append(traceback.format_exc())
        finally:
            self.connection.close()

    def transaction(self):
        if self.random.random() < 0.1:
            self.attempt("SET TRANSACTION ISOLATION LEVEL " + self.random.choice(["REPEATABLE READ", "SERIALIZABLE"]))
        for _ in range(self.random.randint(1, 6)):
            if not self.attempt(self.any_statement()):
                if self.random.random() < 0.5:
                    break
                self.connection.rollback()
        self.attempt("COMMIT" if self.random.random() < 0.7 else "ROLLBACK")
        if self.random.random() < 0.1:
            self.connection.rollback()
            self.connection.autocommit = True
            self.attempt(self.random.choice(ALONE).replace("{n}", self.random.choice("123")))
            self.connection.autocommit = False

    def any_statement(self):
        template = self.random.choice(ALL_DEFINITIONS if self.random.random() < 0.45 else ALL_STATEMENTS)
        for name, values in (("{n}", "123"), ("{k}", "123"), ("{w}", "cdef")):
            template = template.replace(name, self.random.choice(values))
        return template

    def attempt(self, sql):
        try:
            if sql.startswith("copy"):
                with self.connection.cursor().copy(sql) as copy:
                    collections.deque(copy, maxlen=0)
            else:
                answer = self.connection.execute(sql)
                if answer.description:
                    answer.fetchall()
            self.counts["ok"] += 1
            return True
        except psycopg.Error as error:
            self.counts["errors"] += 1
            if is_serious(error, self.theirs):
                self.complaints.append(f"{sql}: {error.sqlstate} {error}")
            return False


ALL_DEFINITIONS, ALL_STATEMENTS = statements(DEFINITIONS), statements(STATEMENTS)


def run(connect, seed, transactions, theirs):
    """Six sessions of so many transactions; answers the complaints. `theirs`: it is PostgreSQL."""
    complaints, counts = [], collections.Counter()
    sessions = [Wanderer(connect, seed * 100 + i, transactions, complaints, counts, theirs) for i in range(6)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    print(f"  {counts['ok']} random statements, {counts['errors']} others refused, seed {seed}")
    return complaints

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
drop table if exists pg_temp.t{n} | discard plans | create table part (a int) partition by range (a)
"""
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
"""


def statements(text):
    return [s.strip() for line in text.strip().splitlines() for s in line.split(" | ")]


def is_serious(error):
    """What no statement may answer: internal errors (but PostgreSQL's own, for what has just been dropped), lost connections."""
    state = error.sqlstate
    if state is None or state.startswith(("08", "57P")):
        return True
    return state.startswith("XX") and "cache lookup failed" not in str(error)


class Wanderer(threading.Thread):
    def __init__(self, connect, seed, transactions, complaints, counts):
        super().__init__()
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
            if is_serious(error):
                self.complaints.append(f"{sql}: {error.sqlstate} {error}")
            return False


ALL_DEFINITIONS, ALL_STATEMENTS = statements(DEFINITIONS), statements(STATEMENTS)


def run(connect, seed, transactions):
    """Six sessions of so many transactions; answers the complaints."""
    complaints, counts = [], collections.Counter()
    sessions = [Wanderer(connect, seed * 100 + i, transactions, complaints, counts) for i in range(6)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    print(f"  {counts['ok']} random statements, {counts['errors']} others refused, seed {seed}")
    return complaints

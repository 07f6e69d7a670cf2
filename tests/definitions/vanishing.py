"""What one session drops and makes again while others are about to use it: statements fail or succeed, and the server goes on. And DROP ... CASCADE
waits for those who work with the tables whose parts it takes. And rights are those of the moment whose rows are read."""
import collections
import threading
import time

import psycopg

SECRETS_SECONDS = 60  # of each: the readers' locks make a busy machine's rounds long

TABLES = """create table parent (a int primary key); create table child (a int references parent); insert into parent values (1);
create table parted (id int, a int, b text) partition by range (a); create table parted1 partition of parted for values from (0) to (10);
create table parted2 partition of parted for values from (10) to (20); insert into parted select g, g % 20, 'b' from generate_series(1, 60) g;
create table fired (a int); create table parts (a int) partition by range (a); create table parts0 partition of parts default; create table parts2 (a int);
create table deep (a int, b int) partition by range (a); create table deep1 partition of deep for values from (1) to (5) partition by list (b); create table deep12 partition of deep1 for values in (2)"""
TYPE = ["create type ty as (a int)", "drop type ty"]
RACES = {  # loops of statements, one for each session
    "a table, its owner": [["create table x (a int)", "drop table x"], ["reassign owned by vanisher to vanisher", "reassign owned by vanisher to taker", "reassign owned by taker to vanisher"]],
    "tables, their owner": [["create table x%k (a int)", "drop table x%k"], ["create table x%k (a int)", "drop table x%k"], ["drop owned by taker"]],
    "a table, all of its schema": [["create table x (a int)", "drop table x"], ["grant select on all tables in schema vanishing to taker"]],
    "what refers to a table, TRUNCATE": [["create table p (x int primary key)", "create table c (x int references p)", "drop table c", "drop table p"], ["truncate p cascade"], ["truncate p"]],
    "a type, its name": [TYPE, ["alter type ty rename to ty2", "drop type ty2"]],
    "a type, its schema": [TYPE, ["alter type ty set schema public", "drop type public.ty"]],
    "a type, a table with it": [TYPE, ["create table xx (a int, c ty)", "drop table xx"]],
    "a type, a variable": [TYPE, ["do $$ declare r ty; begin null; end $$"]],
    "a partitioned table, its rows": [["create table pp (a int) partition by range (a)", "create table p1 partition of pp for values from (1) to (9)", "drop table pp"],
                                      ["select * from pp"], ["select * from pp where a = 1", "insert into pp values (1)"]],
    "a database, a copy": [["create database vanishing1", "drop database vanishing1"], ["create database vanishing2 template vanishing1", "drop database vanishing2"]],
    "a foreign key, its rows": [["alter table parent drop constraint parent_pkey cascade", "alter table parent add primary key (a)", "alter table child add foreign key (a) references parent"],
                                ["insert into child values (1)", "delete from child"], ["delete from parent where a = 1", "insert into parent values (1)"]],
    "two tables, their rows": [["create table f1 (a int primary key)", "create table f2 (a int references f1)", "drop table f1 cascade", "drop table f2"], ["insert into f2 values (1)"], ["insert into f1 values (1)"]],
    "a column, changes of partitions": [["alter table parted add column x int", "alter table parted drop column x"], ["update parted set a = 1, b = b || '-' where id % 5 = 1 returning *"],
                                        ["delete from parted where id > 100 returning *", "insert into parted (id, a, b) values (200, 15, 'q') returning *"]],
    "a view, its rows": [["create view v as select * from parent", "drop view v"], ["select * from v"], ["select count(*) from v"]],
    "partitions, their table and its rows": [["create table parts1 partition of parts for values from (1) to (5)", "drop table parts1"], ["alter table parts2 add constraint k check (a > 4)", "alter table parts attach partition parts2 for values from (5) to (9)",
                                              "alter table parts detach partition parts2", "alter table parts2 drop constraint k"], ["insert into parts select generate_series(1, 8)", "delete from parts"], ["select * from parts", "update parts set a = 9 - a"]],
    "partitions of partitions": [["create table deep11 partition of deep1 for values in (1)", "drop table deep11"], ["alter table deep1 detach partition deep12", "alter table deep1 attach partition deep12 for values in (2)"],
                                 ["insert into deep values (1, 1)", "insert into deep values (1, 2)"], ["select * from deep", "delete from deep"]],
    "a partition, all of its schema": [["create schema ps", "create table ps.p1 partition of parts for values from (1) to (5)", "create table ps.p5 partition of parts for values from (5) to (9) partition by list (a)",
                                        "create table ps.p6 partition of ps.p5 for values in (6)", "drop schema ps cascade"], ["insert into parts select generate_series(1, 4)", "delete from parts"], ["insert into parts values (6)", "update parts set a = 10 - a"]],
    "a partitioned table, its partitions": [["create table pp (a int) partition by range (a)", "drop table pp"], ["create table pp1 partition of pp for values from (1) to (9)", "drop table pp1"], ["create table pp2 partition of pp default", "drop table pp2"]],
    "a schema, its functions": [["create schema fs", "create function fs.f(int) returns int language plpgsql as 'begin return $1; end'", "create function fs.g(int) returns int language sql as 'select fs.f($1)'", "create view fs.v as select fs.g(1)", "drop schema fs cascade"],
                                ["select fs.f(1)", "select fs.g(1)", "select * from fs.v"], ["grant execute on all functions in schema fs to taker", "create or replace function fs.f(int) returns int language plpgsql as 'begin return 2; end'", "drop function fs.f cascade"]],
    "a table, a view of it": [["create table vt (a int)", "drop table vt cascade"], ["create view vv1 as select * from vt", "drop view vv1"], ["create or replace view vv2 as select a from vt", "create view vv3 as select * from vv2", "drop view vv2 cascade"],
                              ["begin; lock table vv2; commit", "lock table vv3", "rollback", "select * from vv3"]],
    "functions, rights of all of them": [["create function vf() returns int language sql as 'select 1'", "drop function vf"], ["create function vg() returns int language sql as 'select 1'", "drop function vg"], ["revoke all on all functions in schema vanishing from taker"]],
    "a trigger's function": [["create or replace function tf() returns trigger language plpgsql as 'begin return new; end'", "create trigger tg before insert on fired for each row execute function tf()",
                              "drop function tf cascade"], ["insert into fired select generate_series(1, 300)", "truncate fired"]],
}
# With another transaction's rows in a table, these wait.
WAITS = ["drop table parent cascade", "alter table parent drop constraint parent_pkey cascade", "alter table parent drop column a cascade",
         "alter table child drop constraint child_a_fkey", "drop function fires() cascade", "drop function checks(int) cascade", "drop function allows(int) cascade"]
HOLDER = """create function fires() returns trigger language plpgsql as 'begin return new; end'; create trigger t before insert on child for each row execute function fires();
create function checks(int) returns bool language sql immutable as 'select true'; alter table child add check (checks(a));
create function allows(int) returns bool language sql as 'select true'; create policy p on child using (allows(a))"""

# One transaction hides a table's rows from the taker and makes one of them secret; another undoes both. Nobody is shown the secret.
SECRETS = {
    "a view's owner": ("insert into shown values (1, true); alter view door owner to taker", "delete from shown; alter view door owner to vanisher", "select * from door"),
    "a view's query": ("create or replace view door as select * from shown where not secret; insert into shown values (1, true)",
                       "delete from shown; create or replace view door as select * from shown", "select * from door"),
    "row security": ("alter table shut enable row level security; update shut set secret = true", "update shut set secret = false; alter table shut disable row level security", "select * from shut"),
    "a policy": ("alter table shut enable row level security; drop policy p on shut; create policy p on shut using (not secret); update shut set secret = true",
                 "update shut set secret = false; drop policy p on shut; create policy p on shut using (true)", "select * from shut"),
}
ROOMS = """create table shown (a int, secret bool); create view door as select * from shown; create table shut (a int, secret bool); insert into shut values (1, false);
create policy p on shut using (not secret); grant select on door, shut to taker"""


def setup(admin):
    for statement in f"""drop schema if exists vanishing, fs, ps cascade; drop database if exists vanishing1; drop database if exists vanishing2;
            drop type if exists public.ty; create schema vanishing; grant all on schema vanishing, public to vanisher; grant all on schema vanishing to taker; set search_path = vanishing""".split(";"):
        admin.execute(statement)
    admin.execute(f"grant create on database {admin.info.dbname} to vanisher")
    admin.execute("set role vanisher")
    for statement in TABLES.split(";"):
        admin.execute(statement)
    admin.execute("reset role")


def race(connect, loops, rounds):
    """The SQLSTATEs that the sessions met."""
    with connect(autocommit=True) as admin:
        setup(admin)
    states, first_over = collections.Counter(), threading.Event()

    def session(number, statements):
        with connect(autocommit=True) as connection:
            connection.execute("set role vanisher")
            connection.execute("set search_path = vanishing")
            for i in range(rounds * 50):
                if number == 0 and i == rounds or first_over.is_set():
                    first_over.set()
                    return
                for statement in statements:
                    try:
                        connection.execute(statement.replace("%k", str(number)))
                    except psycopg.Error as error:
                        states[error.sqlstate] += 1
                        if error.sqlstate is None:
                            first_over.set()
                            raise

    threads = [threading.Thread(target=session, args=(i, loop)) for i, loop in enumerate(loops)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return states


def secrets(connect, name, hide, show, query, rounds):
    with connect(autocommit=True) as admin:
        setup(admin)
        admin.execute("set role vanisher")
        admin.execute(ROOMS)
    over, seen = threading.Event(), collections.Counter()

    def reader():
        with connect(autocommit=True) as connection:
            connection.execute("set search_path = vanishing")
            connection.execute("set role taker")
            connection.execute(f"prepare kept as {query}")
            while not over.is_set():
                for statement in (query, "execute kept"):
                    try:
                        seen[any(secret for _, secret in connection.execute(statement).fetchall())] += 1
                    except psycopg.Error as error:
                        seen[error.sqlstate] += 1

    readers = [threading.Thread(target=reader) for _ in range(2)]
    for thread in readers:
        thread.start()
    with connect(autocommit=True) as owner:
        owner.execute("set search_path = vanishing")
        end = time.monotonic() + SECRETS_SECONDS
        for _ in range(rounds):
            for statements in (hide, show):
                owner.execute(f"begin; {statements}; commit")
            if time.monotonic() > end:
                break
    over.set()
    for thread in readers:
        thread.join()
    return [f"{name}: shown {seen[True]} times: {dict(seen)}"] if seen[True] or not seen else []


def waits(connect):
    complaints = []
    with connect(autocommit=True) as admin, connect(autocommit=True) as writer:
        setup(admin)
        admin.execute(HOLDER)
        writer.execute("set search_path = vanishing")
        writer.execute("begin")
        writer.execute("insert into child values (null)")
        admin.execute("set lock_timeout = '100ms'")
        for statement in WAITS:
            try:
                admin.execute("begin")
                admin.execute(statement)
                got = "done"
            except psycopg.Error as error:
                got = error.sqlstate
            admin.execute("rollback")
            if got != "55P03":
                complaints.append(f"{statement} beside a writer: {got}")
    return complaints


def run(connect, rounds):
    complaints = []
    with connect(autocommit=True) as admin:
        admin.execute("drop role if exists vanisher, taker")
        admin.execute("create role vanisher createdb")
        admin.execute("create role taker")
        admin.execute("grant taker to vanisher")
    for name, loops in RACES.items():
        states = race(connect, loops, rounds)
        if any(state is None or state.startswith("XX") for state in states):
            complaints.append(f"{name}: {dict(states)}")
    for name, (hide, show, query) in SECRETS.items():
        complaints += secrets(connect, name, hide, show, query, rounds * 20)
    print(f"  {len(RACES)} races with what vanishes, {len(SECRETS)} secrets, {len(WAITS)} definitions that wait")
    return complaints + waits(connect)

"""`indigo run --cache`: the file that is mapped (engine/durability/mapped_image.h). What servers do on it, several at a time, and
what they say when it is damaged."""
import os
import subprocess

import psycopg2

from server import rows, run

SCHEMA = """
create table film (id int primary key, title text unique, made int, part numeric, unique (made, id) deferrable initially deferred);
insert into film select i, 'film ' || i, 1900 + i % 100, i / 3.0 from generate_series(1, 20000) i;
create index film_made on film (made) include (title);
create index film_lower on film (lower(title) text_pattern_ops) where made < 1950;
create table actor (id serial primary key, name text not null, film int references film);
insert into actor (name, film) select 'actor ' || i, i % 20000 + 1 from generate_series(1, 30000) i;
create index on actor (film);
create table tagged (id int primary key, tags text[]);
insert into tagged select i, array['t' || i % 7, 'u' || i] from generate_series(1, 5000) i;
create index tagged_tags on tagged using gin (tags);
create index tagged_hash on tagged using hash (id);
create type mood as enum ('sad', 'ok', 'happy');
create table felt (m mood, n int);
insert into felt select (array['happy', 'sad', 'ok']::mood[])[i % 3 + 1], i from generate_series(1, 5000) i;
create index felt_m on felt (m, n);
create table wide (id int primary key, body text);
insert into wide select i, repeat(md5(i::text), 1000) from generate_series(1, 50) i;
create unlogged table small (id int);
insert into small values (1), (2);
create table measured (at int, v int) partition by range (at);
create table measured_1 partition of measured for values from (0) to (5000);
create table measured_2 partition of measured for values from (5000) to (10000);
create index on measured (v);
insert into measured select i, i % 10 from generate_series(0, 9999) i;
create table gone as select * from film;
create index on gone (made);
create view old as select title from film where made < 1905;
create database other;
select indigo_snapshot('made');
"""
COUNTS = "select count(*), sum(id), min(title), max(made), sum(part) from film"
SECOND = ("create table t (id int primary key, v text)", "insert into t select i, 'v' || i from generate_series(1, 3000) i",
          "create index on t (v)")


class Run:
    """A server beside a command that lives as long as its input is open."""

    def __init__(self, case, *options, init="schema.sql", cache="cache"):
        self.process = subprocess.Popen(
            [case.options.server, "run", "--init", os.path.join(case.base, init), "--cache", os.path.join(case.base, cache),
             *options, "--", "sh", "-c", "echo port $PGPORT; cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=case.base)
        # The schema's answers come first.
        said = next((line for line in self.process.stdout if line.startswith("port ")), "")
        self.port = said[len("port "):].strip()
        case.servers.append(self)

    def connect(self, database="postgres", autocommit=True):
        assert self.port, self.process.stderr.read()
        c = psycopg2.connect(host="localhost", port=self.port, user="postgres", dbname=database)
        c.autocommit = autocommit
        return c

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """What was said besides."""
        said = self.process.communicate()[1]
        assert self.process.returncode == 0, (self.process.returncode, said)
        return said

    def messages(self):
        return ""


def write_schema(case, text=SCHEMA, name="schema.sql"):
    with open(os.path.join(case.base, name), "w") as f:
        f.write(text)


def image(case, cache="cache"):
    return os.path.join(case.base, cache, "image")


def made(case, text=SCHEMA):
    """The cache, made."""
    write_schema(case, text)
    Run(case).end()
    assert sorted(os.listdir(os.path.join(case.base, "cache"))) == ["image", "key"]


def dumped(case, server, database="postgres"):
    return subprocess.run(["pg_dump", "-h", "localhost", "-p", server.port, "-U", "postgres", "--restrict-key=x", database],
                          capture_output=True, text=True, check=False).stdout or subprocess.run(
        ["pg_dump", "-h", "localhost", "-p", server.port, "-U", "postgres", database], capture_output=True, text=True,
        check=True).stdout


def images_have_everything(case):
    """The run that makes the cache and the next ones show the same, by every way to it."""
    write_schema(case)
    shown = []
    for _ in range(3):
        server = Run(case)
        c = server.connect()
        run(c, "set enable_seqscan = off")
        shown.append([
            dumped(case, server), rows(c, COUNTS), rows(c, "select title from film where id = 777"),
            rows(c, "select id from film where title = 'film 4711'"),
            rows(c, "select id, title from film where made = 1933 order by made, id limit 5"),
            rows(c, "select id from film where lower(title) like 'film 1000%' and made < 1950 order by 1"),
            rows(c, "select count(*) from tagged where tags @> array['t3']"), rows(c, "select tags from tagged where id = 8"),
            rows(c, "select m, count(*), max(n) from felt where m >= 'ok' group by m order by m"),
            rows(c, "select sum(length(body)) from wide"), rows(c, "select * from small"),
            rows(c, "select count(*) from measured where v = 3 and at > 4990"),
            rows(c, "select pg_relation_size('film') > 1000000, pg_indexes_size('film') > 500000"),
            rows(c, "insert into actor (name, film) values ('one more', 1) returning id"),
        ])
        assert server.end() == "" or len(shown) == 1
    assert shown[0] == shown[1] == shown[2], shown
    assert shown[0][1][0][0] == 20000


def images_are_changed(case):
    """Every statement that changes much of a table, on a server that began with a mapped one; the file stays as it is."""
    made(case)
    with open(image(case), "rb") as f:
        before = f.read()
    server = Run(case)
    c = server.connect()
    run(c, "update film set made = made + 1, title = title || '!' where id % 3 = 0", "delete from actor where id % 2 = 0",
        "insert into film select i, 'film ' || i, 2000, 0 from generate_series(20001, 25000) i",
        "insert into film select -i, 'before ' || i, 1899, 0 from generate_series(1, 5000) i",
        "delete from film where id between 5000 and 12000 and not exists (select from actor where film = film.id)",
        "vacuum", "analyze")
    counted = rows(c, COUNTS)
    assert counted == rows(c, "set enable_indexscan = off; " + COUNTS)
    run(c, "reindex table film", "truncate gone", "insert into gone select * from film where id < 10", "drop table tagged",
        "alter table felt add column more int default 7", "cluster actor using actor_film_idx",
        "alter table film alter column part type int", "create index concurrently on film (part)", "vacuum full measured_1")
    assert rows(c, "select count(*) from gone") == rows(c, "select count(*) from film where id < 10")
    assert rows(c, "select count(*), sum(more) from felt") == [(5000, 35000)]
    for wrong in ("insert into film values (777)", "insert into film values (30000, 'film 778')",
                  "insert into actor (name, film) values ('nobody', 99999)", "delete from film where id = 16",
                  "insert into film (id, made) select 40000, 1", "insert into actor values (3, 'x')"):
        try:
            run(c, wrong)
            assert wrong.startswith("insert into film (id, made)"), wrong
        except psycopg2.IntegrityError:
            pass
    assert rows(c, "select count(*) from film") == [(counted[0][0] + 1,)]
    with open(image(case), "rb") as f:
        assert f.read() == before
    server.end()
    assert rows(Run(case).connect(), COUNTS)[0][0] == 20000


def images_are_cloned(case):
    """CREATE DATABASE ... TEMPLATE, snapshots made before and after the image, and DROP DATABASE in any order."""
    made(case)
    server = Run(case)
    c = server.connect()
    first = rows(c, COUNTS)
    run(c, "create database one template postgres", "create database two template one")
    one, two = server.connect("one"), server.connect("two")
    run(one, "update film set part = 0", "create table more as select * from film")
    run(two, "truncate film cascade")
    rows(c, "select indigo_snapshot('begun')")
    run(c, "delete from actor", "update film set title = 'x' || id where id < 1000")
    assert rows(one, "select sum(part), max(title) from film") == [(0, "film 9999")]
    assert rows(two, "select count(*) from film") == [(0,)]
    one.close()
    two.close()
    run(c, "drop database one")
    two = server.connect("two")
    assert rows(two, "select count(*) from tagged where tags @> array['t3']") == [(714,)]
    rows(c, "select indigo_restore('begun')")
    assert rows(c, COUNTS) == first and rows(c, "select count(*) from actor") == [(30000,)]
    run(c, "truncate film cascade")
    rows(c, "select indigo_restore('made')")  # of the schema's own run
    assert rows(c, COUNTS) == first and rows(c, "select count(*) from film where lower(title) = 'film 1000'") == [(1,)]
    two.close()
    run(c, "drop database two")
    server.end()


def images_keep_transactions_apart(case):
    """SERIALIZABLE and REPEATABLE READ over rows that nobody has written since the start, savepoints and rollbacks."""
    made(case)
    server = Run(case)
    a, b = server.connect(autocommit=False), server.connect(autocommit=False)
    for c in (a, b):
        c.set_session(isolation_level="SERIALIZABLE")
    total = rows(a, "select sum(part) from film where made = 1910")
    assert rows(b, "select sum(part) from film where made = 1911") != total
    run(a, "insert into film values (50001, 'a', 1911, 1)")
    run(b, "insert into film values (50002, 'b', 1910, 1)")
    a.commit()
    try:
        b.commit()
        raise AssertionError("write skew")
    except psycopg2.errors.SerializationFailure:
        b.rollback()
    a.set_session(isolation_level="REPEATABLE READ")
    assert rows(a, "select title from film where id = 5") == [("film 5",)]
    b.set_session(isolation_level="READ COMMITTED")
    run(b, "savepoint s", "update film set title = 'other ' || id where id < 100", "rollback to s",
        "update film set title = 'new ' || id where id = 5")
    b.commit()
    assert rows(a, "select title from film where id = 5") == [("film 5",)]
    assert rows(a, "select count(*) from film where title like 'other%'") == [(0,)]
    try:
        run(a, "update film set made = 1 where id = 5")
        raise AssertionError("lost update")
    except psycopg2.errors.SerializationFailure:
        a.rollback()
    run(b, "select * from film where id = 9 for update")
    assert rows(server.connect(), "select id from film where id in (9, 10) for update skip locked") == [(10,)]
    b.rollback()
    server.end()


def images_are_shared(case):
    """Two servers on one file, which is replaced meanwhile."""
    made(case)
    one, two = Run(case), Run(case)
    c, d = one.connect(), two.connect()
    run(c, "update film set title = 'one ' || id")
    run(d, "delete from actor")
    write_schema(case, SCHEMA.replace("20000", "3000").replace("30000", "100"))
    three = Run(case)
    assert rows(three.connect(), "select count(*) from film") == [(3000,)]
    assert rows(c, "select count(*) from film where title like 'one%'") == [(20000,)]
    assert rows(d, "select max(title) from film") == [("film 9999",)]
    assert rows(c, "select count(*) from actor") == [(30000,)]
    for server in (one, two, three):
        server.end()


def images_damaged_are_told_of(case):
    """A damaged block is the statement's error, and no other's; what is damaged beside the blocks, or cut off, is made again."""
    made(case, "create table t (id int primary key, v text); insert into t select i, 'v' || i from generate_series(1, 20000) i;"
         "create table u (id int); insert into u values (1); create index on t (v);")
    with open(image(case), "rb") as f:
        whole = f.read()

    def damage(at, cut=None):
        changed = bytearray(whole[:cut])
        if at is not None:
            changed[at] ^= 1 << case.random.randrange(8)
        os.unlink(image(case))
        with open(image(case), "wb") as f:
            f.write(changed)

    for at, cut in ((case.random.randrange(4096), None), (len(whole) - 1 - case.random.randrange(2000), None),
                    (None, len(whole) - 1), (None, 5000), (None, 100), (None, 0)):
        damage(at, cut)
        server = Run(case)
        assert rows(server.connect(), "select count(*) from t") == [(20000,)]
        said = server.end()
        assert "is made again" in said, (at, cut, said)
        with open(image(case), "rb") as f:
            assert len(f.read()) == len(whole)
    for _ in range(20):
        at = case.random.randrange(4096, len(whole) * 3 // 4)
        damage(at)
        server = Run(case)
        c = server.connect()
        run(c, "analyze u")
        told = 0
        for statement in ("select count(*), sum(length(v)) from t", "set enable_seqscan = off; select max(v), count(v) from (select v from t order by v) s",
                          "update t set v = 'w' || id", "delete from t", "vacuum analyze t", "create index on t (id, v)", "copy t to stdout"):
            try:
                if statement.startswith("copy"):
                    with open(os.devnull, "w") as nothing:
                        c.cursor().copy_expert(statement, nothing)
                else:
                    run(c, statement)
            except psycopg2.DatabaseError as e:
                assert e.pgcode == "XX001", (at, statement, e)
                assert 'table "t" is damaged' in str(e), e
                told += 1
        assert told > 0, at
        assert rows(c, "select * from u") == [(1,)]
        run(c, "truncate t", "insert into t values (1, 'again')")
        assert rows(c, "select * from t") == [(1, "again")]
        server.end()


def images_of_others_are_made_again(case):
    """Another catalog or format: the text in the file's contents is another."""
    made(case, ";".join(SECOND) + ";")
    with open(image(case), "rb") as f:
        whole = f.read()
    for old, new in ((b"INGOIMG1", b"INGOIMG9"), (b"\x01\0\0\0", b"\x09\0\0\0")):
        at = whole.index(old)
        os.unlink(image(case))
        with open(image(case), "wb") as f:
            f.write(whole[:at] + new + whole[at + len(old):])
        server = Run(case)
        assert rows(server.connect(), "select count(*), max(v) from t") == [(3000, "v999")]
        assert "was not made by this program" in server.end()
    # Where no image can be mapped the data directory is read, as a cache of an older build has it.
    cache = os.path.join(case.base, "cache")
    made_by = case.start(name="cache/data")
    run(made_by.connect(), *SECOND)
    made_by.stop()
    os.unlink(os.path.join(cache, "image"))
    server = Run(case)
    assert rows(server.connect(), "select count(*), max(v) from t") == [(3000, "v999")]
    assert server.end() == ""

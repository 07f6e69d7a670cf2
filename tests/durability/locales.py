"""Locales of databases: what they order, and their rows, are the same after SIGKILL, after a checkpoint, and in clones and images."""
from server import rows, run

WORDS = ["zebra", "Apple", "a-b", "ab", "É", "e", "_x", "x", "Zoe"]
IN_ENGLISH = ["a-b", "ab", "Apple", "e", "É", "_x", "x", "zebra", "Zoe"]


def fill(c):
    run(c, "create table w (t text primary key, u text)", "create index on w (u)", "create index on w (lower(u))")
    for word in WORDS:
        run(c, f"insert into w values ('{word}', '{word}')")


def look(server, database, order):
    c = server.connect(database)
    for sql in ("select t from w order by t", "select u from w order by u"):
        assert [t for (t,) in rows(c, sql)] == order, (database, sql, rows(c, sql))
    for word in WORDS:
        assert rows(c, f"select t, u from w where t = '{word}'") == [(word, word)]
        assert rows(c, f"select t from w where lower(u) = lower('{word}')") == [(word,)], word
    assert rows(c, "select count(*) from w where t > 'É'") == [(len(order) - order.index("É") - 1,)]
    c.close()


def databases_keep_their_locales(case):
    english, c_order = IN_ENGLISH, sorted(WORDS)
    server = case.start("--lc-collate", "C", "--lc-ctype", "en_US.utf8")
    c = server.connect()
    run(c, "create database us locale 'en_US.utf8' template template0",
        "create database icu locale_provider icu icu_locale 'en' template template0")
    fill(c)
    fill(server.connect("us"))
    fill(server.connect("icu"))
    run(c, "create database copy template us")
    run(server.connect("us"), "select indigo_snapshot('kept')", "insert into w values ('later')", "select indigo_restore('kept')")
    icu = [t for (t,) in rows(server.connect("icu"), "select t from w order by t")]
    assert icu not in (english, c_order)
    for life in range(3):
        for database, order in (("postgres", c_order), ("us", english), ("copy", english), ("icu", icu)):
            look(server, database, order)
        c = server.connect()
        assert rows(c, "select datname, datlocprovider, datcollate, datctype, daticulocale from pg_database where datname <> 'root'"
                    " and datname not like 'template%' order by 1") == [
            ("copy", "c", "en_US.utf8", "en_US.utf8", None), ("icu", "i", "C", "en_US.utf8", "en"),
            ("postgres", "c", "C", "en_US.utf8", None), ("us", "c", "en_US.utf8", "en_US.utf8", None)]
        assert rows(server.connect("us"), "select upper('é'), current_setting('lc_collate')") == [("É", "en_US.utf8")]
        if life == 1:
            run(c, "checkpoint")
        server.kill()
        server = case.start()
    server.stop()
    server = case.start("--locale", "C")
    assert server.port is None and "was made with the locale C, en_US.utf8" in server.messages(), server.messages()

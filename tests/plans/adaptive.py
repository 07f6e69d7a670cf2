"""Joins and subqueries that meet far more rows than was expected become others; see statements.py.

Four columns of `event` always have one value: their conditions look as if they left a row in ten thousand, and leave one in ten.
"""

SCHEMA = """
DROP TABLE IF EXISTS event, account, pair, nobody CASCADE;
CREATE TABLE event (id int PRIMARY KEY, a int, b int, c int, d int, account int, other int);
INSERT INTO event SELECT g, g % 10, g % 10, g % 10, g % 10, g * 7919 % 30011, g % 1000 FROM generate_series(1, 120000) g;
CREATE TABLE account (id int PRIMARY KEY, owner int, name text);
INSERT INTO account SELECT g, g % 10000, 'account ' || g FROM generate_series(1, 20000) g;
CREATE INDEX ON account (owner);
CREATE TABLE pair (x int, y int, note int);
INSERT INTO pair SELECT g % 5000, g % 7, g FROM generate_series(1, 15000) g;
CREATE INDEX ON pair (x, y);
CREATE TABLE nobody (id int PRIMARY KEY);
ANALYZE;
"""

SKEWED = "a = 3 AND b = 3 AND c = 3 AND d = 3"

# Inner rows that are read by the loop at the most, and the query; every one of them changes its way.
JOINS = (
    (5500, f"SELECT event.id, name FROM event JOIN account ON account.id = event.account WHERE {SKEWED}"),
    (5500, f"SELECT event.id, name FROM event LEFT JOIN account ON account.id = event.account WHERE {SKEWED}"),
    (5500, f"SELECT event.id, name FROM event LEFT JOIN account ON account.id = event.account AND owner > 5000 WHERE {SKEWED}"),
    (5500, f"SELECT event.id, name FROM event JOIN account ON owner = event.account WHERE {SKEWED}"),
    (5500, f"SELECT event.id FROM event WHERE {SKEWED} AND EXISTS (SELECT FROM account WHERE owner = event.account AND name > 'account 15')"),
    (5500, f"SELECT event.id FROM event WHERE {SKEWED} AND NOT EXISTS (SELECT FROM account WHERE owner = event.account AND name > 'account 15')"),
    (5500, f"SELECT count(*), sum(note) FROM event JOIN pair ON x = other AND y = a WHERE {SKEWED}"),
    (5500, f"SELECT event.id, note FROM event LEFT JOIN pair ON x = other AND y <= b AND note % 2 = c % 2 WHERE {SKEWED}"),
    (5500, f"SELECT event.id, name FROM event JOIN account ON account.id = event.account WHERE {SKEWED} ORDER BY event.id"),
    (5500, f"SELECT e.id, name, note FROM event e JOIN account ON account.id = e.account JOIN pair ON x = e.other WHERE {SKEWED}"),
    # A page that was hoped to be near.
    (5500, "SELECT event.id, note FROM event JOIN pair ON x = other + 100000 ORDER BY event.id LIMIT 10"),
)

# Runs of the subquery at the most.
SUBQUERIES = (
    (8000, f"SELECT id, EXISTS (SELECT FROM account WHERE owner = event.account) FROM event WHERE {SKEWED}"),
    (5500, f"SELECT id, NOT EXISTS (SELECT FROM account WHERE owner = event.account AND name > 'account 15') OR id < 1000 FROM event WHERE {SKEWED}"),
    (5500, f"SELECT id FROM event WHERE {SKEWED} AND (EXISTS (SELECT FROM pair WHERE x = other AND y = 3) OR other < 5)"),
)

# These go on as they have begun.
STEADY = (
    "SELECT event.id, name FROM event JOIN account ON account.id = event.account WHERE event.id < 50",
    "SELECT event.id, name FROM event JOIN account ON account.id = event.account ORDER BY event.id LIMIT 10",
    "SELECT event.id FROM event JOIN nobody ON nobody.id = event.account",
)

"""Statements that were planned while their tables were empty, and run again when these are large: at the latest then they are planned for
what is there (sql/plan/outgrown.h)."""

SCHEMA = """
DROP TABLE IF EXISTS entry, note, parts CASCADE;
DROP SEQUENCE IF EXISTS plannings CASCADE;
CREATE TABLE entry (id int PRIMARY KEY, a int, b int, c int, s text);
CREATE INDEX ON entry (a);
CREATE INDEX ON entry (b, c);
CREATE TABLE note (id int PRIMARY KEY, entry int, v text);
CREATE INDEX ON note (entry);
CREATE TABLE parts (k int, a int) PARTITION BY RANGE (k);
CREATE INDEX ON parts (a);
DO $$ BEGIN FOR i IN 0..39 LOOP
  EXECUTE format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES FROM (%s) TO (%s)', i, i, i + 1);
END LOOP; END $$;
CREATE SEQUENCE plannings;
CREATE OR REPLACE FUNCTION planned() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN nextval('plannings') * 0; END $$;
CREATE OR REPLACE FUNCTION in_plpgsql(int) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM entry WHERE a = $1 AND s <> 'none' AND c >= planned(); RETURN n; END $$;
"""

GROW = """INSERT INTO entry SELECT i, i % 5000, i % 10, i, 's' || i FROM generate_series({0} + 1, {1}) i;
INSERT INTO note SELECT i, i, 'v' || i FROM generate_series({0} + 1, {1}) i;
INSERT INTO parts SELECT i % 40, i % 5000 FROM generate_series({0} + 1, {1}) i"""

# The most rows that scans may touch with 20,000 rows, parameters, the statement, and values.
STATEMENTS = (
    (1, "int", "SELECT * FROM entry WHERE id = $1", "77"),
    (4, "int", "SELECT * FROM entry WHERE a = $1", "77"),
    (4, "int, text", "SELECT * FROM entry WHERE a = $1 AND s > $2", "77, 's'"),
    (5, "int", "SELECT * FROM entry WHERE b = $1 ORDER BY c LIMIT 5", "7"),
    (5, "int", "SELECT * FROM entry WHERE id > $1 ORDER BY id LIMIT 5", "15000"),
    (8, "int", "SELECT * FROM entry JOIN note ON note.entry = entry.id WHERE a = $1", "77"),
    (8, "int", "SELECT * FROM entry LEFT JOIN note ON note.entry = entry.id WHERE a = $1", "77"),
    (8, "int", "SELECT * FROM note WHERE entry IN (SELECT id FROM entry WHERE a = $1)", "77"),
    (8, "int", "SELECT * FROM entry WHERE a = $1 AND EXISTS (SELECT FROM note WHERE entry = entry.id)", "77"),
    (8, "int", "SELECT id, (SELECT max(v) FROM note WHERE entry = entry.id) FROM entry WHERE a = $1", "77"),
    (4, "int", "UPDATE entry SET s = s || '!' WHERE a = $1", "77"),
    (4, "int", "DELETE FROM entry WHERE a = $1", "77"),
    (4, "int", "SELECT count(*) FROM parts WHERE a = $1", "77"),
    (4, "int, int", "SELECT count(*) FROM parts WHERE k = $1 AND a = $2", "37, 77"),
    (4, "int", "SELECT count(*) FROM parts WHERE k = 37 AND a = $1", "77"),
)
ROWS = 20000

FILL = "INSERT INTO entry SELECT i, i % 5000, 1, i, 's' || i FROM generate_series({0} + 1, {1}) i"

# Changes, whether what was kept is planned again after each, and what it answers then.
STEPS = (
    ("SELECT", False, 0),
    (FILL.format(0, 100), False, 1),
    ("DELETE FROM entry", False, 0),
    (FILL.format(0, 3000), True, 1),
    ("DELETE FROM entry", False, 0),
    (FILL.format(0, 3000), False, 1),
    (FILL.format(3000, ROWS), True, 4),
    (FILL.format(ROWS, ROWS * 2), False, 8),
    ("DELETE FROM entry", True, 0),
)
TEXT = "SELECT count(*) FROM entry WHERE a = 77 AND s <> 'none' AND c >= planned()"
KEPT = (("an extended query's text", TEXT), ("a simple query's text", TEXT), ("a prepared statement", "EXECUTE grown"),
        ("a function's statement", "SELECT in_plpgsql(77)"))


def check_prepared(connection, touched, plan_of, check):
    connection.execute(SCHEMA)
    connection.execute("SET plan_cache_mode = force_generic_plan")
    for i, (_, types, statement, values) in enumerate(STATEMENTS):
        connection.execute(f"PREPARE grown_{i} ({types}) AS {statement}")
        for _ in range(3):
            connection.execute(f"EXECUTE grown_{i} ({values})")
    connection.execute(GROW.format(0, ROWS))
    for i, (most, _, statement, values) in enumerate(STATEMENTS):
        connection.execute("BEGIN")
        count = touched(plan_of(connection, f"EXECUTE grown_{i} ({values})"))
        connection.execute("ROLLBACK")
        check(f"planned while empty: {statement}", [f"{count} rows touched, at most {most} expected"] if count > most else [])
        connection.execute(f"DEALLOCATE grown_{i}")
    connection.execute("RESET plan_cache_mode")


def check_own_rows(connection, touched, plan_of, check):
    """A transaction that fills a table knows how large it is: statements that are new to it, and those that are not."""
    connection.execute(SCHEMA)
    for i, (_, types, statement, values) in enumerate(STATEMENTS):
        connection.execute(f"PREPARE own_{i} ({types}) AS {statement}")
        connection.execute(f"EXECUTE own_{i} ({values})")
    connection.execute("BEGIN")
    connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
    connection.execute(GROW.format(0, ROWS))
    for i, (most, types, statement, values) in enumerate(STATEMENTS):
        connection.execute(f"PREPARE new_{i} ({types}) AS {statement}")
        for name in ("own", "new"):
            connection.execute("SAVEPOINT s")
            count = touched(plan_of(connection, f"EXECUTE {name}_{i} ({values})"))
            connection.execute("ROLLBACK TO s")
            check(f"in the transaction that fills, {name}: {statement}", [f"{count} rows touched, at most {most} expected"] if count > most else [])
    connection.execute("ROLLBACK")
    connection.execute("DEALLOCATE ALL")


def check_plannings(connection, other, check):
    """Once more when there are many rows, and not each time that a table is filled and emptied. `other` changes it."""
    for name, text in KEPT:
        connection.execute(SCHEMA)
        connection.execute(f"PREPARE grown AS {TEXT}")

        def run():
            if name.startswith("a simple"):
                return int(connection.pgconn.exec_(text.encode()).get_value(0, 0))
            return connection.execute(text).fetchone()[0]

        def plannings():
            return connection.execute("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM plannings").fetchone()[0]

        complaints = []
        for _ in range(3):
            run()
        for step, (change, expected, answer) in enumerate(STEPS):
            other.execute(change)
            before = plannings()
            answers = [run() for _ in range(3)]
            times = plannings() - before
            if (times > 0) != expected:
                complaints.append(f"step {step}: planned {times} times")
            if answers != [answer] * 3:
                complaints.append(f"step {step}: {answers}")
        connection.execute("DEALLOCATE grown")
        check(f"planned again: {name}", complaints)

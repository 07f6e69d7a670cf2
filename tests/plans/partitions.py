"""Prepared statements over many partitions: those that a run's parameters leave out are neither read nor locked."""

SCHEMA = """
DROP TABLE IF EXISTS ranges, hashes, nested CASCADE;
CREATE TABLE ranges (a int PRIMARY KEY, b int, c text) PARTITION BY RANGE (a);
DO $$ BEGIN FOR i IN 0..199 LOOP
  EXECUTE format('CREATE TABLE ranges_%s PARTITION OF ranges FOR VALUES FROM (%s) TO (%s)', i, i * 10, i * 10 + 10);
END LOOP; END $$;
CREATE TABLE hashes (a int, b int, PRIMARY KEY (a)) PARTITION BY HASH (a);
DO $$ BEGIN FOR i IN 0..31 LOOP
  EXECUTE format('CREATE TABLE hashes_%s PARTITION OF hashes FOR VALUES WITH (MODULUS 32, REMAINDER %s)', i, i);
END LOOP; END $$;
CREATE TABLE nested (a int, t text, b int) PARTITION BY LIST (t);
DO $$ BEGIN FOR i IN 0..4 LOOP
  EXECUTE format('CREATE TABLE nested_%s PARTITION OF nested FOR VALUES IN (%L) PARTITION BY RANGE (a)', i, 't' || i);
  FOR j IN 0..3 LOOP
    EXECUTE format('CREATE TABLE nested_%s_%s PARTITION OF nested_%s FOR VALUES FROM (%s) TO (%s)', i, j, i, j * 500, j * 500 + 500);
  END LOOP;
END LOOP; END $$;
INSERT INTO ranges SELECT i, i % 7, 'c' || i FROM generate_series(0, 1999) i WHERE i <> 5;
INSERT INTO hashes SELECT i, i % 7 FROM generate_series(0, 1999) i;
INSERT INTO nested SELECT i, 't' || i % 5, i % 7 FROM generate_series(0, 1999) i;
ANALYZE;
"""

LEAVES = """SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation
  WHERE pid = pg_backend_pid() AND relkind = 'r' AND relispartition AND relname ~ '^(ranges|hashes|nested)_'"""

# Leaves locked (with a plan for any values), statement, values.
CASES = (
    (1, "SELECT * FROM ranges WHERE a = $1", "int", "77"),
    (1, "SELECT * FROM hashes WHERE a = $1", "int", "77"),
    (1, "SELECT * FROM nested WHERE a = $1 AND t = $2", "int, text", "77, 't2'"),
    (5, "SELECT * FROM nested WHERE a = $1", "int", "77"),
    (4, "SELECT * FROM nested WHERE t = $1", "text", "'t2'"),
    (1, "SELECT * FROM ranges WHERE a = $1", "bigint", "77"),
    (0, "SELECT * FROM ranges WHERE a = $1", "int", "NULL"),
    (0, "SELECT * FROM ranges WHERE a = $1", "int", "-5"),
    (3, "SELECT * FROM ranges WHERE a BETWEEN $1 AND $2 ORDER BY a", "int, int", "15, 39"),
    (2, "SELECT * FROM ranges WHERE a IN ($1, $2)", "int, int", "15, 39"),
    (2, "SELECT * FROM ranges WHERE a = ANY ($1)", "int[]", "'{15, 39, 31}'"),
    (1, "SELECT * FROM ranges WHERE a = $1 FOR UPDATE", "int", "77"),
    (1, "UPDATE ranges SET b = b + 1 WHERE a = $1", "int", "77"),
    (1, "UPDATE hashes SET b = b + 1 WHERE a = $1 RETURNING b", "int", "77"),
    (1, "DELETE FROM ranges WHERE a = $1", "int", "77"),
    (2, "UPDATE ranges SET a = $2 WHERE a = $1", "int, int", "1999, 5"),
    (2, "SELECT * FROM ranges r JOIN hashes h USING (a) WHERE r.a = $1 AND h.a = $1", "int", "77"),
    (2, "SELECT b FROM ranges WHERE a = $1 UNION ALL SELECT b FROM ranges_5", "int", "77"),
    (201, "SELECT * FROM ranges WHERE a = (SELECT max(a) FROM hashes_3) + $1 * 0", "int", "77"),
    (200, "SELECT * FROM ranges WHERE b = $1", "int", "3"),
)

# A plan for any values expects to read one partition, so nothing is gained by planning for each.
PLANNED_ONCE = ("SELECT b FROM ranges WHERE a = $1", "UPDATE ranges SET b = b + 1 WHERE a = $1", "UPDATE hashes SET b = b + 1 WHERE a = $1",
                "DELETE FROM ranges WHERE a = -$1 AND a = $1")


class Partitioned:
    """Conditions over parameters, and their values."""

    def __init__(self, random):
        self.random = random

    def statement(self):
        """A table, a condition over $1 and $2, and two values."""
        table = self.random.choice(("ranges", "hashes", "nested"))
        first, second = (self.random.choice((self.random.randrange(-20, 2020), self.random.randrange(2000), "NULL")) for _ in range(2))
        condition = self.random.choice((
            "a = $1 AND $2 IS DISTINCT FROM -1", "a = $1 OR a = $2", "a BETWEEN $1 AND $2", "a < $1 AND a >= $2", "a IN ($1, $2, 7)",
            "a > $1 AND b = $2 % 7", "a = ANY (ARRAY[$1, $2])", "a = $1 AND a <> $2", "(a, b) <= ($1, $2) AND a > 1900"))
        if table == "nested":
            condition = self.random.choice((condition, f"({condition}) AND t = 't' || $1 % 5", f"({condition}) AND t IN ('t1', 't3')"))
        return table, condition, first, second

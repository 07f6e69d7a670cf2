"""Random joins: inner and outer ones, semi and anti joins, over keys of several types with nulls, skew, empty tables and tables
without statistics. What is answered must not depend on how it is joined."""

SCHEMA = """
DROP TABLE IF EXISTS j0, j1, j2, j3, j4;
CREATE TABLE j0 (id int PRIMARY KEY, a int, b bigint, c text, d int);
CREATE TABLE j1 (a int, b bigint, c text, d int, PRIMARY KEY (a, b));
CREATE TABLE j2 (id int PRIMARY KEY, a int, b bigint, c text, d int);
CREATE TABLE j3 (id int PRIMARY KEY, a int, b bigint, c text, d int);
CREATE TABLE j4 (id int PRIMARY KEY, a int, b bigint, c text, d int);
INSERT INTO j0 SELECT g, nullif(g % 13, 7), g % 5, 'c' || g % 7, g % 3 FROM generate_series(1, 120) g;
INSERT INTO j1 SELECT g % 13, g % 5, 'c' || g % 11, nullif(g % 4, 0) FROM generate_series(1, 65) g;
INSERT INTO j2 SELECT g, CASE WHEN g % 10 < 8 THEN 1 ELSE g % 13 END, nullif(g % 6, 5), nullif('c' || g % 9, 'c3'), g % 4 FROM generate_series(1, 90) g;
CREATE INDEX j2_a ON j2 (a, b);
CREATE INDEX j0_c ON j0 (c);
ANALYZE;
INSERT INTO j3 SELECT g, g % 20, g % 7, 'c' || g % 8, g % 5 FROM generate_series(1, 40) g;
"""

EQUALITIES = ("{x}.a = {y}.a", "{x}.b = {y}.b", "{x}.c = {y}.c", "{x}.a = {y}.b", "{x}.a = {y}.a AND {x}.b = {y}.b",
              "{x}.a + 1 = {y}.a", "{x}.a = {y}.a AND {x}.c = {y}.c", "{x}.a IS NOT DISTINCT FROM {y}.a")
RESIDUALS = ("{x}.d < {y}.d", "{x}.d <> {y}.d", "{x}.c <= {y}.c", "coalesce({x}.d, 1) = 1", "{y}.d IS NULL")
FILTERS = ("{x}.d = 1", "{x}.c = 'c3'", "{x}.a > 5", "{x}.b IS NULL", "{x}.a IN (1, 2, 9)", "{x}.d = 77", "{x}.c IS NOT NULL")
WAYS = ("enable_hashjoin", "enable_nestloop", "enable_mergejoin")


class Joins:
    def __init__(self, random):
        self.random = random

    def table(self):
        return f"j{self.random.choice((0, 0, 1, 1, 2, 2, 3, 4))}"

    def on(self, x, y, full):
        condition = self.random.choice(EQUALITIES[:-1] if full else EQUALITIES)
        if not full and self.random.random() < 0.4:
            condition += " AND " + self.random.choice(RESIDUALS)
        return condition.format(x=x, y=y)

    def query(self):
        names = ["x0"]
        text = f"{self.table()} x0"
        for i in range(1, self.random.randint(2, 5)):
            kind = self.random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
            on = self.on(self.random.choice(names), f"x{i}", kind == "FULL JOIN")
            text += f" {kind} {self.table()} x{i} ON {on}"
            names.append(f"x{i}")
        where = [self.random.choice(FILTERS).format(x=self.random.choice(names)) for _ in range(self.random.randint(0, 2))]
        if self.random.random() < 0.4:
            inner = f"SELECT 1 FROM {self.table()} y WHERE {self.on(self.random.choice(names), 'y', False)}"
            where.append(self.random.choice(("EXISTS", "NOT EXISTS")) + f" ({inner})")
        if self.random.random() < 0.3:
            where.append(f"{self.random.choice(names)}.a {self.random.choice(('IN', 'NOT IN'))} (SELECT a FROM {self.table()} z WHERE z.d > 1)")
        columns = ", ".join(f"{n}.{self.random.choice('abcd')}" for n in names)
        return f"SELECT {columns} FROM {text}" + (" WHERE " + " AND ".join(where) if where else "")

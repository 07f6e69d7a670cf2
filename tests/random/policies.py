"""Random policies, and a statement of some role under them: its answer compares, and what the tables hold afterwards.

One sample is a transaction that is rolled back: policies and switches of row security are made, the role is taken, one
statement runs, and all rows are looked at again by the superuser.
"""
from node import Node, joined, optional

ROLES = ["rp_owner", "rp_a", "rp_b", "rp_group"]
SETUP = [
    *(f"DROP ROLE IF EXISTS {role}" for role in ROLES),
    *(f"CREATE ROLE {role}" for role in ROLES),
    "GRANT rp_group TO rp_b",
    "CREATE SCHEMA rp AUTHORIZATION rp_owner",
    "GRANT USAGE ON SCHEMA rp TO PUBLIC",
    "CREATE TABLE rp.k (x int, y int)",
    "INSERT INTO rp.k VALUES (0, 1), (1, 2), (2, 3), (3, 4), (4, 0)",
    "CREATE TABLE rp.t (id int PRIMARY KEY, a int, who name, s text)",
    "INSERT INTO rp.t SELECT g, (g * 7) % 6, CASE g % 3 WHEN 0 THEN 'rp_a' WHEN 1 THEN 'rp_b' ELSE 'rp_owner' END, 'v' || g FROM generate_series(0, 11) g",
    "CREATE INDEX ON rp.t (a)",
    "CREATE TABLE rp.p (id int, a int, who name, s text) PARTITION BY RANGE (a)",
    "CREATE TABLE rp.p1 PARTITION OF rp.p FOR VALUES FROM (0) TO (3)",
    "CREATE TABLE rp.p2 (s text, who name, a int, id int)",
    "ALTER TABLE rp.p ATTACH PARTITION rp.p2 FOR VALUES FROM (3) TO (10)",
    "INSERT INTO rp.p SELECT * FROM rp.t",
    "CREATE TABLE rp.u (id int PRIMARY KEY, a int, who name)",
    "INSERT INTO rp.u SELECT id, a, who FROM rp.t WHERE id < 8",
    "CREATE VIEW rp.v AS SELECT id, a, who, s FROM rp.t WHERE a < 5",
    "CREATE VIEW rp.w WITH (security_invoker) AS SELECT * FROM rp.t",
    "CREATE VIEW rp.x WITH (security_barrier) AS SELECT id, a, who FROM rp.u WHERE id > 1",
    *(f"ALTER TABLE rp.{t} OWNER TO rp_owner" for t in ["k", "t", "p", "p1", "p2", "u", "v", "w", "x"]),
    *(f"GRANT ALL ON rp.{t} TO PUBLIC" for t in ["k", "t", "p", "p1", "p2", "u", "v", "w", "x"]),
]
CONTENTS = " UNION ALL ".join(f"SELECT '{t}', id, a, who FROM rp.{t}" for t in "tpu") + " ORDER BY 1, 2, 3, 4"


class Policies:
    def __init__(self, rng):
        self.rng = rng

    def condition(self, table, depth=0):
        r, column = self.rng, self.rng.choice(["id", "a"])
        kind = r.randrange(9 if depth < 2 else 5)
        if kind == 0:
            return f"{column} {r.choice(['<', '>', '=', '<>', '<=', '>='])} {r.randrange(6)}"
        if kind == 1:
            return f"{column} IS NOT NULL"
        if kind == 2:
            return "who = current_user"
        if kind == 3:
            return f"{column} % {r.randrange(2, 4)} = {r.randrange(2)}"
        if kind == 4:
            return f"{column} IN ({r.randrange(6)}, {r.randrange(6)})"
        if kind == 8:
            return Node([f"EXISTS (SELECT 1 FROM rp.k WHERE k.x = {table}.{column}", optional(f" AND k.y > {r.randrange(4)}"), ")"], ["true"])
        inner = self.condition(table, depth + 1)
        if kind == 7:
            return Node(["NOT (", inner, ")"], ["true"])
        return Node(["(", inner, r.choice([" AND ", " OR "]), self.condition(table, depth + 1), ")"], [inner])

    def policy(self, table, number):
        r = self.rng
        command = r.choice(["ALL", "ALL", "SELECT", "INSERT", "UPDATE", "DELETE"])
        using = optional(" USING (", self.condition(table), ")") if command != "INSERT" and r.random() < 0.9 else ""
        check = optional(" WITH CHECK (", self.condition(table), ")") if command not in ("SELECT", "DELETE") and r.random() < 0.5 else ""
        head = f"CREATE POLICY p{number} ON rp.{table} AS {r.choice(['PERMISSIVE', 'PERMISSIVE', 'RESTRICTIVE'])} FOR {command} TO "
        return optional(head, r.choice(["PUBLIC", "PUBLIC", "rp_a", "rp_b", "rp_group", "rp_a, rp_group"]), using, check, ";\n")

    def definitions(self):
        for table in "tpu":
            for number in range(self.rng.randrange(5)):
                yield self.policy(table, number)
            if self.rng.random() < 0.85:
                yield optional(f"ALTER TABLE rp.{table} ENABLE ROW LEVEL SECURITY;\n")
            if self.rng.random() < 0.2:
                yield optional(f"ALTER TABLE rp.{table} FORCE ROW LEVEL SECURITY;\n")

    def where(self, table):
        return optional(" WHERE ", self.condition(table, 1)) if self.rng.random() < 0.6 else ""

    def read(self, table):
        r, where = self.rng, optional(" WHERE ", self.condition(table, 1))
        other = r.choice(["t", "u", "p", "w"])
        return r.choice([
            Node([f"SELECT id, a FROM rp.{table}", where, " ORDER BY 1, 2"]),
            Node([f"SELECT {table}.id, z.a FROM rp.{table} {r.choice(['JOIN', 'LEFT JOIN'])} rp.{other} z ON z.id = {table}.id AND z.a > {r.randrange(4)} ORDER BY 1, 2"]),
            f"SELECT count(*), max(a), min(id) FROM rp.{table}",
            f"SELECT id FROM rp.{table} WHERE id IN (SELECT a FROM rp.{other}) ORDER BY 1",
            Node([f"SELECT id FROM rp.{table}", where, f" ORDER BY 1 FOR {r.choice(['UPDATE', 'SHARE', 'KEY SHARE', 'NO KEY UPDATE'])}"]),
            f"WITH d AS (DELETE FROM rp.{r.choice('tpu')} WHERE a > 3 RETURNING id, a) SELECT * FROM d ORDER BY 1, 2",
        ])

    def insert(self, table):
        r, conflict = self.rng, ""
        if not table.startswith("p") and r.random() < 0.5:
            conflict = r.choice([" ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO NOTHING", f" ON CONFLICT (id) DO UPDATE SET a = {r.randrange(7)}",
                                 " ON CONFLICT (id) DO UPDATE SET a = excluded.a WHERE excluded.a > 2"])
        return Node([f"INSERT INTO rp.{table} (id, a, who) VALUES ({r.randrange(16)}, {r.randrange(7)}, '{r.choice(ROLES[:3])}')", conflict, self.returning()])

    def returning(self):
        return optional(" RETURNING id, a") if self.rng.random() < 0.4 else ""

    def update(self, table):
        change = self.rng.choice([f"a = {self.rng.randrange(7)}", "a = a + 1", "who = 'rp_a'", "id = id + 20"])
        return Node([f"UPDATE rp.{table} SET {change}", self.where(table), self.returning()])

    def merge(self):
        r, table = self.rng, self.rng.choice("tpu")
        matched = r.choice(["UPDATE SET a = s.a", "UPDATE SET who = 'rp_b'", "DELETE", "DO NOTHING"])
        new = r.choice(["INSERT (id, a, who) VALUES (s.id, s.a, 'rp_a')", "DO NOTHING"])
        return Node([f"MERGE INTO rp.{table} USING (SELECT id, (a + 1) % 6 AS a FROM rp.u WHERE id < 5 UNION ALL VALUES (30, 2)) s ON s.id = {table}.id",
                     optional(" WHEN MATCHED", r.choice(["", f" AND {table}.a > 2"]), " THEN ", matched), f" WHEN NOT MATCHED THEN {new}"])

    def statement(self):
        r = self.rng
        table = r.choice(["t", "t", "p", "u", "v", "w", "x", "p1", "p2"])
        kind = r.randrange(10)
        if kind < 4:
            return self.read(table)
        if kind < 6:
            return self.insert(table)
        if kind < 8:
            return self.update(table)
        if kind == 8:
            return Node([f"DELETE FROM rp.{table}", self.where(table), self.returning()])
        return self.merge()

    def script(self):
        """Ends with the statement that is meant."""
        r = self.rng
        off = optional("SET LOCAL row_security = off;\n") if r.random() < 0.05 else ""
        role = r.choice([*ROLES[:3], "postgres"])
        return Node(["BEGIN;\n", *self.definitions(), f"SET LOCAL ROLE {role};\n", off, self.statement()])

"""Random partitioned tables - lists, ranges, hashes, below each other, with defaults, keys and foreign keys - and what is done to
them: rows that are routed, moved and refused, ATTACH and DETACH, ON CONFLICT, MERGE, queries that leave partitions out.
"""
from comparing import ANY_ERROR, LAX
from node import Node, joined, optional

RESET = [
    "DROP SCHEMA IF EXISTS rq CASCADE",
    "CREATE SCHEMA rq",
    "CREATE TABLE rq.lone (id int, k int, s text, v int)",
    "INSERT INTO rq.lone VALUES (1, 1, 'a', 1), (2, 5, 'b', 2), (3, NULL, 'c', 3), (4, 12, NULL, 4)",
    "CREATE TABLE rq.other (id int PRIMARY KEY, s text)",
    "INSERT INTO rq.other SELECT g, 'o' || g FROM generate_series(0, 20) g",
]
CONTENTS = [
    "SELECT tableoid::regclass::text AS p, * FROM q ORDER BY 1, 2, 3, 4, 5",
    "SELECT relid::regclass::text, parentrelid::regclass::text, isleaf, level FROM pg_partition_tree('q') ORDER BY 1",
    "SELECT relname, relkind, relispartition, pg_get_expr(relpartbound, oid) FROM pg_class WHERE relnamespace = 'rq'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1",
    "SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(oid), coninhcount, conislocal FROM pg_constraint"
    " WHERE connamespace = 'rq'::regnamespace ORDER BY 1, 2",
    "SELECT indrelid::regclass::text, indexrelid::regclass::text, indisunique, indisvalid, pg_get_indexdef(indexrelid) FROM pg_index"
    " WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'rq'::regnamespace) ORDER BY 1, 2",
    "SELECT * FROM r ORDER BY 1, 2",
]
COLUMNS = ["id", "k", "s", "v"]
ORDERS = ["id int, k int, s text, v int", "v int, s text, k int, id int", "s text, id int, v int, k int"]


class Partitions:
    SECOND = ["'b'", "'b'", "MINVALUE", "'d'"]

    def __init__(self, rng):
        self.rng, self.count, self.parts, self.keys = rng, 0, [], ""

    def chance(self, p):
        return self.rng.random() < p

    def name(self):
        self.count += 1
        return f"q{self.count}"

    def strategy(self, deep=False):
        return self.rng.choice([("LIST", "k"), ("LIST", "k"), ("RANGE", "k"), ("RANGE", "k"), ("HASH", "k"), ("HASH", "id"), ("LIST", "s"), ("RANGE", "s"), ("RANGE", "k, s"), ("RANGE", "id"),
                                ("LIST", "(k % 3)"), ("RANGE", "(k + id)"), ("HASH", "k, s"), ("LIST", "lower(s)")])

    def bound(self, how, number):
        """The bounds of the number-th partition; now and then they are any."""
        method, key = how
        r = self.rng
        if method == "HASH":
            return f"FOR VALUES WITH (MODULUS {r.choice([3, 3, 3, 6])}, REMAINDER {number % 3 if self.chance(0.9) else r.randrange(7)})"
        if self.chance(0.15):
            return "DEFAULT"
        number = number if self.chance(0.9) else r.randrange(4)
        text = key in ("s", "lower(s)")
        if method == "LIST":
            values = [["'a'", "'b'"], ["'c'", "NULL"], ["'d'", "'e'", "'f'"], ["''"]] if text else [["0", "3"], ["1", "NULL"], ["2", "5"], ["4", "6", "12"]]
            return f"FOR VALUES IN ({', '.join(values[number % 4])})"
        limits = ["MINVALUE", "'b'", "'d'", "'x'", "MAXVALUE"] if text else ["MINVALUE", "3", "6", "10", "MAXVALUE"]
        low, high = limits[number % 4], limits[number % 4 + 1]
        if key == "k, s":
            open_ends = ("MINVALUE", "MAXVALUE")
            low, high = (f"{x}, {x if x in open_ends else r.choice(self.SECOND)}" for x in (low, high))
        return f"FOR VALUES FROM ({low}) TO ({high})"

    def partitions(self, parent, how, depth):
        out = []
        for number in range(self.rng.choice([2, 3, 3, 4])):
            name, bound = self.name(), self.bound(how, number)
            self.parts.append((name, parent, how, bound))
            if self.chance(0.3):
                out.append(optional(f"CREATE TABLE {name} ({self.rng.choice(ORDERS)});\n", f"ALTER TABLE {parent} ATTACH PARTITION {name} {bound};\n"))
            elif depth > 0 and self.chance(0.25):
                below = self.strategy()
                out.append(optional(f"CREATE TABLE {name} PARTITION OF {parent} {bound} PARTITION BY {below[0]} ({below[1]});\n", *self.partitions(name, below, depth - 1)))
            else:
                more = self.rng.choice(["", "", "", " (CHECK (v < 50))", " (v DEFAULT 7)", " (s NOT NULL)"])
                out.append(optional(f"CREATE TABLE {name} PARTITION OF {parent}{more} {bound};\n"))
        return out

    def table(self):
        how = self.strategy()
        self.how = how
        columns = self.rng.choice(["id int, k int, s text, v int", "id int, k int, s text, v int DEFAULT 5", "id int, k int, s text COLLATE \"C\", v int CHECK (v <> 13)"])
        out = [f"CREATE TABLE q ({columns}) PARTITION BY {how[0]} ({how[1]});\n"]
        if "(" not in how[1] and self.chance(0.4):
            self.keys = ", ".join(dict.fromkeys(["id", *how[1].split(", ")]))
            out.append(optional(f"ALTER TABLE q ADD {self.rng.choice(['PRIMARY KEY', 'UNIQUE'])} ({self.keys});\n"))
        elif self.chance(0.3):
            out.append(optional(f"CREATE INDEX qi ON q ({self.rng.choice(['k', 'v DESC', 'lower(s)', 'k, id) WHERE (v > 1'])});\n"))
        out += self.partitions("q", how, 1)
        if self.chance(0.25):
            out.append(optional(f"ALTER TABLE q ADD FOREIGN KEY ({self.rng.choice(['k', 'v'])}) REFERENCES other{self.rng.choice(['', ' ON DELETE CASCADE', ' ON DELETE SET NULL', ' ON UPDATE CASCADE'])};\n"))
        if self.keys and self.chance(0.4):
            types = ", ".join(f"r{c} {'text' if c == 's' else 'int'}" for c in self.keys.split(", "))
            names = ", ".join(f"r{c}" for c in self.keys.split(", "))
            action = self.rng.choice(["", " ON DELETE CASCADE", " ON UPDATE CASCADE ON DELETE SET NULL", " DEFERRABLE INITIALLY DEFERRED"])
            out.append(f"CREATE TABLE r (n int, {types}, FOREIGN KEY ({names}) REFERENCES q ({self.keys}){action});\n")
            self.references = names
        else:
            out.append("CREATE TABLE r (n int, rid int);\n")
            self.references = "rid"
        return Node(out)

    # ---- rows
    def value(self, column):
        r = self.rng
        if column == "s":
            return r.choice(["'a'", "'b'", "'c'", "'D'", "'e'", "''", "NULL"])
        return r.choice([*map(str, range(13)), "NULL", "13"]) if column != "id" else str(r.randrange(1, 9))

    def row(self):
        return "(" + ", ".join(self.value(c) for c in COLUMNS) + ")"

    def condition(self):
        r = self.rng
        number, other = r.randrange(13), r.randrange(13)
        return r.choice([f"k = {number}", f"k < {number}", f"k BETWEEN {number} AND {other}", f"k IN ({number}, {other}, NULL)", "k IS NULL", f"id = {number % 6}", "s = 'a'", "s > 'b'",
                         f"k = {number} OR s = 'c'", f"k % 3 = {number % 3}", f"k + id < {number}", "lower(s) = 'd'", f"k = ANY (ARRAY[{number}, {other}])", "s IS NOT NULL", "NOT (k > 4)",
                         f"k = (SELECT min(id) + {number % 4} FROM other)", f"(k, s) < ({number}, 'c')", "v IS DISTINCT FROM 3", f"k >= {number} AND s IN ('a', 'e')", "false", "true"])

    def assignment(self):
        return self.rng.choice([f"k = {self.value('k')}", f"k = k + {self.rng.randrange(1, 5)}", f"s = {self.value('s')}", "v = v + 1", "id = id + 50", f"k = {self.value('k')}, s = 'b'", "k = DEFAULT"])

    def a_part(self):
        return self.rng.choice(self.parts)[0] if self.chance(0.3) else "q"

    def change(self):
        r, table = self.rng, self.a_part()
        returning = r.choice(["", "", " RETURNING *", " RETURNING tableoid::regclass, id, k"])
        pick = r.randrange(14)
        if pick < 4:
            conflict = ""
            if self.keys and self.chance(0.4):
                conflict = r.choice([" ON CONFLICT DO NOTHING", f" ON CONFLICT ({self.keys}) DO UPDATE SET v = excluded.v + 1", f" ON CONFLICT ({self.keys}) DO UPDATE SET k = excluded.k + 1"])
            return Node([f"INSERT INTO {table} {ANY_ERROR} (id, k, s, v) VALUES ", joined([self.row() for _ in range(r.choice([1, 2, 3, 5]))]), conflict, returning])
        if pick == 4:
            return Node([f"INSERT INTO {table} {ANY_ERROR} (id, k, s, v) SELECT id, k, s, v FROM lone", optional(f" WHERE {self.condition()}"), " ORDER BY id", returning])
        if pick in (5, 6):
            return f"{ANY_ERROR} UPDATE {table} SET {self.assignment()} WHERE {self.condition()}{returning}"
        if pick == 7:
            return f"DELETE FROM {table} WHERE {self.condition()}{returning}"
        if pick == 8:
            matched = r.choice(["UPDATE SET v = s.x", "UPDATE SET k = s.x", "DELETE", "DO NOTHING"])
            return Node([f"{LAX} MERGE INTO {table} t USING (VALUES ({r.randrange(1, 6)}, {r.randrange(13)}), (40, {r.randrange(13)})) s(i, x) ON t.id = s.i",
                         optional(f" WHEN MATCHED{r.choice(['', ' AND t.k < 5'])} THEN {matched}"), optional(" WHEN NOT MATCHED THEN INSERT (id, k, s, v) VALUES (s.i, s.x, 'm', 0)")])
        if pick == 9:
            return f"INSERT INTO r {ANY_ERROR} SELECT {r.randrange(9)}, {self.keys or 'id'} FROM q WHERE {self.condition()}"
        if pick == 10:
            return r.choice(["DELETE FROM other WHERE id = 5", "UPDATE other SET id = 30 WHERE id = 4", f"TRUNCATE {table}", f"UPDATE q SET v = r.n FROM r WHERE q.id = r.rid AND {self.condition().replace('id', 'q.id')}"])
        return self.query()

    def query(self):
        r, table = self.rng, self.a_part()
        return r.choice([
            f"SELECT tableoid::regclass::text, * FROM {table} WHERE {self.condition()} AND {self.condition()}",
            f"SELECT tableoid::regclass::text, * FROM {table} WHERE {self.condition()}",
            f"SELECT k, count(*), min(s), sum(v) FROM {table} WHERE {self.condition()} GROUP BY k",
            f"SELECT a.id, a.k, b.id, b.v FROM {table} a JOIN q b ON a.k = b.k WHERE a.{self.condition().split(' ')[0].strip('(')} IS NOT NULL",
            f"SELECT l.id, q.id, q.k FROM lone l LEFT JOIN q ON q.k = l.k AND q.v > 1",
            f"SELECT k FROM {table} WHERE {self.condition()} ORDER BY k",
            f"SELECT id, k, s, v FROM {table} WHERE {self.condition()} ORDER BY k DESC NULLS LAST, id, s, v LIMIT 3",
            "SELECT o.id, (SELECT max(q.v) FROM q WHERE q.k = o.id) FROM other o WHERE o.id < 6 ORDER BY o.id",
            f"SELECT * FROM q WHERE {self.condition()} FOR UPDATE",
        ])

    def definition(self):
        r = self.rng
        name, parent, how, bound = r.choice(self.parts)
        new = self.name()
        return r.choice([
            f"ALTER TABLE {parent} DETACH PARTITION {name}",
            f"ALTER TABLE {parent} DETACH PARTITION {name};\nINSERT INTO {name} (id, k, s, v) VALUES {self.row()};\nALTER TABLE {parent} ATTACH PARTITION {name} {bound}",
            f"ALTER TABLE {parent} ATTACH PARTITION lone {self.bound(how, r.randrange(4))}",
            f"CREATE TABLE {new} PARTITION OF {parent} {self.bound(how, r.randrange(4))}",
            f"DROP TABLE {name}",
            f"ALTER TABLE q ADD COLUMN z{new} int DEFAULT {r.randrange(5)}",
            f"ALTER TABLE q ADD CONSTRAINT c{new} CHECK (v > {r.randrange(-3, 4)})",
            f"ALTER TABLE {name} ADD CHECK (k < {r.randrange(4, 20)})",
            "ALTER TABLE q ALTER v SET DEFAULT 9", "ALTER TABLE q ALTER s SET NOT NULL", "ALTER TABLE q DROP COLUMN v", "ALTER TABLE q RENAME COLUMN v TO w", "ALTER TABLE q ALTER v TYPE bigint",
            f"CREATE UNIQUE INDEX u{new} ON q ({self.keys or 'id, k'})", f"CREATE INDEX i{new} ON {name} (v)", f"CREATE INDEX i{new} ON ONLY q (k)",
            f"ALTER TABLE {name} DROP COLUMN v", f"ALTER TABLE {name} ADD COLUMN extra int", f"ALTER TABLE {name} RENAME TO {new}", f"ALTER TABLE q ADD UNIQUE ({self.keys or 'id'})",
        ])

    def script(self):
        out = [self.table(), optional(f"INSERT INTO q {ANY_ERROR} (id, k, s, v) VALUES ", joined([self.row() for _ in range(4)]), ";\n")]
        inside = False
        for _ in range(self.rng.randint(3, 8)):
            if self.chance(0.1):
                out.append(optional("COMMIT" if inside else "BEGIN", ";\n"))
                inside = not inside
            out.append(optional(self.definition() if self.chance(0.25) else self.change(), ";\n"))
        if inside:
            out.append(optional("COMMIT;\n"))
        return Node(out)

"""Random triggers on a table, its child by a foreign key, a partitioned table and a view, and changes that fire them.

Trigger functions tell what they see, change the new row, drop it, write elsewhere, go into recursion or fail. Statements that
reach several rows are marked as LAX where the order of the rows is the table's own.
"""
from comparing import LAX
from node import Node, joined, optional

RESET = [
    "RESET session_replication_role",
    "DROP SCHEMA IF EXISTS rt CASCADE",
    "CREATE SCHEMA rt",
    "CREATE TABLE rt.tt (id int PRIMARY KEY, a int, b text, c int DEFAULT 1, g int GENERATED ALWAYS AS (a * 2) STORED)",
    "CREATE TABLE rt.tc (id int PRIMARY KEY, a int REFERENCES rt.tt ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE, b text, c int)",
    "CREATE TABLE rt.tp (id int, a int, b text, c int, PRIMARY KEY (id, a)) PARTITION BY LIST (a)",
    "CREATE TABLE rt.tp1 PARTITION OF rt.tp FOR VALUES IN (1, 2, 3)",
    "CREATE TABLE rt.tp2 (c int, b text, a int NOT NULL, id int NOT NULL)",
    "ALTER TABLE rt.tp ATTACH PARTITION rt.tp2 DEFAULT",
    "CREATE VIEW rt.tv AS SELECT id, a, b, c FROM rt.tt WHERE a < 100",
    "CREATE TABLE rt.tl (who text, what text)",
    "INSERT INTO rt.tt VALUES (1, 10, 'a'), (2, 20, 'b'), (3, NULL, 'ab'), (4, 4, NULL)",
    "INSERT INTO rt.tc VALUES (1, 1, 'x', 1), (2, 1, 'y', 2), (3, 2, 'z', NULL), (4, NULL, 'n', 4)",
    "INSERT INTO rt.tp VALUES (1, 1, 'a', 1), (2, 2, 'b', 2), (3, 3, NULL, 3), (4, 4, 'd', 4), (5, 5, 'e', NULL)",
]
CONTENTS = ["SELECT * FROM tt ORDER BY id", "SELECT * FROM tc ORDER BY id", "SELECT tableoid::regclass, * FROM tp ORDER BY id, a", "SELECT * FROM tl ORDER BY 1, 2"]
TABLES = ["tt", "tt", "tt", "tc", "tp", "tp", "tp1", "tv"]


class Triggers:
    def __init__(self, rng):
        self.rng, self.count, self.defined = rng, 0, []

    def chance(self, p):
        return self.rng.random() < p

    # ---- trigger functions; lines end with "; " so that the script is not cut there
    def row_step(self, when, events):
        r = self.rng
        told = "RAISE NOTICE '% % % % % %', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP, TG_TABLE_NAME, pg_trigger_depth(); \n"
        rows = "RAISE NOTICE '% -> %', OLD, NEW; \n"
        steps = [told, told, rows, rows, "INSERT INTO tl VALUES (TG_NAME, TG_OP || pg_trigger_depth()); \n", "INSERT INTO tl VALUES (TG_NAME, coalesce(NEW, OLD)::text); \n",
                 "IF TG_OP = 'UPDATE' THEN RAISE NOTICE '% to %', OLD.a, NEW.a; END IF; \n",
                 "RAISE NOTICE 'arguments % %', TG_NARGS, TG_ARGV[0]; \n",
                 f"IF NEW.a = {r.randrange(1, 6)} THEN RAISE EXCEPTION 'refused' USING ERRCODE = 'P0{r.randrange(100, 999)}', HINT = TG_NAME; END IF; \n",
                 f"IF pg_trigger_depth() < 3 THEN UPDATE tt SET c = c + 1 WHERE id = {r.choice(['NEW.id', 'OLD.id', 'NEW.a', '1'])}; END IF; \n",
                 "IF pg_trigger_depth() < 2 THEN DELETE FROM tc WHERE id = NEW.id; END IF; \n",
                 "IF pg_trigger_depth() < 3 AND TG_OP = 'INSERT' THEN INSERT INTO tc VALUES (NEW.id + 20, NULL, TG_NAME, 0) ON CONFLICT (id) DO UPDATE SET c = tc.c + 1; END IF; \n",
                 "BEGIN INSERT INTO tt VALUES (1, 1); EXCEPTION WHEN unique_violation THEN RAISE NOTICE 'again in %', TG_NAME; END; \n",
                 "PERFORM count(*) FROM tt; RAISE NOTICE 'rows %', (SELECT count(*) FROM tt); \n"]
        if when == "BEFORE":
            steps += ["NEW.c := coalesce(NEW.c, 0) + 10; \n", "NEW.b := TG_NAME || coalesce(NEW.b, ''); \n", "NEW.a := NEW.a + 1; \n", "NEW.b = upper(NEW.b); \n",
                      f"IF {r.choice(['NEW', 'OLD'])}.id = {r.randrange(1, 5)} THEN RETURN NULL; END IF; \n", "NEW.id := NEW.id + 100; \n"]
        return r.choice(steps)

    def new_function(self, when, events, level, tables):
        self.count += 1
        name = f"f{self.count}"
        if level == "STATEMENT":
            steps = [self.rng.choice([
                "RAISE NOTICE '% % % % % %', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP, TG_TABLE_NAME, pg_trigger_depth(); \n",
                "INSERT INTO tl VALUES (TG_NAME, TG_OP); \n",
                "IF pg_trigger_depth() < 2 THEN UPDATE tt SET c = c + 1 WHERE id = 2; END IF; \n",
                "RAISE NOTICE 'rows %', (SELECT count(*) FROM tt); \n",
            ]) for _ in range(self.rng.choice([1, 2]))]
            for table in tables:
                steps += [optional(f"RAISE NOTICE '{table}: %', (SELECT string_agg(x::text, ' ' ORDER BY x::text) FROM {table} x); \n"),
                          optional(f"INSERT INTO tl SELECT TG_NAME, '{table} ' || id FROM {table}; \n")]
            if len(tables) == 2:
                steps.append(optional("RAISE NOTICE 'moved %', (SELECT count(*) FROM oldrows o JOIN newrows n USING (id) WHERE o.a IS DISTINCT FROM n.a); \n"))
            back = "RETURN NULL; \n"
        else:
            steps = [optional(self.row_step(when, events)) for _ in range(self.rng.choice([1, 1, 2, 3]))]
            back = self.rng.choice(["IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; \n", "RETURN coalesce(NEW, OLD); \n"] if when != "AFTER" else ["RETURN NULL; \n", "RETURN NEW; \n"])
            if when == "INSTEAD OF" and self.chance(0.7):
                steps.append("IF TG_OP = 'INSERT' THEN INSERT INTO tt VALUES (NEW.id, NEW.a, NEW.b, NEW.c); ELSIF TG_OP = 'UPDATE' THEN UPDATE tt SET a = NEW.a, b = NEW.b"
                             " WHERE id = OLD.id; ELSE DELETE FROM tt WHERE id = OLD.id; END IF; \n")
        return name, Node([f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $f$\nBEGIN \n", *steps, back, "END$f$"])

    def trigger(self):
        r = self.rng
        table = r.choice(TABLES)
        level = "STATEMENT" if self.chance(0.3) else "ROW"
        constraint = level == "ROW" and table != "tv" and self.chance(0.15)
        when = "INSTEAD OF" if table == "tv" and level == "ROW" else "AFTER" if constraint else r.choice(["BEFORE", "AFTER"])
        events = r.sample(["INSERT", "UPDATE", "DELETE"], r.choice([1, 1, 2, 3]))
        if level == "STATEMENT" and table != "tv" and self.chance(0.1):
            events = ["TRUNCATE"]
        of = f" OF {r.choice(['a', 'b', 'a, c'])}" if "UPDATE" in events and self.chance(0.2) and when != "INSTEAD OF" else ""
        referencing, tables = "", []
        if when == "AFTER" and not constraint and table != "tv" and not of and len(events) == 1 and events != ["TRUNCATE"] and self.chance(0.6 if level == "STATEMENT" else 0.1):
            tables = [t for t, hidden in (("oldrows", "INSERT"), ("newrows", "DELETE")) if events[0] != hidden]
            referencing = " REFERENCING " + " ".join(f"{t[:3].upper()} TABLE AS {t}" for t in tables)
        condition = ""
        if level == "ROW" and when != "INSTEAD OF" and self.chance(0.3):
            sides = [side for side, hidden in (("OLD", "INSERT"), ("NEW", "DELETE")) if hidden not in events] or ["NEW"]
            condition = r.choice([f"{sides[-1]}.a > 2", f"{sides[0]}.b IS NOT NULL", f"{sides[0]}.* IS DISTINCT FROM {sides[-1]}.*", f"{sides[-1]}.id % 2 = 1"])
            condition = optional(f" WHEN ({condition})")
        function, made = self.new_function(when, events, level, tables)
        name = f"{r.choice('abcxyz')}{self.count}"
        self.defined.append((name, table))
        text = " OR ".join(e + of if e == "UPDATE" else e for e in events)
        deferred = r.choice([" DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE", ""]) if constraint else ""
        arguments = r.choice(["", "", "'one', 2"])
        return optional(made, ";\n", f"CREATE {'CONSTRAINT ' if constraint else ''}TRIGGER {name} {when} {text} ON {table}{deferred}{referencing} FOR EACH {level}", condition,
                        f" EXECUTE FUNCTION {function}({arguments});\n")

    # ---- changes
    def value(self, column):
        if column == "b":
            return self.rng.choice(["'a'", "'q'", "NULL", "'zz'"])
        return self.rng.choice(["NULL", *map(str, range(7))] if column != "id" else list(map(str, range(1, 9))))

    def row(self, table):
        return f"({self.value('id')}, {self.rng.choice([str(self.rng.randrange(7)), '1', 'NULL'])}, {self.value('b')}, {self.value('c')})"

    def assignment(self, table):
        return self.rng.choice(["a = a + 1", "b = b || 'u'", "c = 0", "a = 3", "a = NULL", "b = 'k', c = c + 1", "a = a", "id = id + 30", "b = DEFAULT"])

    def one(self):
        return f" WHERE id = {self.rng.randrange(1, 6)}"

    def change(self):
        r, table = self.rng, self.rng.choice(TABLES)
        returning = r.choice(["", "", " RETURNING *", " RETURNING id, a"])
        pick = r.randrange(12)
        if pick < 3:
            rows = joined([self.row(table) for _ in range(r.choice([1, 1, 2, 3]))])
            conflict = ""
            if table in ("tt", "tc") and self.chance(0.4):
                conflict = r.choice([" ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO UPDATE SET b = excluded.b || 'c'", f" ON CONFLICT (id) DO UPDATE SET a = excluded.a WHERE {table}.c > 0"])
            elif table == "tp" and self.chance(0.4):
                conflict = r.choice([" ON CONFLICT DO NOTHING", " ON CONFLICT (id, a) DO UPDATE SET b = excluded.b, c = 77"])
            return Node([f"INSERT INTO {table} (id, a, b, c) VALUES ", rows, conflict, returning])
        if pick < 5:
            return f"UPDATE {table} SET {self.assignment(table)}{self.one()}{returning}"
        if pick == 5:
            return f"DELETE FROM {table}{self.one()}{returning}"
        if pick == 6:
            return f"{LAX} UPDATE {table} SET {self.assignment(table)}{r.choice(['', ' WHERE id < 4', ' WHERE a IS NOT NULL'])}{returning}"
        if pick == 7:
            return f"{LAX} DELETE FROM {table} WHERE {r.choice(['id < 3', 'a > 2', 'b IS NULL', 'false'])}{returning}"
        if pick == 8:
            return r.choice(["TRUNCATE tp", "TRUNCATE tc", "TRUNCATE tt CASCADE", "TRUNCATE tt, tc"])
        if pick == 9 and table in ("tt", "tc", "tp"):
            matched = r.choice(["UPDATE SET b = 'm' || s.x", "UPDATE SET a = s.x", "DELETE", "DO NOTHING"])
            unmatched = r.choice(["INSERT (id, a, b, c) VALUES (s.k, s.x, 'new', 0)", "DO NOTHING"])
            many = self.chance(0.3)
            source = "VALUES (1, 2), (3, 4), (9, 1)" if many else f"VALUES ({r.randrange(1, 7)}, {r.randrange(6)})"
            return Node([f"{LAX + ' ' if many else ''}MERGE INTO {table} t USING ({source}) s(k, x) ON t.id = s.k", optional(f" WHEN MATCHED THEN {matched}"),
                         optional(f" WHEN NOT MATCHED THEN {unmatched}")])
        if pick == 10:
            return f"WITH w AS (UPDATE {table} SET {self.assignment(table)}{self.one()} RETURNING id) INSERT INTO tl SELECT 'with', id::text FROM w"
        return f"UPDATE {table} t SET b = s.y FROM (VALUES ({r.randrange(1, 6)}, 'from')) s(x, y) WHERE t.id = s.x{returning.replace('id', 't.id').replace(' a', ' t.a')}"

    def setting(self):
        if not self.defined:
            return "SELECT 1"
        name, table = self.rng.choice(self.defined)
        return self.rng.choice([
            f"ALTER TABLE {table} DISABLE TRIGGER {name}", f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}", f"ALTER TABLE {table} ENABLE REPLICA TRIGGER {name}",
            f"ALTER TABLE {table} DISABLE TRIGGER USER", f"ALTER TABLE {table} ENABLE TRIGGER ALL", f"DROP TRIGGER {name} ON {table}", f"ALTER TRIGGER {name} ON {table} RENAME TO m{name}",
            "SET session_replication_role = replica", "SET session_replication_role = origin", f"SET CONSTRAINTS {name} DEFERRED", "SET CONSTRAINTS ALL IMMEDIATE",
            f"SELECT tgname, tgenabled, tgtype, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND NOT tgisinternal ORDER BY 1",
        ])

    def script(self):
        out = [self.trigger() for _ in range(self.rng.randint(1, 4))]
        inside = False
        for _ in range(self.rng.randint(2, 6)):
            draw = self.rng.random()
            if not inside and draw < 0.2:
                out.append(optional("BEGIN;\n"))
                inside = True
            elif inside and draw < 0.25:
                out.append(optional(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED"]), ";\n"))
                inside = not str(out[-1]).startswith(("COMMIT", "ROLLBACK;"))
            if draw > 0.9:
                out.append(optional(self.setting(), ";\n"))
            out.append(optional(self.change(), ";\n"))
        if inside:
            out.append(optional("COMMIT;\n"))
        return Node(out)

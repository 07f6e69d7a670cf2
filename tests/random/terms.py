"""Random values and conditions over the columns in sight: operators, CASE, functions, subqueries of every kind."""
import schema
from node import Node


class Terms:
    """What SELECT and the changing statements are filled with. A scope is a list of (alias, [(column, kind)])."""

    def __init__(self, rng):
        self.rng, self.names, self.ctes = rng, 0, []

    def chance(self, p):
        return self.rng.random() < p

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def column(self, scope, kind):
        found = [f"{a}.{c}" for a, cs in scope for c, k in cs if k == kind]
        return self.rng.choice(found) if found else None

    def constant(self, kind):
        return schema.constant(self.rng, kind)

    def table(self):
        """A table, view or query of WITH: its text and what it makes visible."""
        if self.ctes and self.chance(0.3):
            name, columns = self.rng.choice(self.ctes)
        else:
            known = schema.TABLES | schema.VIEWS
            name = self.rng.choice(list(known))
            columns = known[name]
        alias = self.name("r")
        return f"{name} {alias}", (alias, columns)

    # ---- values
    def value(self, scope, kind, depth):
        r = self.rng
        simple = self.column(scope, kind)
        if depth <= 0 or self.chance(0.5):
            return simple if simple and self.chance(0.8) else self.constant(kind)
        leaf = simple or self.constant(kind)
        if kind == "bool":
            return self.condition(scope, depth - 1)
        choice = r.randrange(7)
        if choice == 0:
            return Node(["coalesce(", self.value(scope, kind, depth - 1), ", ", self.value(scope, kind, depth - 1), ")"], [leaf])
        if choice == 1:
            return Node(["CASE WHEN ", self.condition(scope, depth - 1), " THEN ", self.value(scope, kind, depth - 1), " ELSE ",
                         self.value(scope, kind, depth - 1), " END"], [leaf])
        if choice == 2 and depth > 1:
            return self.scalar_subquery(scope, kind, depth - 1, leaf)
        if choice == 3 and kind != "json":
            return Node(["nullif(", self.value(scope, kind, depth - 1), ", ", self.value(scope, kind, depth - 1), ")"], [leaf])
        if choice == 4 and kind not in ("json", "ints"):
            return Node([r.choice(["greatest(", "least("]), self.value(scope, kind, depth - 1), ", ", self.value(scope, kind, depth - 1), ")"], [leaf])
        made = self.operation(scope, kind, depth - 1)
        return Node(made, [leaf])

    def operation(self, scope, kind, depth):
        """A function or operator that gives that kind."""
        def of(other):
            return self.value(scope, other, depth)

        pick = self.rng.choice
        return pick({
            "int": [lambda: ["length(", of("text"), ")"], lambda: ["(", of("int"), pick([" + ", " - ", " * "]), of("int"), ")"],
                    lambda: ["cardinality(", of("ints"), ")"], lambda: ["(", of("date"), " - ", of("date"), ")"],
                    lambda: ["(", of("ints"), f")[{self.rng.randrange(4)}]"], lambda: ["(-", of("int"), ")"],
                    lambda: ["extract(day FROM ", of("stamp"), ")::int"]],
            "num": [lambda: ["(", of("num"), pick([" + ", " - ", " * "]), of(pick(["num", "int"])), ")"], lambda: ["abs(", of("num"), ")"],
                    lambda: ["round(", of("num"), ", 1)"], lambda: ["(", of("int"), ")::numeric"]],
            "text": [lambda: ["(", of("text"), " || ", of("text"), ")"], lambda: ["(", of("int"), ")::text"], lambda: ["upper(", of("text"), ")"],
                     lambda: ["(", of("json"), " ->> 'a')"], lambda: ["jsonb_typeof(", of("json"), ")"], lambda: ["substr(", of("text"), ", 2)"],
                     lambda: ["array_to_string(", of("ints"), ", ',', '*')"], lambda: ["to_char(", of("stamp"), ", 'DD HH24')"]],
            "date": [lambda: ["(", of("date"), " + ", of("int"), ")"], lambda: ["(", of("stamp"), ")::date"]],
            "stamp": [lambda: ["(", of("stamp"), " + interval '1 day 2 hours' * ", of("int"), ")"], lambda: ["date_trunc('day', ", of("stamp"), ")"],
                      lambda: ["(", of("date"), ")::timestamp"]],
            "ints": [lambda: ["ARRAY[", of("int"), ", ", of("int"), "]"], lambda: ["array_append(ARRAY[", of("int"), "], ", of("int"), ")"],
                     lambda: self.array_subquery(scope, depth)],
            "json": [lambda: ["(", of("json"), pick([" -> 'a'", " -> 0", " -> 'b'", " #> '{b,0}'"]), ")"], lambda: ["to_jsonb(", of("text"), ")"],
                     lambda: ["jsonb_build_object('k', ", of("num"), ")"]],
        }[kind])()

    def array_subquery(self, scope, depth):
        item, inner = self.table()
        value = self.column([inner], "int") or "1"
        return ["ARRAY(SELECT ", value, " FROM ", item, " WHERE ", self.condition([*scope, inner], depth - 1), " ORDER BY 1)"]

    def scalar_subquery(self, scope, kind, depth, leaf):
        item, inner = self.table()
        where = self.condition([*scope, inner], depth)
        body = self.value([inner], kind, 0)
        if kind in ("json", "ints", "bool") or self.chance(0.2):
            key = self.column([inner], "int") or "1"
            return Node(["(SELECT ", body, " FROM ", item, " WHERE ", where, f" ORDER BY {key}, 1 LIMIT 1)" if kind not in ("json", "ints") else " ORDER BY 1 LIMIT 1)"], [leaf])
        call = {"int": ["max", "min", "count"], "num": ["max", "sum", "min"]}.get(kind, ["max", "min"])
        function = self.rng.choice(call)
        cast = "::int" if function == "count" else ""
        return Node(["(SELECT ", f"{function}(", body, ")", cast, " FROM ", item, " WHERE ", where, ")"], [leaf])

    # ---- conditions
    def condition(self, scope, depth):
        r = self.rng
        kind = r.choice(["int", "int", "int", "num", "text", "text", "date", "stamp", "ints"])
        left, right = self.value(scope, kind, depth - 1), self.value(scope, kind, depth - 1)
        if depth <= 0:
            return Node([left, f" {r.choice(['=', '<', '>=', '<>', '='])} ", right], ["true"])
        choice = r.randrange(17)
        if choice < 3:
            word = r.choice([" AND ", " OR "])
            a, b = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            return Node(["(", a, word, b, ")"], [a, b, "true"])
        if choice == 3:
            a = self.condition(scope, depth - 1)
            return Node(["(NOT ", a, ")"], [a, "true"])
        if choice == 4:
            return Node([left, r.choice([" IS NULL", " IS NOT NULL"])], ["true", "false"])
        if choice == 5:
            return Node([left, r.choice([" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "]), right], ["true"])
        if choice == 6:
            items = ", ".join(self.constant(kind) for _ in range(r.randrange(1, 4)))
            if self.chance(0.2):
                items += ", NULL"
            return Node([left, r.choice([" IN (", " NOT IN ("]), items, ")"], ["true"])
        if choice == 7:
            item, inner = self.table()
            where = self.condition([*scope, inner], depth - 1)
            return Node([r.choice(["EXISTS", "NOT EXISTS"]), " (SELECT 1 FROM ", item, " WHERE ", where, ")"], ["true"])
        if choice in (8, 9, 10):
            return self.quantified(scope, kind, left, right, depth)
        if choice == 11:
            a, b = self.value(scope, "int", 0), self.value(scope, "int", 0)
            return Node(["(", left, ", ", a, ")", r.choice([" = ", " < ", " <> ", " >= ", " IS DISTINCT FROM "]), "(", right, ", ", b, ")"], ["true"])
        if choice == 12:
            a = self.condition(scope, depth - 1)
            return Node(["(", a, r.choice([" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS UNKNOWN"]), ")"], [a, "true"])
        if choice == 13:
            return Node([left, r.choice([" BETWEEN ", " NOT BETWEEN ", " BETWEEN SYMMETRIC "]), right, " AND ", self.value(scope, kind, 0)], ["true"])
        if choice == 14:
            words = self.value(scope, "text", depth - 1)
            return Node([words, r.choice([" LIKE ", " NOT LIKE ", " ILIKE ", " ~ ", " SIMILAR TO "]), r.choice(["'a%'", "'%b'", "'_b%'", "'ab'", "'A%'"])], ["true"])
        if choice == 15:
            number = self.value(scope, "int", depth - 1)
            return Node([number, r.choice([" = ANY ", " < ALL ", " <> ALL ", " > ANY "]), "(", self.value(scope, "ints", depth - 1), ")"], ["true"])
        return Node([left, f" {r.choice(['=', '<', '>=', '<>', '>'])} ", right], ["true"])

    def quantified(self, scope, kind, left, right, depth):
        item, inner = self.table()
        out = self.column([inner], kind)
        if out is None:
            return Node([left, " = ", right], ["true"])
        where = Node([" WHERE ", self.condition([*scope, inner], depth - 1)], [""])
        if self.chance(0.2):
            number, key = self.value(scope, "int", 0), self.column([inner], "int")
            if key is not None:
                return Node(["(", left, ", ", number, ")", self.rng.choice([" IN ", " NOT IN ", " = ANY ", " <> ALL "]), "(SELECT ", out, ", ", key, " FROM ", item, where, ")"],
                            ["true"])
        word = self.rng.choice([" IN ", " NOT IN ", " = ANY ", " < ALL ", " > ANY ", " <> ALL "])
        return Node([left, word, "(SELECT ", out, " FROM ", item, where, ")"], ["true"])

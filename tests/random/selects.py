"""Random SELECT statements: joins of all kinds, LATERAL, grouping sets, windows with frames, set operations, WITH [RECURSIVE]."""
from node import Node, optional
from schema import KINDS
from terms import Terms

OUTPUT = ["int", "int", "int", "num", "text", "text", "date", "stamp", "bool", "ints", "json"]
AGGREGATES = {
    "int": ["count(*)::int", "sum({})::int", "max({})", "count(DISTINCT {})::int", "bit_or({})", "min({})", "(percentile_disc(0.5) WITHIN GROUP (ORDER BY {}))"],
    "num": ["sum({})", "min({})", "avg({})", "max({})", "sum(DISTINCT {})"],
    "text": ["max({})", "min({})", "string_agg({0}, ',' ORDER BY {0})", "(mode() WITHIN GROUP (ORDER BY {}))"],
    "date": ["max({})", "min({})"],
    "stamp": ["max({})", "min({})"],
    "bool": ["bool_and({})", "bool_or({})"],
    "ints": ["array_agg({0} ORDER BY {0})", "max({})"],
    "json": ["jsonb_agg({0} ORDER BY {0})"],
}
FRAME_STARTS = ["UNBOUNDED PRECEDING", "2 PRECEDING", "1 PRECEDING", "CURRENT ROW", "1 FOLLOWING"]
FRAME_ENDS = ["1 PRECEDING", "CURRENT ROW", "1 FOLLOWING", "3 FOLLOWING", "UNBOUNDED FOLLOWING"]
EXCLUSIONS = ["", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS"]


class Selects(Terms):
    # ---- FROM
    def item(self, scope, depth):
        """A FROM item that may look at `scope`, and what it makes visible."""
        r = self.rng
        if depth > 0 and self.chance(0.25):
            lateral = self.chance(0.4)
            query, columns = self.select(scope if lateral else [], depth - 1)
            alias = self.name("q")
            return Node(["LATERAL " if lateral else "", "(", query, f") {alias}"]), [(alias, columns)]
        kind = r.random()
        if kind < 0.06:
            alias = self.name("g")
            until = self.column(scope, "int") if scope and self.chance(0.5) else None
            return f"generate_series(0, {until or r.randrange(4)}) {alias}(n)", [(alias, [("n", "int")])]
        if kind < 0.10:
            alias = self.name("u")
            array = self.column(scope, "ints") if scope else None
            ordinality = " WITH ORDINALITY" if self.chance(0.5) else ""
            columns = [("n", "int")] + ([("o", "big")] if ordinality else [])
            return f"unnest({array or 'ARRAY[1, NULL, 3]'}){ordinality} {alias}({', '.join(c for c, _ in columns)})", [(alias, columns)]
        if kind < 0.15:
            alias = self.name("v")
            return f"(VALUES (1, 'a'), (NULL, 'b'), (2, NULL)) {alias}(n, t)", [(alias, [("n", "int"), ("t", "text")])]
        if kind < 0.18:
            alias = self.name("f")
            return (f"ROWS FROM (generate_series(1, {r.randrange(1, 4)}), unnest(ARRAY['a', 'b'])) {alias}(n, t)",
                    [(alias, [("n", "int"), ("t", "text")])])
        text, entry = self.table()
        return text, [entry]

    def joins(self, outer, depth):
        text, scope = self.item(outer, depth)
        parts = [text]
        for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3])):
            kind = self.rng.choice(["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"])
            lateral_ok = kind in ("JOIN", "LEFT JOIN", "CROSS JOIN")
            right, entry = self.item(outer + scope if lateral_ok else [], depth - 1)
            both = scope + entry
            shared = self.rng.choice(["int", "int", "text", "num"])
            a, b = self.column(scope, shared), self.column(entry, shared)
            if kind == "CROSS JOIN":
                parts.append(Node([f" {kind} ", right]))
            elif kind == "FULL JOIN":
                parts.append(Node([f" {kind} ", right, " ON ", a or "1", " = ", b or a or "1"]))
            else:
                on = self.condition(outer + both, 1)
                if a and b and self.chance(0.3):  # keys that are computed, perhaps with values of rows further out
                    left = Node([self.value(outer + scope, shared, 2)], [a])
                    on = Node([left, " = ", Node([self.key(outer, entry, shared)], [b]), Node([" AND ", on], [""])])
                elif a and b and self.chance(0.7):
                    on = Node([a, " = ", b, Node([" AND ", on], [""])])
                parts.append(Node([f" {kind} ", right, " ON ", on], [Node([f" {kind} ", right, " ON true"])]))
            scope = both
        return Node(parts), scope

    def key(self, outer, inner, kind):
        """A value of one side of a join, with one of an outer row in it where there is one."""
        own, other = self.column(inner, kind), self.column(outer, kind)
        if own is None or other is None or self.chance(0.2):
            return self.value(outer + inner, kind, 2)
        forms = {"text": ["{} || {}", "coalesce({}, {})"]}.get(kind, ["{} + {}", "{} - {}", "coalesce({}, {})", "greatest({}, {})", "{} % nullif({}, 0)"])
        return self.rng.choice(forms).format(own, other)

    # ---- SELECT; answers the text and its columns
    def select(self, outer, depth):
        kinds = [self.rng.choice(OUTPUT) for _ in range(self.rng.randrange(1, 4))]
        if depth > 0 and self.chance(0.12):
            return self.set_operation(outer, depth, kinds)
        source, scope = self.joins(outer, depth)
        visible = outer + scope
        where = Node([" WHERE ", self.condition(visible, depth)], [""]) if self.chance(0.7) else ""
        style, group, distinct = self.rng.random(), "", ""
        if style < 0.25:
            values, group = self.grouped(scope, kinds, depth)
        elif style < 0.4:
            values = [self.value(visible, k, depth) for k in kinds[:-1]] + [self.window(scope)]
            kinds = [*kinds[:-1], "int"]
        else:
            values = [self.value(visible, k, depth) for k in kinds]
            distinct = "DISTINCT " if self.chance(0.15) else ""
        targets = []
        for i, value in enumerate(values):
            targets += [", " if i else "", value, f" AS c{i}"]
        order = limit = ""
        if self.chance(0.35):
            keys = ", ".join(str(i + 1) + self.rng.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]) for i in range(len(kinds)))
            if self.chance(0.15) and not group and style >= 0.4:
                distinct = "DISTINCT ON (1) "
                order = Node([" ORDER BY ", keys])
            else:
                order = Node([" ORDER BY ", keys], [""])
            if self.chance(0.6):
                limit = Node([" LIMIT ", str(self.rng.randrange(6)), self.rng.choice(["", " OFFSET 1"])], [""])
                if self.chance(0.2):
                    limit = Node([" FETCH FIRST 2 ROWS WITH TIES"], [""])
                order = Node([" ORDER BY ", keys])
        columns = [(f"c{i}", kind) for i, kind in enumerate(kinds)]
        return Node(["SELECT ", distinct, *targets, " FROM ", source, where, group, order, limit]), columns

    def grouped(self, scope, kinds, depth):
        """Output values with an aggregate, and GROUP BY ... HAVING."""
        keys = [self.column(scope, k) or self.constant(k) for k in kinds[:-1]]
        argument = self.column(scope, kinds[-1]) or self.constant(kinds[-1])
        if kinds[-1] == "ints":
            argument = self.column(scope, "int") or "1"
            call = f"array_agg({argument} ORDER BY {argument})"
        else:
            call = self.rng.choice(AGGREGATES[kinds[-1]]).format(argument)
        if self.chance(0.2) and "WITHIN" not in call:
            at = call.rindex(")") + 1 if "::" not in call else call.rindex("::")
            call = Node([call[:at], optional(" FILTER (WHERE ", self.condition(scope, 1), ")"), call[at:]])
        real = list(dict.fromkeys(k for k in keys if "." in k and not k[0].isdigit() and "'" not in k))
        values = [*keys, call]
        if not real:
            return values, ""
        body = ", ".join(real)
        forms = ["{}", "{}", "{}", "ROLLUP({})", "CUBE({})", "GROUPING SETS (({}), ())", "GROUPING SETS (({}), (%s))" % real[0], "ROLLUP({}), GROUPING SETS ((), (%s))" % real[0]]
        group = [" GROUP BY ", self.rng.choice(["", "", "", "DISTINCT "]), self.rng.choice(forms).format(body)]
        if kinds[-1] == "int" and self.chance(0.15):
            values[-1] = f"GROUPING({body})"
        having = Node([" HAVING ", self.rng.choice([f"count(*) > {self.rng.randrange(3)}", f"max({real[0]}) IS NOT NULL", f"{real[0]} IS NULL"])], [""]) if self.chance(0.3) else ""
        return values, Node([*group, having])

    def window(self, scope):
        """A window call that gives an int. What depends on the order of peers has a total order: the row as text."""
        r = self.rng
        argument = self.column(scope, "int") or "1"
        partition = self.column(scope, r.choice(["int", "text", "date"]))
        over = f"PARTITION BY {partition} " if partition and self.chance(0.6) else ""
        down = r.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
        order = self.column(scope, "int") or "1"
        start = r.randrange(len(FRAME_STARTS))
        end = r.randrange(len(FRAME_ENDS))
        bounds = f"BETWEEN {FRAME_STARTS[start]} AND {FRAME_ENDS[end]}"
        late = {"CURRENT ROW": 1, "1 FOLLOWING": 2}.get(FRAME_STARTS[start], 0)
        if late > (FRAME_ENDS[end] != "1 PRECEDING") + ("FOLLOWING" in FRAME_ENDS[end]):
            bounds = FRAME_STARTS[start] if "PRECEDING" in FRAME_STARTS[start] else "CURRENT ROW"
        calls = [f"sum({argument})", "count(*)", "rank()", "dense_rank()", f"max({argument})", f"min({argument})"]
        if self.chance(0.5):
            mode = r.choice(["RANGE", "GROUPS"])
            frame = Node([f" {mode} {bounds}{r.choice(EXCLUSIONS)}"], [""]) if self.chance(0.8) else ""
            filtered = optional(f" FILTER (WHERE {argument} <> 1)") if self.chance(0.15) else ""
            call = r.choice(calls)
            return Node(["(", call, filtered if "rank" not in call else "", f" OVER ({over}ORDER BY {order}{down}", frame, "))::int"])
        aliases = ", ".join(f"{alias}::text" for alias, _ in scope)
        calls += ["row_number()", f"lag({argument})", f"lead({argument}, 2, -1)", f"first_value({argument})", f"last_value({argument})", f"nth_value({argument}, 2)", "ntile(3)"]
        frame = Node([f" ROWS {bounds}{r.choice(EXCLUSIONS)}"], [""])
        return Node(["(", r.choice(calls), f" OVER ({over}ORDER BY {order}{down}, {aliases}", frame, "))::int"])

    def set_operation(self, outer, depth, kinds):
        kinds = ["text" if k == "json" else k for k in kinds]
        parts = []
        for _ in range(self.rng.choice([2, 2, 3])):
            source, scope = self.joins(outer, depth - 1)
            where = Node([" WHERE ", self.condition(outer + scope, depth - 1)], [""])
            row = []
            for j, k in enumerate(kinds):
                row += [", " if j else "", self.value(outer + scope, k, 1), f" AS c{j}"]
            parts.append(Node(["SELECT ", *row, " FROM ", source, where]))
        words = [" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ", " INTERSECT ALL ", " EXCEPT ALL "]
        out = [parts[0]]
        for part in parts[1:]:
            out += [self.rng.choice(words), part]
        return Node(out, parts), [(f"c{j}", k) for j, k in enumerate(kinds)]

    def recursive(self, name):
        """A query of WITH RECURSIVE that ends: it counts up to a bound, over a join or alone."""
        bound = self.rng.randint(2, 5)
        word = self.rng.choice([" UNION ", " UNION ALL "])
        start = Node(["SELECT ", self.value([], "int", 0), ", 0"])
        if self.chance(0.5):
            step = f"SELECT w.c0 + 1, w.c1 + 1 FROM {name} w WHERE w.c1 < {bound}"
        else:
            step = f"SELECT t.y, w.c1 + 1 FROM {name} w JOIN ta t ON t.x = w.c0 AND t.id < 9 WHERE w.c1 < {min(bound, 3)}"
        return Node([f"{name}(c0, c1) AS (", start, word, step, ")"]), [("c0", "int"), ("c1", "int")]

    def query(self):
        parts, recursive = [], self.chance(0.15)
        for _ in range(self.rng.choice([0, 0, 0, 1, 2]) + recursive):
            name = self.name("w")
            lead = ", " if parts else "WITH RECURSIVE " if recursive else "WITH "
            if recursive and self.chance(0.6):
                text, columns = self.recursive(name)
                parts.append(Node([lead, text]))
            else:
                body, columns = self.select([], 1)
                word = self.rng.choice([" AS ", " AS ", " AS MATERIALIZED ", " AS NOT MATERIALIZED "])
                parts.append(Node([lead, name, word, "(", body, ")"]))
            self.ctes.append((name, columns))
        body, columns = self.select([], 2)
        return Node([*parts, " " if parts else "", body], [body] if parts else [])


assert set(AGGREGATES) == set(KINDS)

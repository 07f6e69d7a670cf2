"""Random functions in SQL and PL/pgSQL, procedures and DO blocks, and the calls that show what they do: results, notices with
their contexts, errors, and the rows that are left.

Lines inside a body end with "; " so that ";\n" ends statements of the script only.
"""
import schema
from node import Node, optional
from terms import Terms

RESET = [
    "DROP SCHEMA IF EXISTS rf CASCADE",
    "CREATE SCHEMA rf",
    "CREATE TABLE rf.ft (id int PRIMARY KEY, n int, t text, d numeric CHECK (d < 50), UNIQUE (n))",
    "CREATE TYPE rf.pair AS (a int, b text)",
    "CREATE DOMAIN rf.small AS int CHECK (VALUE < 5)",
    "INSERT INTO rf.ft VALUES (1, 10, 'a', 1.5), (2, 20, 'b', NULL), (3, NULL, 'ab', 3), (4, 40, NULL, 4.25), (5, 50, '', 0)",
]
CONTENTS = ["SELECT * FROM ft ORDER BY id"]
FT = [("id", "int"), ("n", "int"), ("t", "text"), ("d", "num")]
KINDS = ["int", "int", "int", "text", "text", "num", "bool", "ints", "date"]
NAMES = schema.SQL_NAMES
CONDITIONS = ["OTHERS", "division_by_zero", "unique_violation", "check_violation", "raise_exception", "no_data_found", "too_many_rows", "numeric_value_out_of_range",
              "SQLSTATE '22012'", "data_exception", "integrity_constraint_violation", "not_null_violation OR unique_violation", "case_not_found", "assert_failure",
              "invalid_text_representation", "null_value_not_allowed", "query_canceled OR OTHERS"]
ERRORS = ["1 / (id - id)", "n / 0", "(''x'')::int", "100000 * 100000"]
STACKED = ["RETURNED_SQLSTATE", "MESSAGE_TEXT", "PG_EXCEPTION_DETAIL", "PG_EXCEPTION_HINT", "CONSTRAINT_NAME", "TABLE_NAME", "COLUMN_NAME", "SCHEMA_NAME"]


class Functions(Terms):
    def __init__(self, rng):
        super().__init__(rng)
        self.known = []  # (name, parameters' kinds, kind of the result or None, is a set)
        self.returns, self.loops, self.labels, self.handling, self.procedure = None, 0, [], False, False

    def column(self, scope, kind):
        found = [f"{a}.{c}" if a else c for a, cs in scope for c, k in cs if k == kind]
        return self.rng.choice(found) if found else None

    def any_of(self, *makers):
        return self.rng.choice(makers)()

    def value(self, scope, kind, depth):
        calls = [f for f in self.known if f[2] == kind and not f[3]] if depth > 0 and self.chance(0.15) else []
        if calls:
            return self.call(self.rng.choice(calls), scope, depth - 1)
        return super().value(scope, kind, depth)

    def call(self, function, scope, depth):
        name, parameters, kind, _ = function
        given, named = [], False
        for parameter, wanted, mode, default in parameters:
            if mode == "OUT":
                continue
            if default and self.chance(0.4):
                named = True
                continue
            if mode == "VARIADIC":
                if named:
                    break
                if self.chance(0.4):
                    given.append(Node(["VARIADIC ", self.value(scope, "ints", 0)]))
                else:
                    given += [self.value(scope, "int", 0) for _ in range(self.rng.choice([1, 2, 3]))]
                break
            named = named or self.chance(0.05)
            value = self.value(scope, wanted, depth)
            given.append(Node([f"{parameter} => " if named else "", value]))
        leaf = self.constant(kind) if kind in NAMES else "1"
        return Node([f"{name}(", *sum(([", " if i else "", g] for i, g in enumerate(given)), []), ")"], [leaf])

    # ---- variables
    def variable(self, scope, kind=None):
        found = [(f"{a}.{c}" if self.chance(0.3) else c, k) for a, cs in scope if a.startswith("b") for c, k in cs if kind in (None, k)]
        return self.rng.choice(found) if found else None

    def target(self, scope, kind):
        found = self.variable(scope, kind)
        return found[0] if found else None

    # ---- queries inside bodies
    def query(self, scope, kinds):
        """Rows in an order of their own."""
        if self.chance(0.6):
            where = Node([" WHERE ", self.condition([*scope, ("q", FT)], 1)], [""]) if self.chance(0.7) else ""
            values = [self.value([("q", FT), *scope], kind, 1) for kind in kinds]
            return Node(["SELECT ", *sum(([", " if i else "", v] for i, v in enumerate(values)), []), " FROM ft q", where, " ORDER BY q.id",
                         self.rng.choice(["", "", " LIMIT 1", " LIMIT 2"])])
        values = [[self.value(scope, kind, 1) for kind in kinds] for _ in range(self.rng.choice([1, 1, 2]))]
        rows = [Node(["SELECT ", *sum(([", " if i else "", v] for i, v in enumerate(row)), [])]) for row in values]
        return rows[0] if len(rows) == 1 else Node([rows[0], optional(" UNION ALL ", rows[1])])

    def change(self, scope):
        key = self.value(scope, "int", 0)
        return self.any_of(
            lambda: Node(["INSERT INTO ft VALUES (", key, " + ", str(self.rng.randrange(0, 12)), ", ", self.value(scope, "int", 1), ", ", self.value(scope, "text", 1), ", ",
                          self.value(scope, "num", 0), ")", self.rng.choice(["", "", " ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO UPDATE SET t = excluded.t || 'c'"])]),
            lambda: Node(["UPDATE ft SET ", self.rng.choice(["n = ft.n + 1", "t = 'u' || ft.t", "d = ft.d * 3", "n = 20", "t = NULL"]), " WHERE ft.id = ", key]),
            lambda: Node(["DELETE FROM ft WHERE ft.id = ", key]),
        )

    # ---- statements; each ends with "; \n"
    def block(self, scope, depth, least=1):
        return Node([optional(self.statement(scope, depth)) for _ in range(self.rng.randint(least, 3))])

    def statement(self, scope, depth):
        simple = [self.assign, self.assign, self.notice, self.notice, self.select_into, self.changes, self.perform, self.execute, self.leave, self.result, self.raising,
                  self.asserting]
        deep = [self.if_, self.case, self.count_loop, self.row_loop, self.row_loop, self.array_loop, self.while_, self.guarded, self.guarded, self.inner, self.cursor,
                self.cursor_loop]
        return self.rng.choice(simple + deep if depth > 0 else simple)(scope, depth)

    def assign(self, scope, _):
        found = self.variable(scope)
        if not found:
            return "NULL; \n"
        name, kind = found
        if kind == "ints" and self.chance(0.4):
            return Node([f"{name}[{self.rng.randrange(1, 4)}] := ", self.value(scope, "int", 1), "; \n"])
        return Node([name, self.rng.choice([" := ", " = "]), self.value(scope, kind, 2), "; \n"])

    def notice(self, scope, _):
        values = [self.value(scope, self.rng.choice(KINDS), 1) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        level = self.rng.choice(["NOTICE", "NOTICE", "NOTICE", "WARNING", "INFO"])
        using = self.rng.choice(["", "", "", " USING HINT = 'h' || 1", " USING DETAIL = 'd', ERRCODE = '01004'"])
        return Node([f"RAISE {level} '{self.rng.choice(['at', '100%%', ''])}{' %' * len(values)}'", *(part for v in values for part in (", ", v)), using, "; \n"])

    def raising(self, scope, _):
        if self.handling and self.chance(0.3):
            return "RAISE; \n"
        if self.chance(0.5):
            return self.notice(scope, 0)
        text = self.rng.choice([
            "RAISE EXCEPTION 'stop %', {v}", "RAISE EXCEPTION 'own' USING ERRCODE = 'P1234', DETAIL = {v}::text, HINT = 'go on'", "RAISE division_by_zero",
            "RAISE SQLSTATE '22012' USING MESSAGE = {v}::text", "RAISE unique_violation USING CONSTRAINT = 'c1', TABLE = 't1', COLUMN = 'k', SCHEMA = 's'",
        ])
        before, mark, after = text.partition("{v}")
        wrapped = Node([before, self.value(scope, "int", 1), after]) if mark else text
        return Node(["IF (", self.condition(scope, 1), ") THEN ", wrapped, "; END IF; \n"])

    def asserting(self, scope, _):
        return Node(["ASSERT ", self.condition(scope, 1), optional(", ", self.value(scope, "text", 1)), "; \n"])

    def select_into(self, scope, _):
        names = [v for v in (self.variable(scope) for _ in range(self.rng.choice([1, 1, 2]))) if v]
        if not names or len({n.split(".")[-1] for n, _ in names}) < len(names):
            return "NULL; \n"
        strict = self.rng.choice(["", "", "STRICT "])
        into = f" INTO {strict}{', '.join(n for n, _ in names)}"
        shown = self.query(scope, [k for _, k in names])
        return Node([shown, into, self.rng.choice(["", "; GET DIAGNOSTICS n0 = ROW_COUNT", "; b0 := FOUND"]), "; \n"])

    def changes(self, scope, _):
        into = self.target(scope, "int")
        returning = f" RETURNING ft.id INTO {into}" if into and self.chance(0.4) else ""
        return Node([self.change(scope), returning, self.rng.choice(["", "; GET DIAGNOSTICS n0 = ROW_COUNT", "; RAISE NOTICE 'found %', FOUND"]), "; \n"])

    def perform(self, scope, _):
        query = self.query(scope, [self.rng.choice(KINDS)])
        return Node(["PERFORM x FROM (", query, ") y(x); RAISE NOTICE 'performed %', FOUND; \n"])

    def execute(self, scope, _):
        name = self.target(scope, "int")
        into = f" INTO {self.rng.choice(['', 'STRICT '])}{name}" if name and self.chance(0.7) else ""
        return self.any_of(
            lambda: Node(["EXECUTE 'SELECT n + $1 FROM ft WHERE id = $2'", into, " USING ", self.value(scope, "int", 1), ", ", self.value(scope, "int", 0), "; \n"]),
            lambda: Node(["EXECUTE format('SELECT id FROM ft WHERE t = %L ORDER BY id', ", self.value(scope, "text", 1), ")", into, "; \n"]),
            lambda: Node(["EXECUTE 'UPDATE ft SET t = $1 WHERE id = $2' USING ", self.value(scope, "text", 0), ", ", self.value(scope, "int", 0),
                          "; GET DIAGNOSTICS n0 = ROW_COUNT; \n"]),
            lambda: Node([f"EXECUTE 'SELECT {self.rng.choice(ERRORS)} FROM ft WHERE id = ' || ", self.value(scope, "int", 0), into, "; \n"]),
            lambda: Node(["EXECUTE ", self.value(scope, "text", 0), "; \n"]),
        )

    def leave(self, scope, _):
        if self.loops and self.chance(0.7):
            word = self.rng.choice(["EXIT", "CONTINUE"])
            label = f" {self.rng.choice(self.labels)}" if self.labels and self.chance(0.4) else ""
            return Node([f"{word}{label}", Node([" WHEN ", self.condition(scope, 1)]), "; \n"])
        if self.procedure and not self.handling and self.chance(0.5):
            return self.rng.choice(["COMMIT; \n", "ROLLBACK; \n"])
        return "NULL; \n"

    def result(self, scope, _):
        kind, is_set = self.returns or (None, False)
        if kind is None:
            return Node(["IF (", self.condition(scope, 1), ") THEN RETURN; END IF; \n"]) if self.chance(0.3) else "NULL; \n"
        if kind == "out":
            return "RETURN NEXT; \n" if is_set else "NULL; \n"
        if isinstance(kind, tuple):
            return Node(["RETURN QUERY ", self.query(scope, kind), "; \n"])
        if is_set:
            return self.any_of(lambda: Node(["RETURN NEXT ", self.value(scope, kind, 1), "; \n"]), lambda: Node(["RETURN QUERY ", self.query(scope, [kind]), "; \n"]),
                               lambda: Node(["RETURN QUERY EXECUTE 'SELECT $1 FROM ft ORDER BY id' USING ", self.value(scope, kind, 1), "; \n"]))
        return Node(["IF (", self.condition(scope, 1), ") THEN RETURN ", self.value(scope, kind, 2), "; END IF; \n"])

    def if_(self, scope, depth):
        parts = ["IF (", self.condition(scope, 2), ") THEN \n", self.block(scope, depth - 1)]
        if self.chance(0.4):
            parts.append(optional("ELSIF (", self.condition(scope, 1), ") THEN \n", self.block(scope, depth - 1)))
        if self.chance(0.5):
            parts.append(optional("ELSE \n", self.block(scope, depth - 1)))
        return Node([*parts, "END IF; \n"])

    def case(self, scope, depth):
        otherwise = optional("ELSE \n", self.block(scope, depth - 1)) if self.chance(0.6) else ""
        if self.chance(0.5):
            kind = self.rng.choice(["int", "text"])
            whens = [optional(f"WHEN {self.constant(kind)}, {self.constant(kind)} THEN \n", self.block(scope, depth - 1)) for _ in range(2)]
            return Node(["CASE (", self.value(scope, kind, 1), ") \n", f"WHEN {self.constant(kind)} THEN NULL; \n", *whens, otherwise, "END CASE; \n"])
        return Node(["CASE WHEN (", self.condition(scope, 1), ") THEN \n", self.block(scope, depth - 1), otherwise, "END CASE; \n"])

    def loop(self, head, scope, depth):
        label = self.name("l") if self.chance(0.4) else ""
        self.loops += 1
        self.labels += [label] if label else []
        body = self.block(scope, depth - 1)
        self.loops -= 1
        self.labels = self.labels[:-1] if label else self.labels
        return Node([f"<<{label}>> " if label else "", head, " LOOP \n", body, f"END LOOP{' ' + label if label else ''}; \n"])

    def count_loop(self, scope, depth):
        name = self.name("i")
        reverse = self.chance(0.3)
        low, high = self.rng.randrange(3), self.rng.randrange(5)
        bounds = f"{high} .. {low}" if reverse else f"{low} .. {high}"
        head = f"FOR {name} IN {'REVERSE ' if reverse else ''}{bounds}{self.rng.choice(['', '', ' BY 2'])}"
        return self.loop(head, [*scope, ("", [(name, "int")])], depth)

    def row_loop(self, scope, depth):
        query = self.query(scope, ["int", "text"])
        if self.chance(0.5):
            head = Node(["FOR r IN SELECT * FROM (", query, ") z(k, s)"])
            return self.loop(head, [*scope, ("r", [("k", "int"), ("s", "text")])], depth)
        if self.chance(0.4):
            return self.loop(Node(["FOR n0, t0 IN EXECUTE 'SELECT id, t FROM ft WHERE id > $1 ORDER BY id' USING ", self.value(scope, "int", 0)]), scope, depth)
        return self.loop(Node(["FOR n0, t0 IN ", query]), scope, depth)

    def array_loop(self, scope, depth):
        return self.loop(Node([self.rng.choice(["FOREACH n0 IN ARRAY ", "FOREACH n0 IN ARRAY ", "FOREACH a0 SLICE 1 IN ARRAY "]), self.value(scope, "ints", 1)]), scope, depth)

    def while_(self, scope, depth):
        body = self.block(scope, depth - 1)
        return Node(["w0 := 0; WHILE w0 < 3 LOOP \n", "w0 := w0 + 1; \n", body, "END LOOP; \n"])

    def guarded(self, scope, depth):
        body = self.block(scope, depth - 1)
        outer, self.handling = self.handling, True
        handlers = []
        for condition in self.rng.sample(CONDITIONS, self.rng.choice([1, 1, 2])):
            told = "RAISE NOTICE 'caught % %', SQLSTATE, SQLERRM; \n" if self.chance(0.7) else ""
            stacked = f"GET STACKED DIAGNOSTICS t0 = {self.rng.choice(STACKED)}; RAISE NOTICE 'told %', t0; \n" if self.chance(0.4) else ""
            handlers.append(optional(f"WHEN {condition} THEN \n", told, stacked, self.block(scope, 0, 0)))
        self.handling = outer
        return Node(["BEGIN \n", body, "EXCEPTION ", *handlers, "END; \n"], [body])

    def inner(self, scope, depth):
        label, name, kind = self.name("b"), self.name("v"), self.rng.choice(KINDS)
        inside = [*scope, (label, [(name, kind)])]
        return Node([f"<<{label}>> DECLARE {name} {NAMES[kind]} := ", self.value(scope, kind, 1), "; BEGIN \n", self.block(inside, depth - 1), f"END {label}; \n"])

    def cursor(self, scope, depth):
        steps, name = [], self.rng.choice(["c0", "c1", "rc"])
        opened = {"c0": "OPEN c0", "c1": Node(["OPEN c1(", self.value(scope, "int", 0), ")"]),
                  "rc": Node([self.rng.choice(["OPEN rc SCROLL FOR SELECT id, t FROM ft ORDER BY id", "OPEN rc FOR SELECT id, t FROM ft WHERE id = 3"])])}[name]
        for _ in range(self.rng.choice([1, 2, 3])):
            way = self.rng.choice(["", "NEXT FROM ", "LAST FROM ", "PRIOR FROM ", "ABSOLUTE 2 FROM ", "RELATIVE 2 FROM ", "FIRST FROM ", "RELATIVE -1 FROM "] if name == "rc" else ["", "NEXT FROM ", "FORWARD FROM "])
            steps.append(optional(self.rng.choice([
                f"FETCH {way}{name} INTO n0, t0; RAISE NOTICE 'got % % %', n0, t0, FOUND; \n",
                f"FETCH {way}{name} INTO n0, t0; RAISE NOTICE 'got % % %', n0, t0, FOUND; \n",
                f"MOVE {way}{name}; \n",
                "UPDATE ft SET t = 'cur' WHERE CURRENT OF rc; \n" if name == "rc" else f"MOVE {name}; \n",
            ])))
        return Node([opened, "; \n", *steps, optional(f"CLOSE {name}; \n")])

    def cursor_loop(self, scope, depth):
        head = self.rng.choice(["FOR r IN c0", Node(["FOR r IN c1(", self.value(scope, "int", 1), ")"]), Node(["FOR r IN c1(k := ", self.value(scope, "int", 0), ")"])])
        return self.loop(head, [*scope, ("r", [("id", "int"), ("t", "text")])], depth)

    # ---- functions
    def parameters(self, allow_out):
        out, defaults = [], False
        for i in range(self.rng.choice([0, 1, 1, 2, 3])):
            kind = self.rng.choice(KINDS)
            mode = self.rng.choice(["IN", "IN", "IN", "", "", "INOUT", "OUT"] if allow_out else ["", "", "IN"])
            defaults = mode != "OUT" and (defaults or self.chance(0.2)) if not defaults else True
            default = self.constant(kind) if defaults and mode != "OUT" else ""
            out.append((f"p{i}", kind, mode, default))
        if not defaults and not allow_out and self.chance(0.15):
            out.append(("pv", "ints", "VARIADIC", ""))
        return out

    def body(self, name, parameters, end):
        scope = [(name, [(p, k) for p, k, _, _ in parameters]), ("b1", [("n0", "int"), ("t0", "text"), ("b0", "bool"), ("a0", "ints"), ("m0", "num")])]
        declared = ["n0 int := ", self.value(scope[:1], "int", 1), "; t0 text; b0 bool; a0 int[] := '{1,2,3}'; m0 numeric", self.rng.choice(["", " NOT NULL", "(4,1)"]),
                    " := 1; w0 int; r record; c0 CURSOR FOR SELECT id, t FROM ft ORDER BY id; c1 CURSOR (k int) FOR SELECT id, t FROM ft WHERE id > k ORDER BY id; rc refcursor; \n"]
        written = [(name, [(p, k) for p, k, m, _ in parameters if m in ("OUT", "INOUT")])]
        steps = self.block(scope, 2, 2)
        last = optional(*end(scope)) if end else ""
        assigned = [Node([f"{p} := ", self.value(scope, k, 1), "; \n"], [""]) for p, k in written[0][1] if self.chance(0.7)]
        return Node(["<<b1>> DECLARE ", *declared, "BEGIN \n", steps, *assigned, last, "END"])

    def head(self, word, name, parameters):
        shown = ", ".join(f"{m + ' ' if m else ''}{p} {NAMES[k]}{f' DEFAULT {d}' if d else ''}" for p, k, m, d in parameters)
        return f"CREATE FUNCTION {name}({shown})".replace("FUNCTION", word)

    def sql_function(self):
        name, parameters = self.name("s"), self.parameters(False)
        scope = [(name, [(p, k) for p, k, _, _ in parameters])]
        marks = self.rng.choice(["", "", " STRICT", " STABLE", " STABLE STRICT", " COST 10"])
        kind = self.rng.choice(KINDS)
        which = self.rng.randrange(5)
        is_set, returned = False, NAMES[kind]
        if which == 0:
            body = Node(["RETURN ", self.value(scope, kind, 2)])
            text = Node([self.head("FUNCTION", name, parameters), f" RETURNS {returned} LANGUAGE sql{marks} ", body])
        elif which == 1:
            body = Node(["BEGIN ATOMIC \n", self.change(scope), "; \n", self.query(scope, [kind]), "; \n", "END"])
            text = Node([self.head("FUNCTION", name, parameters), f" RETURNS {returned} LANGUAGE sql ", body])
        else:
            is_set = which > 2
            kinds = [kind] if which < 4 else [kind, self.rng.choice(KINDS)]
            if which == 4:
                returned = f"TABLE (o0 {NAMES[kinds[0]]}, o1 {NAMES[kinds[1]]})"
            elif is_set:
                returned = f"SETOF {returned}"
            first = Node([self.change(scope), "; \n"], [""]) if self.chance(0.3) else ""
            text = Node([self.head("FUNCTION", name, parameters), f" RETURNS {returned} LANGUAGE sql{marks if not first else ''} AS $f$", first, self.query(scope, kinds), "$f$"])
        self.known.append((name, parameters, kind if which < 4 else "row", is_set))
        return text

    def function(self):
        name = self.name("f")
        which = self.rng.randrange(7)
        parameters = self.parameters(which in (4, 5))
        kind, is_set = self.rng.choice(KINDS), which in (2, 3, 5)
        outs = [(p, k) for p, k, m, _ in parameters if m in ("OUT", "INOUT")]
        end, clause = None, ""
        if which in (0, 1, 6):
            self.returns, clause = (kind, False), f" RETURNS {NAMES[kind]}"
            end = lambda scope: ("RETURN ", self.value(scope, kind, 2), "; \n")
        elif which == 2:
            self.returns, clause = (kind, True), f" RETURNS SETOF {NAMES[kind]}"
        elif which == 3:
            kinds = (kind, self.rng.choice(KINDS))
            self.returns, clause = (kinds, True), f" RETURNS TABLE (o0 {NAMES[kinds[0]]}, o1 {NAMES[kinds[1]]})"
        elif outs:
            shape = NAMES[outs[0][1]] if len(outs) == 1 else "record"
            self.returns, clause = ("out", is_set), f" RETURNS SETOF {shape}" if is_set else ""
        else:
            is_set = False
            self.returns, clause = (None, False), " RETURNS void"
        body = self.body(name, parameters, end)
        marks = self.rng.choice(["", "", " STRICT"])  # how often a STABLE function is called is the plan's choice
        self.known.append((name, parameters, kind if which in (0, 1, 2, 6) else "row", is_set))
        self.returns = None
        return Node([self.head("FUNCTION", name, parameters), clause, f" LANGUAGE plpgsql{marks} AS $f$\n", body, "$f$"])

    def new_procedure(self):
        name, parameters = self.name("p"), self.parameters(True)
        self.returns, self.procedure = (None, False), True
        body = self.body(name, parameters, None)
        self.procedure = False
        return Node([self.head("PROCEDURE", name, parameters), " LANGUAGE plpgsql AS $f$\n", body, "$f$"]), name, parameters

    def calls(self):
        """Statements that call a function in the places where calls stand."""
        function = self.rng.choice(self.known)
        name, _, kind, is_set = function
        row = ("q", FT)
        if is_set or kind == "row":
            return self.any_of(lambda: Node(["SELECT * FROM ", self.call(function, [], 1)]), lambda: Node(["SELECT * FROM ", self.call(function, [], 1), " LIMIT 2"]),
                               lambda: Node(["SELECT q.id, x FROM ft q, LATERAL ", self.call(function, [row], 0), " x WHERE q.id < 3 ORDER BY q.id"]),
                               lambda: Node(["SELECT ", self.call(function, [], 1)]), lambda: Node(["SELECT x FROM ", self.call(function, [], 1), " WITH ORDINALITY x"]))
        return self.any_of(lambda: Node(["SELECT ", self.call(function, [], 1)]), lambda: Node(["SELECT id, ", self.call(function, [row], 1), " FROM ft q WHERE id < 4 ORDER BY id"]),
                           lambda: Node(["SELECT ", self.value([], kind, 2)]), lambda: Node(["SELECT count(*) FROM ft q WHERE ", self.call(function, [row], 0), " IS NULL"]))

    def script(self):
        out = []
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            if self.chance(0.15):
                text, name, parameters = self.new_procedure()
                given = ["NULL" if m == "OUT" else self.constant(k) for _, k, m, _ in parameters]
                out += [text, f"CALL {name}({', '.join(given)})"]
            elif self.chance(0.12):
                self.returns, self.procedure = (None, False), self.chance(0.5)
                out.append(Node(["DO $f$\n", self.body("b1", [], None), "$f$"]))
                self.procedure = False
            else:
                out.append(self.sql_function() if self.chance(0.35) else self.function())
                out += [self.calls() for _ in range(self.rng.choice([1, 2]))]
        return Node([Node([statement, ";\n"], [""]) for statement in out])

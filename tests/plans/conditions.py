"""Random conditions over the table of schema.sql: what indexes can serve in several ranges, alone and mixed with what they cannot."""


class Conditions:
    def __init__(self, random):
        self.random = random

    def a(self):
        return self.random.randrange(12)  # 0..9 exist

    def b(self):
        return self.random.randrange(22)

    def c(self):
        return self.random.randrange(28)

    def some(self, make, most=5):
        return [make() for _ in range(self.random.randint(1, most))]

    def list_of(self, make, most=5):
        return ", ".join(str(v) for v in self.some(make, most))

    def between(self, column, make):
        low, high = sorted((make(), make()))
        return self.random.choice((f"{column} BETWEEN {low} AND {high}", f"({column} >= {low} AND {column} < {high})",
                                   f"{column} > {high}", f"{column} <= {low}"))

    # ---- what the primary key (a, b, c) serves

    def row_in(self):
        if self.random.random() < 0.5:
            return f"(a, b) IN ({', '.join(str((self.a(), self.b())) for _ in range(self.random.randint(1, 12)))})"
        return f"(a, b, c) IN ({', '.join(str((self.a(), self.b(), self.c())) for _ in range(self.random.randint(1, 20)))})"

    def row_array(self):
        rows = ", ".join(str((self.a(), self.b())) for _ in range(self.random.randint(1, 6)))
        return f"(a, b) = ANY (ARRAY[{rows}])"

    def lists(self):
        parts = [self.random.choice((f"a IN ({self.list_of(self.a)})", f"a = ANY ('{{{self.list_of(self.a)}}}'::int[])"))]
        parts.append(self.random.choice((f"b IN ({self.list_of(self.b)})", f"b = {self.b()}")))
        if self.random.random() < 0.6:
            parts.append(self.random.choice((f"c IN ({self.list_of(self.c, 9)})", self.between("c", self.c))))
        return " AND ".join(parts)

    def alternatives(self):
        def one():
            tail = self.random.choice(("", f" AND c = {self.c()}", " AND " + self.between("c", self.c)))
            return f"(a = {self.a()} AND b = {self.b()}{tail})"
        return "(" + " OR ".join(one() for _ in range(self.random.randint(2, 6))) + ")"

    def nested(self):
        def inner():
            return self.random.choice((f"b = {self.b()}", self.between("b", self.b),
                                       f"(b = {self.b()} AND (c = {self.c()} OR {self.between('c', self.c)}))",
                                       f"b IN ({self.list_of(self.b)})"))
        return f"a = {self.a()} AND (" + " OR ".join(inner() for _ in range(self.random.randint(2, 4))) + ")"

    def ranges(self):
        return "(" + " OR ".join(self.random.choice((f"a = {self.a()}", self.between("a", self.a))) for _ in range(3)) + ")"

    def rows(self):
        op = self.random.choice(("<", "<=", ">", ">="))
        return self.random.choice((f"(a, b) {op} ({self.a()}, {self.b()})", f"(a, b, c) {op} ({self.a()}, {self.b()}, {self.c()})",
                                   f"({self.a()}, {self.b()}) {op} (a, b)", f"a = {self.a()} AND (b, c) {op} ({self.b()}, {self.c()})"))

    # ---- what other indexes serve, or several together

    def secondary(self):
        return self.random.choice((f"d IN ({self.list_of(lambda: self.random.randrange(520), 8)})",
                                   f"d = {self.random.randrange(520)} AND (f IS NULL OR f < {self.random.randrange(60)})",
                                   f"d + f = ANY (ARRAY[{self.list_of(lambda: self.random.randrange(560))}])",
                                   f"(d + f = {self.random.randrange(560)} OR d + f BETWEEN 20 AND {20 + self.random.randrange(8)})",
                                   f"e IN ('e{self.random.randrange(220)}', 'e{self.random.randrange(220)}')",
                                   f"e LIKE 'e1{self.random.randrange(10)}%'",
                                   f"f > 40 AND g = {self.random.randrange(30)}",
                                   f"(g IN ({self.list_of(lambda: self.random.randrange(30))}) AND f > {40 + self.random.randrange(5)})"))

    def united(self):
        def one():
            return self.random.choice((f"d = {self.random.randrange(520)}", f"e = 'e{self.random.randrange(220)}'",
                                       f"d + f = {self.random.randrange(560)}", f"(a = {self.a()} AND b = {self.b()})",
                                       f"d IN ({self.list_of(lambda: self.random.randrange(520), 3)})",
                                       f"(g = {self.random.randrange(30)} AND f > 44)"))
        return "(" + " OR ".join(one() for _ in range(self.random.randint(2, 4))) + ")"

    PURE = (row_in, lists, alternatives, nested, ranges, rows)
    OTHER = (row_array, secondary, united)

    def pure(self):
        return self.random.choice(self.PURE)(self)

    def served(self):
        return self.random.choice(self.PURE + self.OTHER)(self)

    def mixed(self):
        filters = ("d % 3 = 1", "f IS NULL", "f IS NOT NULL", "e <> 'e7'", "NOT (b = 3 OR c = 4)", f"(a, b) >= ({self.a()}, {self.b()})",
                   f"c IN ({self.list_of(self.c)})", f"a IN ({self.list_of(self.a)})", "(f > 45 OR d < 30)", "a IS NULL")
        parts = [self.served() for _ in range(self.random.randint(1, 2))] + [self.random.choice(filters)]
        self.random.shuffle(parts)
        out = parts[0]
        for part in parts[1:]:
            out = f"({out}) {self.random.choice(('AND', 'AND', 'OR'))} ({part})"
        return out

"""Random composite values: functions that return records, column definition lists that fit them or do not, composite types with
dropped and added attributes, nested records and arrays of records, null at each level, and what is asked of such values."""
import json

from node import Node, joined, optional

SETUP = [
    "CREATE TYPE rflat AS (a int4, b text)",
    "CREATE TYPE rnest AS (f rflat, l rflat[], n int4)",
    "CREATE TYPE raltered AS (a int4, gone text, b text)",
    "ALTER TYPE raltered DROP ATTRIBUTE gone",
    "ALTER TYPE raltered ADD ATTRIBUTE c int8",
    "CREATE DOMAIN rpositive AS int4 CHECK (VALUE > 0)",
    "CREATE TABLE rtable (k int4 PRIMARY KEY, f rflat, n rnest, l rflat[])",
    "INSERT INTO rtable VALUES (1, (1, 'x'), ((2, 'y'), array[(3, 'z')::rflat, null], 4), array[(5, 'w')::rflat]),"
    " (2, null, null, null), (3, (null, null), (null, null, null), '{}')",
]
SCALARS = ["int4", "int8", "text", "varchar", "numeric", "bool", "date", "rpositive"]
TYPES = {"rflat": ["int4", "text"], "rnest": ["rflat", "rflat[]", "int4"], "raltered": ["int4", "text", "int8"]}
NAMES = {"rflat": ["a", "b"], "rnest": ["f", "l", "n"], "raltered": ["a", "b", "c"]}
LEAVES = {
    "int4": ["1", "-7", "0"], "int8": ["1::int8", "5000000000"], "text": ["'x'::text", "''::text", "'a,\"b)'::text"], "varchar": ["'v'::varchar"],
    "numeric": ["1.50", "2::numeric"], "bool": ["true", "false"], "date": ["date '2024-02-29'"], "rpositive": ["3::rpositive"],
}


class Records:
    def __init__(self, rng):
        self.rng = rng

    # ---- types and shapes; an anonymous record's type is the list of its fields' types
    def type(self, depth):
        r = self.rng.random()
        if depth > 0 and r < 0.15:
            return self.shape(depth - 1)
        if depth > 0 and r < 0.25:
            return ["array", self.rng.choice([self.shape(depth - 1), *TYPES, "int4"])]
        return self.rng.choice(list(TYPES)) if r < 0.45 else self.rng.choice(SCALARS)

    def shape(self, depth=1):
        return ["record", *(self.type(depth) for _ in range(self.rng.choice([1, 2, 2, 3])))]

    @staticmethod
    def name(type_):
        """As a column definition list writes it."""
        if isinstance(type_, str):
            return type_
        return "record" if type_[0] == "record" else Records.name(type_[1]) + "[]"

    def value(self, type_, nulls=0.15):
        if self.rng.random() < nulls:
            return Node([f"null::{self.name(type_)}"])
        if isinstance(type_, str) and type_ in LEAVES:
            return self.rng.choice(LEAVES[type_])
        if isinstance(type_, list) and type_[0] == "record":
            return Node(["row(", joined([self.value(t) for t in type_[1:]]), ")"], ["null::record"])
        if isinstance(type_, list) and type_[0] == "array" or type_.endswith("[]"):
            element = type_[1] if isinstance(type_, list) else type_[:-2]
            return Node(["array[", joined([self.value(element) for _ in range(self.rng.choice([1, 2]))]), f"]::{self.name(type_)}"])
        return Node(["row(", ", ".join(map(str, (self.value(t) for t in TYPES[type_]))), f")::{type_}"], [f"null::{type_}"])

    # ---- what returns a row or rows: (text, shape or type name, whether a definition list belongs to it)
    def rows(self, type_, different):
        return [self.value(type_ if self.rng.random() > different else self.shape(), 0.2) for _ in range(self.rng.choice([1, 2, 3]))]

    def document(self, names, types, depth=2):
        made = {}
        for name, type_ in zip(names, types):
            r = self.rng.random()
            if r < 0.15:
                continue
            if r < 0.3 or depth == 0:
                made[name] = self.rng.choice([None, 7, "x", "", True, 1.5, [1, 2], {"a": 1}, [[1], [2]]])
            elif isinstance(type_, str) and type_ in TYPES:
                made[name] = self.document(NAMES[type_], TYPES[type_], depth - 1)
            elif not isinstance(type_, str) or type_.endswith("[]"):
                made[name] = [self.document(["a", "b"], ["int4", "text"], depth - 1), None][: self.rng.choice([0, 1, 2])]
            else:
                made[name] = {"bool": True, "date": "2024-02-29", "text": "t", "varchar": "v"}.get(type_, self.rng.choice([1, "2", -3]))
        return made

    def json_call(self, type_):
        """One of the eight functions, over a document that has some of the columns."""
        rng, kind = self.rng, self.rng.choice(["json", "jsonb"])
        named = isinstance(type_, str)
        names, types = (NAMES[type_], TYPES[type_]) if named else (["a", "b", "c", "f1"][: len(type_) - 1], type_[1:])
        several, fills = rng.random() < 0.5, named or rng.random() < 0.5
        documents = [self.document(names, types) for _ in range(rng.choice([0, 1, 2]) if several else 1)]
        text = json.dumps(documents if several else documents[0])
        text = rng.choice(["null", "[]", "{}", "1", "[1]"]) if rng.random() < 0.1 else text
        literal = "null" if rng.random() < 0.05 else "'" + text.replace("'", "''") + "'"
        name = f"{kind}_{'populate' if fills else 'to'}_record{'set' if several else ''}"
        base = [self.value(type_, 0.5), ", "] if fills else []
        return Node([name, "(", *base, literal, "::", kind, ")"])

    def source(self):
        rng = self.rng
        type_ = rng.choice(list(TYPES)) if rng.random() < 0.35 else self.shape()
        different = 0.15 if isinstance(type_, list) else 0
        form = rng.randrange(7)
        if form < 2:
            return Node(["unnest(array[", joined(self.rows(type_, different)), "])"]), type_
        if form == 2:
            name = rng.choice(["coalesce", "greatest", "least"])
            return Node([name, "(", joined(self.rows(type_, different)), ")"]), type_
        if form == 3:
            return Node(["nullif(", self.value(type_), ", ", self.value(type_), ")"]), type_
        return self.json_call(type_), type_

    def definitions(self, type_):
        """A column definition list that mostly fits."""
        types = list(TYPES[type_] if isinstance(type_, str) else type_[1:])
        rng = self.rng
        r = rng.random()
        if r < 0.08:
            types = types[1:] or ["text"]
        elif r < 0.16:
            types.append(self.type(0))
        elif r < 0.34:
            types[rng.randrange(len(types))] = self.type(1)
        elif r < 0.37:
            types[0] = rng.choice(["anyelement", "unknown", "record", "record[]", "cstring"])
        names = ["a", "b", "c", "f1"][: len(types)]
        if rng.random() < 0.03 and len(names) > 1:
            names[1] = names[0]
        return joined([f"{n} {self.name(t)}" for n, t in zip(names, types)]), names

    # ---- statements
    def statement(self):
        form = self.rng.random()
        return self.from_function() if form < 0.6 else self.over_values() if form < 0.9 else self.over_table()

    def from_function(self):
        rng = self.rng
        source, type_ = self.source()
        wants = isinstance(type_, list) if rng.random() > 0.05 else rng.random() < 0.5
        definitions, names = self.definitions(type_) if wants else ("", NAMES[type_] if isinstance(type_, str) else ["a", "b"])
        if wants and rng.random() < 0.15:
            item = Node(["rows from (", source, " as (", definitions, "), generate_series(1, 2))", optional(" with ordinality"), " as q"])
        elif wants:
            item = Node([source, " as q(", definitions, ")"])
        else:
            item = Node([source, " as q", optional(" with ordinality")])
        column = rng.choice(names)
        wanted = rng.choice(["*", "q", "q.*", "row_to_json(q)", "to_jsonb(q)", "q is null", "q is not null", "q::text", f"q.{column}", f"q.{column} is null",
                             f"pg_typeof(q.{column})", f"({column}).a", f"array_agg(q.{column})", f"q.{column} = q.{column}", "count(q)", "q = q"])
        return Node(["select ", Node([wanted], ["*"]), " from ", item])

    def over_values(self):
        rng = self.rng
        type_ = self.shape()
        lines = [Node(["(", self.value(type_ if rng.random() > 0.2 else self.shape()), ")"]) for _ in range(rng.choice([1, 2, 3]))]
        if rng.random() < 0.5:
            item = Node(["(values ", joined(lines), ") v(r)"])
        else:
            item = Node(["(", joined([Node(["select ", one, " as r"]) for one in lines], " union all "), ") v"])
        field = f"(r).f{rng.randint(1, 3)}"
        form = rng.choice([("r", ""), (field, ""), ("r", " order by r"), ("distinct r", ""), ("r, count(*)", " group by r"), ("row_to_json(r)", ""), ("r = r", ""),
                           ("count(distinct r)", ""), ("array_agg(r)", ""), ("r is null", ""), (f"{field}, {field} is null", ""), ("to_jsonb(r)", ""),
                           ("r", Node([" where r = ", self.value(type_)])), ("r", Node([" where r < ", self.value(type_)])),
                           ("r", Node([" where r in (", self.value(type_), ", ", self.value(type_), ")"])), ("array[r, r] = array[r, r]", ""),
                           ("unnest(array[r, null])", ""), ("r::text", "")])
        return Node(["select ", form[0], " from ", item, form[1]])

    def over_table(self):
        rng = self.rng
        wanted = rng.choice(["f", "(f).a", "(n).f", "((n).f).b", "((n).l)[1]", "(l[1]).a", "(n).*", "row_to_json(t)", "to_jsonb(n)", "unnest(l)", "(unnest(l)).*", "t is null",
                             "n is not null", "f = row(1, 'x')", "l = array[row(5, 'w')::rflat]", "jsonb_populate_record(n, '{\"n\": 9, \"f\": {\"a\": 2}}')",
                             "(jsonb_populate_record(f, '{\"b\": 3}')).b", "json_populate_record(t, '{\"k\": 9}')", "array_agg(f)"])
        item = rng.choice(["rtable t", "rtable t, unnest(t.l) as u", "rtable t, json_populate_recordset(t.f, '[{\"a\": 4}, {}]') as u",
                           "rtable t, jsonb_populate_record(t.n, '{\"l\": [{\"a\": 1}]}') as u", "rtable t left join unnest(t.l) as u on true"])
        return Node(["select ", wanted, optional(", u" if " u" in item else ""), " from ", item, optional(" order by t.k" if "agg" not in wanted else "")])

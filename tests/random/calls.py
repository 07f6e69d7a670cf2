"""Random calls of the catalog's own functions, operators, casts and aggregates.

The rows are those of pg_proc, pg_operator, pg_cast and pg_aggregate over built types, as the PostgreSQL server has them
(tools/coverage/scope.py says which are left out). Arguments are of the declared types: literals, columns of rows, or calls
that give that type. A statement is one of the forms of `Calls.statement`.
"""
import random
import re

import hints
import values
from coverage import scope
from node import Node, joined, optional

# What changes the session, waits, or answers with this server's own state.
LEFT_OUT = re.compile(r"^(set_config|setseed|pg_advisory|pg_try_advisory|pg_sleep|nextval|setval|currval|lastval|pg_stat|pg_get_keywords"
                      r"|pg_settings|pg_show|has_|pg_has_role|pg_table_size|pg_total_rel|pg_indexes_size|pg_database_size|pg_collation_for"
                      r"|row_to_json|pg_relation|pg_filenode|pg_get_|obj_description|shobj|col_description|pg_(function|type|table|operator|opclass|opfamily"
                      r"|collation|conversion)_is_visible|pg_sequence|acl|makeacl|hashacl|pg_.*acl|pg_event|pg_input|regtype|pg_options|pg_encoding_max|pg_is_other_temp"
                      r"|pg_column_|record_image|pg_basetype|txid|pg_xact|.*_support$|.*sel$|.*typmod.*|.*sortsupport|.*_accum.*|.*_combine|.*_inv$|.*_serialize|.*_deserialize|.*_trans.*|.*final.*"
                      r"|.*(recv|send)$)")
ELEMENTS = ["int4", "text", "numeric", "float8", "date", "bool", "timestamptz", "jsonb", "uuid", "interval", "mood", "bytea", "int8", "inet"]
# Comparable types, whose values are also sorted, grouped and told apart.
ORDERED = ["int2", "int4", "int8", "float4", "float8", "numeric", "money", "text", "varchar", "bpchar", "name", "char", "bytea", "date", "time", "timetz",
           "timestamp", "timestamptz", "interval", "uuid", "jsonb", "inet", "macaddr", "macaddr8", "bit", "varbit", "oid", "tid", "pg_lsn", "bool", "mood",
           "_int4", "_text", "_numeric", "_float8", "_date", "pair"]
# Where an argument of the first type is wanted, one of the second goes too.
IMPLICIT = {"int4": "int2", "int8": "int4", "numeric": "int4", "float8": "int4", "text": "varchar", "timestamptz": "date", "timestamp": "date"}
UNSAFE_TO_NEST = re.compile(r"^(query_to|table_to|cursor_to)")


class Binding:
    """The types that one call's polymorphic parameters stand for."""

    def __init__(self, rng, row):
        self.element = "pair" if "populate_record" in row.name else rng.choice(ELEMENTS)
        self.compatible = rng.choice(ELEMENTS)
        self.rng = rng

    def concrete(self, name):
        known = {
            "anyelement": self.element, "anynonarray": self.element, "anyarray": "_" + self.element, "anycompatible": self.compatible,
            "anycompatiblenonarray": self.compatible, "anycompatiblearray": "_" + self.compatible, "anyenum": "mood",
        }
        return self.rng.choice(ELEMENTS + ["_int4", "_text"]) if name == "any" else known.get(name, name)


class Calls:
    """Makes statements from the rows of a catalog; `own_value` of a made statement says that only types compare."""

    def __init__(self, rows):
        self.rows = [row for row in rows if row.kind in ("function", "operator", "cast", "aggregate", "window") and not LEFT_OUT.match(row.name)]
        self.plain = [row for row in self.rows if row.kind in ("function", "operator", "cast") and not row.set]
        self.sets = [row for row in self.rows if row.kind == "function" and row.set]
        self.over_rows = [row for row in self.rows if row.kind in ("aggregate", "window")]
        self.by_result = {}
        for row in self.plain:
            if not row.own_value and not UNSAFE_TO_NEST.match(row.name):
                self.by_result.setdefault(row.result, []).append(row)

    # ---- expressions; scope: {type name: [columns]}
    def value(self, rng, type_name, depth, scope_=None, hint=None):
        columns = (scope_ or {}).get(type_name)
        if columns and rng.random() < 0.7:
            return rng.choice(columns)
        if hint is not None and rng.random() < 0.9:
            return values.quoted(hint) + "::" + values.type_text(type_name)
        leaf = values.literal(rng, type_name)
        if depth > 0 and rng.random() < 0.45 and self.by_result.get(type_name):
            made = self.call(rng, rng.choice(self.by_result[type_name]), depth - 1, scope_)
            if made is not None:
                return Node(["(", made, ")"], [leaf] if leaf else [])
        if leaf is not None and type_name in IMPLICIT and rng.random() < 0.05:
            return values.literal(rng, IMPLICIT[type_name])
        if leaf is not None and rng.random() < 0.03 and not type_name.startswith("_") and type_name not in ("record", "pair"):
            return values.quoted(values.value_text(rng, type_name))  # of unknown type
        return leaf

    def arguments(self, rng, row, depth, scope_):
        binding = Binding(rng, row)
        types = [binding.concrete(t) for t in row.arguments]
        found = hints.for_call(row.name, row.arguments, rng)
        made = [self.value(rng, t, depth, scope_, found.get(i)) for i, t in enumerate(types)]
        if any(m is None for m in made):
            return None
        if row.variadic == "any":
            made += [self.value(rng, binding.concrete("any"), depth, scope_) for _ in range(rng.randint(0, 3))]
        elif row.variadic and made:
            made[-1] = Node(["VARIADIC ", made[-1]])
        return made

    def call(self, rng, row, depth, scope_=None):
        made = self.arguments(rng, row, depth, scope_)
        if made is None:
            return None
        if row.kind == "operator":
            sign = f" OPERATOR(pg_catalog.{row.name}) " if rng.random() < 0.3 else f" {row.name} "
            return Node([sign, made[0]] if len(made) == 1 else [made[0], sign, made[1]])
        if row.kind == "cast":
            return Node(["(", made[0], ")::", values.type_text(row.result)])
        parts = [f'pg_catalog."{row.name}"(']
        for i, one in enumerate(made):
            parts += [", " if i else "", one]
        return Node([*parts, ")"])

    # ---- statements
    def statement(self, rng):
        """A statement, or None when the drawn row cannot be called; with it, whether its value is the server's own."""
        form = rng.random()
        if form < 0.40:
            row = rng.choice(self.plain)
            made = self.call(rng, row, rng.choice([0, 0, 1, 2]))
            return made and (Node(["SELECT ", made]), row.own_value)
        if form < 0.46:
            return self.set_call(rng)
        if form < 0.66:
            row = rng.choice([r for r in self.plain if not r.own_value])
            return self.over_table(rng, row)
        if form < 0.82:
            return self.aggregate(rng)
        if form < 0.88:
            return self.input_text(rng)
        return self.comparing(rng)

    def set_call(self, rng):
        row = rng.choice(self.sets)
        made = self.call(rng, row, rng.choice([0, 1]))
        if made is None:
            return None
        if row.result == "record" and row.name.endswith(("to_record", "to_recordset")):
            return Node(["SELECT * FROM ", made, " AS x(a int4, b text, c jsonb)"]), row.own_value
        form = rng.randrange(3)
        if form == 0:
            return Node(["SELECT ", made, " LIMIT 40"]), row.own_value
        if form == 1:
            return Node(["SELECT * FROM ", made, " WITH ORDINALITY LIMIT 40"]), row.own_value
        return Node(["SELECT count(*) FROM ", made]), row.own_value

    def table(self, rng, types, most=7):
        """(VALUES ...) v(n, c0, ...) with values of those types, and its scope; None if a type has none."""
        lines = []
        for i in range(rng.randint(1, most)):
            line = [values.literal(rng, t, 0.15) for t in types]
            if any(one is None for one in line):
                return None
            lines.append(f"({i}{''.join(', ' + one for one in line)})")
        columns = [f"c{i}" for i in range(len(types))]
        scope_ = {}
        for name, type_name in zip(columns, types):
            scope_.setdefault(type_name, []).append(f"v.{name}")
        text = Node(["(VALUES ", joined(lines), ") v(n", *(f", {c}" for c in columns), ")"])
        return text, scope_

    def over_table(self, rng, row):
        """Calls over rows: the arguments are vectors, with nulls, and may be filtered and sorted."""
        binding = Binding(rng, row)
        types = [binding.concrete(t) for t in row.arguments]
        if any(t in ("record", "_record") for t in types):
            return None
        made = self.table(rng, types)
        if made is None:
            return None
        source, scope_ = made
        call = self.call(rng, row, 1, scope_)
        if call is None:
            return None
        if row.result == "bool" and rng.random() < 0.5:
            return Node(["SELECT n FROM ", source, " WHERE ", call, " ORDER BY n"]), False
        wrapped = rng.choice(["{}", "{}", "CASE WHEN n % 2 = 0 THEN {} END", "(SELECT {})", "count({})", "({}) IS NULL", "coalesce(({})::text, 'none')"])
        before, after = wrapped.split("{}")
        order = "" if "count" in wrapped else " ORDER BY n"
        return Node(["SELECT ", before, call, after, " FROM ", source, order]), False

    def aggregate(self, rng):
        row = rng.choice(self.over_rows)
        binding = Binding(rng, row)
        hypothetical = row.aggregate_kind == "h"
        types = ["int4", "int4"] if hypothetical else [binding.concrete("any")] if row.variadic == "any" else [binding.concrete(t) for t in row.arguments]
        made = self.table(rng, types)
        if made is None:
            return None
        source, _ = made
        columns = [f"c{i}" for i in range(len(types))]
        name, where = f'pg_catalog."{row.name}"', ""
        if rng.random() < 0.3:
            where = optional(" FILTER (WHERE n % 3 <> 1)") if row.kind == "aggregate" else ""
        if row.aggregate_kind != "n":
            direct = 1 if hypothetical else row.direct
            first = [values.literal(rng, t) for t in types[:direct]]
            down = rng.choice(["", " DESC", " NULLS FIRST"])
            return Node(["SELECT ", name, f"({', '.join(first)}) WITHIN GROUP (ORDER BY {', '.join(c + down for c in columns[direct:])})", where,
                         " FROM ", source]), False
        inside = ", ".join(columns) if columns else "*" if row.kind == "aggregate" else ""
        frame = rng.choice(["", " ROWS 1 PRECEDING", " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                            " RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW", " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES"])
        partition = rng.choice(["", "PARTITION BY n % 2 "])
        over = Node([" OVER (", partition, "ORDER BY n", rng.choice(["", " DESC"]), Node([frame], [""]), ")"])
        if row.kind == "window":
            return Node(["SELECT n, ", name, f"({inside})", over, " FROM ", source, " ORDER BY n"]), False
        form = rng.randrange(5)
        if form == 0 and row.name != "json_object_agg":
            return Node(["SELECT n, ", name, f"({inside})", where, over, " FROM ", source, " ORDER BY n"]), False
        if not columns:
            return Node(["SELECT ", name, "(*)", where, " FROM ", source]), False
        if form == 1:
            return Node(["SELECT n % 2, ", name, f"({inside} ORDER BY n)", where, " FROM ", source, " GROUP BY ", rng.choice(["1", "ROLLUP (1)", "GROUPING SETS ((1), ())"]),
                         " ORDER BY 1"]), False
        if form == 2 and len(columns) == 1 and types[0] in ORDERED:
            return Node(["SELECT ", name, f"(DISTINCT {inside})", where, " FROM ", source]), False
        order = rng.choice([" ORDER BY n", " ORDER BY n DESC"])
        return Node(["SELECT ", name, f"({inside}{order})", where, " FROM ", source]), False

    def input_text(self, rng):
        """A type's input: a value's text with a letter changed, through a cast of an unknown or of text."""
        row = rng.choice(self.rows)
        named = [t for t in [*row.arguments, row.result] if values.value_text(random.Random(0), t) is not None and t not in ("any", "unknown")]
        if not named:
            return None
        type_name = rng.choice(named)
        words = values.value_text(rng, type_name)
        if rng.random() < 0.7:
            words = values.mutated(rng, words)
        literal = values.quoted(words)
        cast = "::text" if rng.random() < 0.4 else ""
        return Node([f"SELECT ({literal}{cast})::{values.type_text(type_name)}"]), False

    def comparing(self, rng):
        """Sorting, grouping and telling values of one type apart."""
        type_name = rng.choice(ORDERED)
        made = self.table(rng, [type_name], 10)
        if made is None:
            return None
        source, _ = made
        one, two = values.literal(rng, type_name), values.literal(rng, type_name)
        return Node([*rng.choice([
            ["SELECT n, c0 FROM ", source, " ORDER BY c0", rng.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]), ", n"],
            ["SELECT c0, count(*), min(n) FROM ", source, " GROUP BY c0 ORDER BY 3"],
            ["SELECT count(DISTINCT c0) FROM ", source],
            ["SELECT DISTINCT c0 FROM ", source],
            ["SELECT DISTINCT ON (c0) c0, n FROM ", source, " ORDER BY c0, n"],
            ["SELECT n FROM ", source, f" WHERE c0 IN ({one}, {two}) ORDER BY n"],
            ["SELECT n FROM ", source, f" WHERE c0 NOT IN ({one}, {two}, NULL) ORDER BY n"],
            ["SELECT n FROM ", source, f" WHERE c0 BETWEEN SYMMETRIC {one} AND {two} ORDER BY n"],
            ["SELECT n, c0 = ", one, ", c0 < ", two, ", c0 IS DISTINCT FROM ", two, " FROM ", source, " ORDER BY n"],
            ["SELECT n FROM ", source, f" WHERE c0 = ANY (ARRAY[{one}, {two}]) ORDER BY n"],
            ["SELECT n FROM ", source, f" WHERE c0 > ALL (ARRAY[{one}, {two}]) ORDER BY n"],
            ["SELECT a.n, b.n FROM (SELECT * FROM ", source, ") a JOIN (SELECT * FROM ", source, ") b ON a.c0 = b.c0 ORDER BY 1, 2"],
            ["SELECT c0 FROM ", source, rng.choice([" UNION ", " INTERSECT ", " EXCEPT "]), "SELECT c0 FROM ", source, " WHERE n > 2"],
            ["SELECT n, greatest(c0, ", one, "), least(c0, ", two, ", ", one, ") FROM ", source, " ORDER BY n"],
            ["SELECT n, nullif(c0, ", one, "), coalesce(c0, ", two, ") FROM ", source, " ORDER BY n"],
            ["SELECT n, CASE c0 WHEN ", one, " THEN 1 WHEN ", two, " THEN 2 END FROM ", source, " ORDER BY n"],
            ["SELECT n, rank() OVER (ORDER BY c0), lag(c0) OVER (ORDER BY n), dense_rank() OVER (ORDER BY c0 DESC) FROM ", source, " ORDER BY n"],
            ["SELECT n, ROW(c0, n) < ROW(", one, ", 3), ARRAY[c0] = ARRAY[", two, "] FROM ", source, " ORDER BY n"],
            ["SELECT array_agg(c0 ORDER BY c0, n) FROM ", source],
        ])]), False


def load(server):
    """The rows of that server's catalog."""
    return Calls(scope.rows(lambda sql: server.ask(sql).rows))

"""The tables that random queries and changes look at: few rows, many nulls and duplicates, several types and indexes."""
TABLES = {
    "ta": [("id", "int"), ("x", "int"), ("y", "int"), ("s", "text")],
    "tb": [("id", "int"), ("x", "int"), ("z", "num"), ("s", "text")],
    "tc": [("x", "int"), ("y", "int"), ("z", "num")],
    "td": [("k", "int"), ("s", "text"), ("f", "bool")],
    "te": [("id", "int"), ("d", "date"), ("t", "stamp"), ("a", "ints"), ("j", "json")],
}
SCHEMA = [
    "CREATE TABLE ta (id int PRIMARY KEY, x int, y int, s text)",
    "CREATE TABLE tb (id int PRIMARY KEY, x int, z numeric, s text)",
    "CREATE TABLE tc (x int, y int, z numeric)",
    "CREATE TABLE td (k int, s text, f boolean)",
    "CREATE TABLE te (id int PRIMARY KEY, d date, t timestamp, a int[], j jsonb)",
    "CREATE INDEX ta_x ON ta (x)",
    "CREATE INDEX tb_xs ON tb (x, s)",
    "CREATE INDEX tc_y ON tc (y DESC)",
    "CREATE INDEX te_d ON te (d, t)",
    "CREATE VIEW va AS SELECT x, count(*)::int AS n, max(s) AS s FROM ta GROUP BY x",
]
VIEWS = {"va": [("x", "int"), ("n", "int"), ("s", "text")]}
SQL_NAMES = {"int": "int", "num": "numeric", "text": "text", "bool": "boolean", "date": "date", "stamp": "timestamp", "ints": "int[]", "json": "jsonb"}
KINDS = list(SQL_NAMES)


def constant(rng, kind):
    """A value, of few, so that joins find partners."""
    return {
        "int": lambda: str(rng.randrange(7)),
        "num": lambda: f"{rng.randrange(8) / 2}",
        "text": lambda: f"'{rng.choice(['a', 'b', 'ab', 'abc', ''])}'",
        "bool": lambda: rng.choice(["true", "false", "null::boolean"]),
        "date": lambda: f"date '{rng.choice(['2024-02-2', '2023-12-3', '0001-01-1'])}{rng.randrange(2)}'",
        "stamp": lambda: f"timestamp '2024-02-0{rng.randint(1, 4)} {rng.choice(['00:00', '12:30', '23:59:59.5'])}'",
        "ints": lambda: rng.choice(["'{}'::int[]", "'{1,2}'::int[]", "'{1,NULL,3}'::int[]", "'{{1,2},{3,4}}'::int[]", "ARRAY[2]"]),
        "json": lambda: rng.choice(["""'{"a": 1, "b": [1, 2]}'::jsonb""", "'[1, null, \"x\"]'::jsonb", "'2'::jsonb", """'{"a": null}'::jsonb""", "'\"s\"'::jsonb"]),
    }[kind]()


def rows(rng):
    """INSERT statements."""
    out = []
    for name, count in (("ta", 23), ("tb", 31), ("tc", 17), ("td", 9), ("te", 19)):
        lines = []
        for i in range(count):
            cells = [str(i) if column == "id" else "NULL" if rng.random() < 0.25 else constant(rng, kind) for column, kind in TABLES[name]]
            lines.append("(" + ", ".join(cells) + ")")
        out.append(f"INSERT INTO {name} VALUES {', '.join(lines)}")
    return [*out, "ANALYZE"]

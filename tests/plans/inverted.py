"""Random conditions that inverted indexes (gin, gist, spgist) serve, over a table that changes: arrays, jsonb, documents, texts, several columns."""

SCHEMA = """
DROP TABLE IF EXISTS g;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS hstore;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE TABLE g (id int PRIMARY KEY, tags int[], words text[], doc jsonb, body tsvector, name text, pairs hstore, tenant int);
INSERT INTO g SELECT i,
  CASE WHEN i % 50 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}' WHEN i % 23 = 0 THEN ARRAY[NULL, i % 40] ELSE ARRAY[i % 40, i % 7, i % 300] END,
  ARRAY['w' || i % 30, 'w' || i % 11],
  jsonb_build_object('kind', 'k' || i % 9, 'n', i % 25, 'tags', jsonb_build_array('t' || i % 13, i % 5, i % 2 = 0, NULL), 'deep',
                     jsonb_build_object('a', jsonb_build_object('b', i % 60))),
  ('x' || i % 40 || ':1A y' || i % 21 || ':2 common:3,7')::tsvector,
  'name ' || chr(97 + i % 26) || chr(97 + i % 7) || 'mid' || i % 90 || ' Tail_' || i % 12,
  hstore(ARRAY['k' || i % 8, 'size', 'none'], ARRAY['v' || i % 15, (i % 40)::text, NULL]), i % 10
  FROM generate_series(1, 4000) i;
CREATE INDEX g_tags ON g USING gin (tags);
CREATE INDEX g_words ON g USING gin (words, tenant);
CREATE INDEX g_doc ON g USING gin (doc);
CREATE INDEX g_path ON g USING gin (doc jsonb_path_ops);
CREATE INDEX g_body ON g USING gin (body);
CREATE INDEX g_name ON g USING gin (name gin_trgm_ops);
CREATE INDEX g_pairs ON g USING gin (pairs);
CREATE INDEX g_part ON g USING gin (lower(name) gin_trgm_ops) WHERE tenant = 3;
ANALYZE g;
"""

# Between two rounds of conditions.
CHANGES = (
    "UPDATE g SET tags = tags || 41 WHERE id % 10 = 3",
    "UPDATE g SET tags = NULL, name = upper(name), doc = doc || '{\"n\": 3}' WHERE id % 31 = 4",
    "DELETE FROM g WHERE id % 9 = 2",
    "INSERT INTO g SELECT id + 10000, tags[2:], words, doc - 'kind', body || 'new:1', name || ' w', pairs || 'new=>1', tenant FROM g WHERE id % 8 = 5",
    "UPDATE g SET body = ''::tsvector, pairs = '' WHERE id % 40 = 7",
)


class Inverted:
    def __init__(self, random):
        self.random = random

    def number(self, most):
        return self.random.randrange(most)

    def numbers(self, most, count=3):
        return ", ".join(str(self.number(most)) for _ in range(self.random.randint(0, count)))

    def tags(self):
        op = self.random.choice(("&&", "@>", "<@", "="))
        null = ", NULL" if self.random.random() < 0.1 else ""
        numbers = self.numbers(45) or "1"
        value = self.random.choice((f"ARRAY[{numbers}{null}]", f"'{{{self.numbers(45)}}}'::int[]"))
        return self.random.choice((f"tags {op} {value}", f"{value} && tags", f"{value} <@ tags"))

    def words(self):
        value = f"ARRAY['w{self.number(32)}', 'w{self.number(12)}']"
        return self.random.choice((f"words @> {value}", f"words && {value} AND tenant = {self.number(11)}", f"tenant > {self.number(11)} AND words @> {value}",
                                   f"tenant BETWEEN 3 AND {self.number(11)} AND words && {value}", f"words = {value}"))

    def doc(self):
        value = self.random.choice((f'{{"kind": "k{self.number(10)}"}}', f'{{"n": {self.number(27)}.0}}', f'{{"tags": ["t{self.number(14)}"]}}',
                                    f'{{"deep": {{"a": {{"b": {self.number(62)}}}}}, "n": {self.number(25)}}}', "{}", '{"tags": [null, true]}', '"t1"',
                                    '{"deep": {"a": {}}}', f'{{"tags": [{self.number(6)}, "t{self.number(14)}"]}}'))
        return self.random.choice((f"doc @> '{value}'", f"'{value}' <@ doc", f"doc ? '{self.random.choice(('kind', 'n', 'x', 't1'))}'",
                                   f"doc ?| '{{x, kind}}' AND doc @> '{value}'", "doc ?& '{n, kind}'", "doc ?& '{}'", "doc ?| '{}'"))

    def body(self):
        def word():
            return self.random.choice((f"x{self.number(42)}", f"y{self.number(22)}", "common", "new", "x1:*", "y2:*B", f"x{self.number(42)}:A"))
        query = word()
        for _ in range(self.random.randint(0, 3)):
            query = f"({query} {self.random.choice(('&', '|', '<->', '& !'))} {word()})"
        return f"body @@ '{query}'::tsquery"

    def name(self):
        part = self.random.choice((f"mid{self.number(92)}", f"id{self.number(92)} ", f"Tail\\_{self.number(13)}", "ab", f"%a_mid{self.number(92)}", "TAIL",
                                   f" {chr(97 + self.number(26))}a", "", f"e {chr(97 + self.number(26))}"))
        op = self.random.choice(("LIKE", "ILIKE"))
        pattern = self.random.choice((f"%{part}%", f"{part}%", f"%{part}", f"name {part}%"))
        return self.random.choice((f"name {op} '{pattern}'", f"name {op} '{pattern}'", f"name % 'name aamid{self.number(92)} tail_3'",
                                   f"name %> 'mid{self.number(92)}'", f"'mid{self.number(92)} tail' <% name", f"name LIKE '{pattern}' AND tenant = 3",
                                   f"lower(name) LIKE '{pattern}' AND tenant = 3"))

    def pairs(self):
        return self.random.choice((f"pairs @> 'k{self.number(9)}=>v{self.number(16)}'", f"pairs ? 'k{self.number(9)}'", "pairs ?| '{k1, k3, new}'",
                                   f"pairs ?& '{{k{self.number(9)}, size}}'", f"pairs @> 'size=>{self.number(42)}, none=>NULL'", "pairs @> ''"))

    KINDS = (tags, words, doc, body, name, pairs)

    def condition(self):
        parts = [self.random.choice(self.KINDS)(self) for _ in range(self.random.choice((1, 1, 2)))]
        return f" {self.random.choice(('AND', 'AND', 'OR'))} ".join(f"({part})" for part in parts)


CELLS_SCHEMA = """
DROP TABLE IF EXISTS g;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS ltree;
CREATE TABLE g (id int PRIMARY KEY, r int4range, n numrange, w tstzrange, m int4multirange, p point, b box, c circle, y polygon, a inet, name text,
                path ltree, room int);
INSERT INTO g SELECT i,
  CASE WHEN i % 50 = 0 THEN NULL WHEN i % 47 = 0 THEN 'empty' WHEN i % 43 = 0 THEN int4range(NULL, k) WHEN i % 41 = 0 THEN int4range(k, NULL)
       ELSE int4range(k, k + i % 9 * (i % 11)) END,
  numrange((k - 500) / 7.0, (k - 500) / 7.0 + i % 20 / 3.0, '(]'),
  tstzrange('2020-01-01'::timestamptz + k * interval '1 hour', '2020-01-01'::timestamptz + (k + i % 30) * interval '1 hour'),
  CASE WHEN i % 40 = 0 THEN '{}' ELSE int4multirange(int4range(k, k + 5), int4range(k + 10, k + 20 + i % 30)) END,
  CASE WHEN i % 60 = 0 THEN NULL ELSE point(x, z) END, box(point(x, z), point(x + i % 13, z + i % 5 / 3.0)), circle(point(x, z), i % 17 / 2.0),
  polygon(box(point(x, z), point(x + i % 7, z + i % 11))), ('10.' || i % 4 || '.' || k % 250 || '.' || i % 256 || '/' || 8 + i % 25)::inet,
  md5(i::text), ('a' || i % 3 || '.b' || i % 7 || '.c' || i % 11)::ltree, i % 20
  FROM (SELECT i, i * 7919 % 1000 AS k, (i * 7919 % 2000 - 1000) / 10.0 AS x, (i * 104729 % 2000 - 1000) / 10.0 AS z FROM generate_series(1, 4000) i) q;
CREATE INDEX g_r ON g USING gist (r);
CREATE INDEX g_n ON g USING spgist (n);
CREATE INDEX g_w ON g USING gist (room, w);
CREATE INDEX g_m ON g USING gist (m);
CREATE INDEX g_p ON g USING gist (p);
CREATE INDEX g_q ON g USING spgist (p) WHERE room = 3;
CREATE INDEX g_b ON g USING spgist (b);
CREATE INDEX g_c ON g USING gist (c);
CREATE INDEX g_y ON g USING gist (y);
CREATE INDEX g_a ON g USING gist (a inet_ops);
CREATE INDEX g_name ON g USING gist (name gist_trgm_ops);
CREATE INDEX g_path ON g USING gist (path);
ANALYZE g;
"""

CELLS_CHANGES = (
    "UPDATE g SET r = r * int4range(0, 500), p = point(p[1], p[0]) WHERE id % 10 = 3",
    "UPDATE g SET r = NULL, b = b + point(3, -2), room = room + 1 WHERE id % 31 = 4",
    "DELETE FROM g WHERE id % 9 = 2",
    "INSERT INTO g SELECT id + 10000, int4range(id % 700, id), n, w, m, point(0, 0), b, c, y, a, upper(name), path || 'd', room FROM g WHERE id % 8 = 5",
    "UPDATE g SET w = 'empty', c = circle(point(1e10, -1e10), 5), a = '::1' WHERE id % 40 = 7",
)


class Cells:
    """Conditions of ranges, shapes, networks and paths."""
    OF_RANGES = ("<<", "&<", "&&", "&>", ">>", "-|-", "@>", "<@", "=")
    OF_SHAPES = ("<<", "&<", "&&", "&>", ">>", "~=", "@>", "<@", "&<|", "<<|", "|>>", "|&>")

    def __init__(self, random):
        self.random = random

    def range(self, low, high, extents):
        a = self.random.uniform(low, high) if isinstance(low, float) else self.random.randint(low, high)
        b = a + self.random.choice(extents)
        special = self.random.choice(("empty", f"(,{b})", f"[{a},)", "(,)")) if self.random.random() < 0.2 else ""
        return special or f"{self.random.choice('[(')}{a},{b}{self.random.choice('])')}"

    def whole(self):
        op = self.random.choice(self.OF_RANGES)
        value = f"'{self.range(0, 1000, (0, 1, 5, 50, 500))}'::int4range"
        multi = f"'{{[1,5),[{self.random.randint(6, 900)},950)}}'::int4multirange"
        number = self.random.randint(-5, 1005)
        return self.random.choice((f"r {op} {value}", f"{value} {op} r", f"r @> {number}", f"{number} <@ r", f"m {op} {multi}", f"m && {value}",
                                   f"m <@ {value}", f"r && {multi}", f"r <@ {multi}", f"n {op} '{self.range(-80.0, 80.0, (0, .1, 5, 50))}'::numrange"))

    def rooms(self):
        room, hour, hours = self.random.randint(0, 21), self.random.randint(0, 1000), self.random.choice((0, 1, 5, 100))
        time = f"tstzrange('2020-01-01'::timestamptz + {hour} * interval '1 hour', '2020-01-01'::timestamptz + {hour + hours} * interval '1 hour')"
        op = self.random.choice(self.OF_RANGES)
        return self.random.choice((f"room = {room} AND w {op} {time}", f"w {op} {time}", f"room > {room} AND w && {time}", f"room = {room} AND w @> lower({time})"))

    def place(self):
        return "({}, {})".format(*(self.random.choice((self.random.randint(-100, 100), round(self.random.uniform(-110, 110), 3), 0)) for _ in "xy"))

    def box(self):
        x, y = self.random.uniform(-110, 100), self.random.uniform(-110, 100)
        w, h = (self.random.choice((0, 1, 10, 100)) for _ in "wh")
        return f"box '({x:.3f},{y:.3f}),({x + w:.3f},{y + h:.3f})'"

    def circle(self):
        return f"circle '<{self.place()},{self.random.choice((0, 1, 10, 50.5))}>'"

    def shapes(self):
        op, room = self.random.choice(self.OF_SHAPES), self.random.choice(("", " AND room = 3"))
        of_point = self.random.choice(("<<", ">>", "<<|", "|>>", "~="))
        return self.random.choice((f"p {of_point} point '{self.place()}'{room}", f"p <@ {self.box()}{room}", f"p <@ {self.circle()}",
                                   f"p <@ polygon({self.box()})", f"{self.box()} @> p", f"b {op} {self.box()}", f"c {op} {self.circle()}",
                                   f"y {op} polygon({self.box()})"))

    def others(self):
        net = f"inet '10.{self.random.randint(0, 4)}.{self.random.randint(0, 255)}.0/{self.random.randint(8, 32)}'"
        a, b, c = (self.random.randint(0, n) for n in (3, 7, 11))
        return self.random.choice((f"a {self.random.choice(('&&', '<<', '<<=', '>>', '>>=', '='))} {net}", f"path <@ 'a{a}.b{b}'", f"path @> 'a{a}.b{b}.c{c}.d'",
                                   f"path ~ 'a{a}.b{b}.*'", f"path ~ '*.c{c}'", f"path = 'a{a}.b{b}.c{c}'", f"path > 'a{a}.b{b}'", f"name LIKE '%{a}{b}c%'",
                                   "name % 'abcdef'"))

    def condition(self):
        return self.random.choice((self.whole, self.rooms, self.shapes, self.others))()


MODELS = ((SCHEMA, CHANGES, Inverted, "inverted"), (CELLS_SCHEMA, CELLS_CHANGES, Cells, "cells"))

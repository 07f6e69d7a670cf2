"""Random conditions that inverted indexes (gin) serve, over a table that changes: arrays, jsonb, documents, texts, several columns."""

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

CREATE TABLE t (a int, b int, c int, d int NOT NULL, e text, f int, g int, PRIMARY KEY (a, b, c));
-- Values without a pattern, the same on every server.
INSERT INTO t SELECT i / 500, i / 25 % 20, i % 25, (i * 7919) % 500, 'e' || (i * 104729) % 200,
  CASE WHEN i % 17 <> 0 THEN (i * 31) % 50 END, (i * 13) % 25 FROM generate_series(0, 4999) i;
CREATE INDEX t_d ON t (d);
CREATE INDEX t_e ON t (e);
CREATE INDEX t_sum ON t ((d + f));
CREATE INDEX t_part ON t (g) WHERE f > 40;
CREATE TABLE keys (x int, y int);
INSERT INTO keys SELECT i % 10, i % 20 FROM generate_series(1, 30) i;
ANALYZE;

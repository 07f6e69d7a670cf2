CREATE VIEW v1 AS SELECT DISTINCT o.id, (SELECT count(*) FROM customers c2 WHERE c2.id = o.customer) n,
  EXISTS (SELECT 1 FROM customers) ex, o.id IN (SELECT id FROM customers) i
  FROM orders o LEFT JOIN customers c ON c.id = o.customer AND c.id > 1, app.t AS q(x, y),
    (SELECT id, total AS tt FROM orders WHERE id > 2 GROUP BY id HAVING id > 1) sub, generate_series(1, 3) g(n2)
  WHERE o.id = 3 AND (c.name = 'x' OR c.name IS NULL) ORDER BY o.id DESC, 2 LIMIT 3 OFFSET 1;
SELECT pg_get_viewdef('v1', true);
SELECT pg_get_viewdef('v1');
CREATE VIEW v2 AS SELECT id FROM orders UNION ALL (SELECT id FROM customers UNION SELECT 3) ORDER BY 1;
SELECT pg_get_viewdef('v2', true);
CREATE VIEW v3 AS WITH w AS (SELECT id, sum(total) FILTER (WHERE total > 0) OVER (PARTITION BY customer ORDER BY id DESC) s FROM orders)
  SELECT w.*, row_number() OVER (ORDER BY s), string_agg(DISTINCT 'a', ',')
  FROM w JOIN (orders o JOIN customers c ON c.id = o.customer) ON true GROUP BY w.id, w.s;
SELECT pg_get_viewdef('v3', true);
CREATE VIEW v4 AS VALUES (1, 'a'), (2, 'b');
SELECT pg_get_viewdef('v4', true);
CREATE VIEW v5 AS SELECT * FROM (VALUES (1, 2)) v(id, b) LEFT JOIN LATERAL (SELECT id + b) l ON true;
SELECT pg_get_viewdef('v5', true);
CREATE VIEW v6 AS SELECT 1, 'x' AS b, NULL::int AS c WHERE true;
SELECT pg_get_viewdef('v6', true);
CREATE VIEW v7 AS SELECT o.id FROM orders AS o, customers cc FULL JOIN customers d ON cc.id = d.id;
SELECT pg_get_viewdef('v7');
CREATE VIEW v8(p, q) AS SELECT id, count(*) FROM orders GROUP BY 1 ORDER BY count(*), id + 1 NULLS FIRST;
SELECT pg_get_viewdef('v8'), pg_get_viewdef('v8', true);
SELECT definition FROM pg_views WHERE viewname = 'v6';

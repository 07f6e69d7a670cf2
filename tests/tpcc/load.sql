-- The initial population in the proportions of clause 4.3.3; :customers for each district, :items.
INSERT INTO item SELECT i, i % 10000, 'item ' || i, round((random() * 99 + 1)::numeric, 2), 'data'
  FROM generate_series(1, :items) i;
INSERT INTO warehouse SELECT w, 'W' || w, 'street', 'city', 'ST', '123411111', round((random() * 0.2)::numeric, 4), 300000
  FROM generate_series(1, :warehouses) w;
INSERT INTO stock
  SELECT w, i, 10 + (random() * 90)::int, array_fill(rpad('d' || i, 24, 'x')::char(24), ARRAY[10]), 0, 0, 0, 'data'
  FROM generate_series(1, :warehouses) w, generate_series(1, :items) i;
INSERT INTO district SELECT w, d, 'D' || d, 'street', 'city', 'ST', '123411111', round((random() * 0.2)::numeric, 4), 30000,
    :customers + 1
  FROM generate_series(1, :warehouses) w, generate_series(1, 10) d;
INSERT INTO customer
  SELECT d_w_id, d_id, c, 'first ' || c % 7, 'OE', name, 'street', 'city', 'ST', '123411111', '0123456789012345', now(),
    CASE WHEN random() < 0.1 THEN 'BC' ELSE 'GC' END, 50000, round((random() * 0.5)::numeric, 4), -10, 10, 1, 0, 'data'
  FROM district, generate_series(1, :customers) c,
    LATERAL (SELECT string_agg((ARRAY['BAR','OUGHT','ABLE','PRI','PRES','ESE','ANTI','CALLY','ATION','EING'])
                               [substr(lpad(((c - 1) % 1000)::text, 3, '0'), p, 1)::int + 1], '' ORDER BY p) AS name
             FROM generate_series(1, 3) p) n;
INSERT INTO history SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, now(), 10, 'data' FROM customer;
INSERT INTO orders
  SELECT c_w_id, c_d_id, row_number() OVER (PARTITION BY c_w_id, c_d_id ORDER BY random()), c_id, now(), NULL,
    5 + (random() * 10)::int, 1
  FROM customer;
UPDATE orders SET o_carrier_id = 1 + (random() * 9)::int WHERE o_id <= :customers * 0.7;
INSERT INTO order_line
  SELECT o_w_id, o_d_id, o_id, n, 1 + floor(random() * :items)::int, o_w_id,
    CASE WHEN o_carrier_id IS NOT NULL THEN o_entry_d END, 5,
    CASE WHEN o_carrier_id IS NULL THEN round((random() * 9999 + 0.01)::numeric, 2) ELSE 0 END, rpad('d', 24, 'x')
  FROM orders, generate_series(1, o_ol_cnt) n;
INSERT INTO new_order SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_carrier_id IS NULL;
ANALYZE;

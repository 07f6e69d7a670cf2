\dv
\d big_orders
\d+ big_orders
\d+ order_names
\sv big_orders
SELECT pg_get_viewdef('big_orders'::regclass);
SELECT pg_get_viewdef('order_names'::regclass, true);

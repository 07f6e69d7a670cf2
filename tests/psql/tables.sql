\d
\dt
\dt app.*
\d customers
\d orders
\d+ orders
\d app.t
\d app.customers
\d nosuch
SET search_path = app, public;
\d
\d customers
\d public.customers

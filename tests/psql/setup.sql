CREATE TABLE customers (
  id serial PRIMARY KEY,
  name text NOT NULL,
  email varchar(80) UNIQUE,
  balance numeric(12,2) DEFAULT 0 CHECK (balance >= 0),
  created timestamptz DEFAULT now()
);
CREATE TABLE orders (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer int NOT NULL REFERENCES customers(id) ON DELETE CASCADE,
  total numeric,
  doubled numeric GENERATED ALWAYS AS (total * 2) STORED,
  note text DEFAULT 'none'
);
CREATE INDEX orders_customer ON orders (customer, total DESC);
CREATE INDEX orders_note ON orders (note DESC NULLS LAST);
CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 100;
CREATE VIEW order_names AS
  SELECT o.id, c.name, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer GROUP BY o.id, c.name;
CREATE SEQUENCE invoice_numbers INCREMENT 5 MINVALUE 10;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
COMMENT ON TABLE customers IS 'people who buy';
COMMENT ON COLUMN customers.name IS 'the full name';
COMMENT ON INDEX orders_note IS 'by note';
CREATE SCHEMA app;
CREATE TABLE app.t (a int, b mood);
CREATE TABLE app.customers (a int);

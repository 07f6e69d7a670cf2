-- What tests/unit/sql/analyze_harness.cpp describes by hand, for PostgreSQL.
DROP VIEW IF EXISTS tv CASCADE;
DROP TABLE IF EXISTS ta, tb, tg CASCADE;
DROP TYPE IF EXISTS mood CASCADE;
DROP DOMAIN IF EXISTS posint CASCADE;
DROP SEQUENCE IF EXISTS sq CASCADE;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN posint AS integer CONSTRAINT posint_check CHECK (VALUE > 0);
CREATE SEQUENCE sq;
CREATE TABLE ta (id integer PRIMARY KEY, a integer, b text, c varchar(10), n numeric(10,2), f double precision,
                 ts timestamptz DEFAULT now(), d date, arr integer[], j jsonb, bl boolean, m mood, p posint);
CREATE TABLE tb (id bigint PRIMARY KEY, ta_id integer, name text NOT NULL, val smallint, ch char(5), u uuid, iv interval,
                 by bytea, tarr text[]);
CREATE TABLE tg (id integer GENERATED ALWAYS AS IDENTITY, x integer, y integer GENERATED ALWAYS AS (x * 2) STORED,
                 z text DEFAULT 'q', CHECK (x > 0));
CREATE VIEW tv AS SELECT id, upper(b) AS ub, a + 1 AS a1 FROM ta WHERE a > 0;

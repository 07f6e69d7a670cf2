CREATE ROLE psql_alice LOGIN;
CREATE ROLE psql_team NOLOGIN CREATEDB;
GRANT psql_team TO psql_alice;
COMMENT ON ROLE psql_team IS 'a team';
GRANT SELECT, INSERT ON customers TO psql_alice;
GRANT UPDATE (name) ON customers TO psql_team WITH GRANT OPTION;
GRANT USAGE ON SCHEMA app TO PUBLIC;
\du psql_*
\du+ psql_*
\dg psql_team
\dp
\dp app.*
\z customers
\dn
\dn+
SELECT has_table_privilege('psql_alice', 'customers', 'select'), has_table_privilege('psql_alice', 'customers', 'delete'),
  has_table_privilege('psql_alice', 'orders', 'select, delete'), has_table_privilege('psql_alice', 'customers', 'select with grant option');
SELECT has_column_privilege('psql_alice', 'customers', 'name', 'update'), has_column_privilege('psql_team', 'customers', 'id', 'update'),
  has_column_privilege('psql_team', 'customers', 'name', 'update with grant option'), has_any_column_privilege('psql_team', 'customers', 'update');
SELECT has_schema_privilege('psql_alice', 'app', 'usage'), has_schema_privilege('psql_alice', 'app', 'create');
SELECT has_function_privilege('psql_alice', 'now()', 'execute'), has_type_privilege('psql_alice', 'int', 'usage'),
  has_language_privilege('psql_alice', 'sql', 'usage'), has_tablespace_privilege('psql_alice', 'pg_default', 'create'),
  has_sequence_privilege('psql_alice', 'invoice_numbers', 'usage');
SELECT pg_has_role('psql_alice', 'psql_team', 'member'), pg_has_role('psql_team', 'psql_alice', 'usage'), pg_has_role('psql_team', 'member');
SELECT has_table_privilege('nosuch', 'customers', 'select');
SELECT has_table_privilege('nosuch', 'select');
SELECT has_table_privilege('customers', 'selec');
SELECT has_schema_privilege('nosuch', 'usage');
SELECT has_database_privilege('nosuch', 'connect');
SELECT has_column_privilege('customers', 'nosuch', 'select');
SELECT has_sequence_privilege('customers', 'usage');
SELECT has_table_privilege(1::oid, 'select') IS NULL, has_table_privilege('public', 'customers', 'select');
REVOKE ALL ON customers FROM psql_alice, psql_team;
DROP ROLE psql_alice, psql_team;

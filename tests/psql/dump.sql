-- pg_dump: what it says of every kind of object, and that its text makes the same database again.
-- after objects.psql

\setenv PGHOST :HOST
\setenv PGPORT :PORT
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME
\! pg_dump | grep -Ev '^-- Dumped|^.(un)?restrict '
\! pg_dump --data-only --inserts --column-inserts | grep -E '^INSERT|setval'
CREATE DATABASE psql_dump_copy;
\! pg_dump | psql -X -q -d psql_dump_copy 2>&1 | grep -E 'ERROR|WARNING'
\! pg_dump | grep -Ev '^-- Dumped|^.(un)?restrict ' > "/tmp/psql_dump_$$.1"; pg_dump psql_dump_copy | grep -Ev '^-- Dumped|^.(un)?restrict ' | diff "/tmp/psql_dump_$$.1" - && echo "the copy dumps the same"; rm -f "/tmp/psql_dump_$$.1"
DROP DATABASE psql_dump_copy;

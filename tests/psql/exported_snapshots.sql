-- One transaction's snapshot in others: SET TRANSACTION SNAPSHOT, and pg_dump with several jobs.
-- after objects.psql

\setenv PGHOST :HOST
\setenv PGPORT :PORT
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME
CREATE TABLE seen (a int);
INSERT INTO seen VALUES (1);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM seen;
SELECT pg_export_snapshot() AS snapshot \gset
\setenv SNAPSHOT :snapshot
\! psql -X -q -c "INSERT INTO seen VALUES (2)" -c "SELECT count(*) FROM seen"
\! psql -X -q -c "BEGIN ISOLATION LEVEL REPEATABLE READ" -c "SET TRANSACTION SNAPSHOT '$SNAPSHOT'" -c "SELECT count(*) FROM seen" -c "INSERT INTO seen VALUES (3)" -c "SELECT count(*) FROM seen" -c COMMIT
\! psql -X -q -d postgres -c "BEGIN ISOLATION LEVEL REPEATABLE READ" -c "SET TRANSACTION SNAPSHOT '$SNAPSHOT'"
SELECT count(*) FROM seen;
COMMIT;
SELECT count(*) FROM seen;
\! psql -X -q -c "BEGIN ISOLATION LEVEL REPEATABLE READ" -c "SET TRANSACTION SNAPSHOT '$SNAPSHOT'" 2>&1 | sed 's/".*"/"?"/'
CREATE DATABASE psql_parallel_copy;
\! rm -rf /tmp/psql_parallel; pg_dump -Fd -j 4 -f /tmp/psql_parallel && pg_restore -j 4 -d psql_parallel_copy /tmp/psql_parallel 2>&1 | grep -E 'ERROR|WARNING'; rm -rf /tmp/psql_parallel
\! pg_dump | grep -Ev '^-- Dumped|^.(un)?restrict ' > "/tmp/psql_parallel_$$.1"; pg_dump psql_parallel_copy | grep -Ev '^-- Dumped|^.(un)?restrict ' | diff "/tmp/psql_parallel_$$.1" - && echo "the copy dumps the same"; rm -f "/tmp/psql_parallel_$$.1"
DROP DATABASE psql_parallel_copy;

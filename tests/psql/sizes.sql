-- Columns with sizes. They differ from PostgreSQL's, so they are shown as N: but that there is one, and where.
create table t (a int primary key, b text);
insert into t select i, repeat('x', 100) from generate_series(1, 3000) i;
create index t_b on t (b);
create sequence s;
create view v as select 1 as a;
\o | sed -E 's/ +[1-9][0-9]* (bytes|kB|MB) / N /; s/  +/ /g; s/--+/-/g'
\dt+ t
\di+ t*
\ds+ s
\dv+ v
\d+ t
\l+ psql_sizes
\db+
\o
select pg_size_pretty(pg_total_relation_size('t')) similar to '\d+ kB';

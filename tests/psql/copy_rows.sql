-- COPY FROM into tables whose checks and generated columns name whole rows and tableoid; what WHERE may name.
create table g(a int, b int generated always as (a * 2) stored, t oid generated always as (tableoid) stored, check (tableoid <> 3), check (g is not null));
copy g(a) from stdin;
1
\.
copy g(a) from '/dev/null' where b = 2;
copy g(a) from '/dev/null' where g is not null;
create table h(a int, b int, c int);
alter table h drop column b;
copy h from stdin where h is not null and tableoid = 'h'::regclass;
2	3
4	\N
\.
select * from h;
copy g(a) from stdin where a = 4;
3
4
\.
select a, b, t = tableoid from g order by a;
create table gp(a int, t oid generated always as (tableoid) stored, check (tableoid <> 3)) partition by list (a);
create table gp1 partition of gp for values in (1);
copy gp(a) from stdin;
1
\.
select a, t = tableoid, tableoid::regclass from gp;

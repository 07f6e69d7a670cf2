-- What takes no rows of COPY says so when the rows have been asked for: what follows them in a script is read as before.
create table t(a int, b int);
create view v as select * from t;
create materialized view m as select * from t;
create sequence s;
create index i on t(a);
create type c as (a int);
create foreign data wrapper w;
create server srv foreign data wrapper w;
create foreign table f(a int) server srv;
create table p(a int) partition by range(a);
create index pi on p(a);
create table g(a int, b int generated always as (a) stored);
copy v from stdin;
1	2
\.
copy m from stdin;
1	2
\.
copy s from stdin;
1	2
\.
copy p from stdin;
1
\.
begin;
copy v(a) from stdin;
1
\.
select 1;
rollback;
copy v from stdin (format csv, header);
1,2
\.
copy t from stdin (freeze);
1	2
\.
copy v from stdin (nonsense);
copy i from stdin;
copy pi from stdin;
copy c from stdin;
copy i to stdout;
copy c to stdout;
copy pi to stdout;
copy g(b) from stdin;
copy nowhere from stdin;
copy v to stdout;
copy s to stdout;
copy m to stdout;
copy f to stdout;
create function nothing() returns trigger language plpgsql as 'begin return new; end';
create trigger instead_of instead of insert on v for each row execute function nothing();
copy v from stdin;
1	2
\.
select * from t;

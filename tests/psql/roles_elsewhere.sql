-- What keeps a role may be in other databases.
\set home :DBNAME
create role elsewhere1;
create role elsewhere2;
create role elsewhere3;
create role elsewhere4;
create role elsewhere5;
create database elsewhere_a;
create database elsewhere_b;
\c elsewhere_a
create table t(a int, b int);
grant select on t to elsewhere1;
grant update (b) on t to elsewhere3;
grant select (b) on t to elsewhere1;
create table o(a int);
alter table o owner to elsewhere2;
create schema s authorization elsewhere1;
alter default privileges for role elsewhere4 grant select on tables to elsewhere1;
create policy p on t to elsewhere5;
create type ty as enum ();
alter type ty owner to elsewhere1;
grant usage on type ty to elsewhere3;
\c :home
drop role elsewhere1;
drop role elsewhere2;
drop role elsewhere3;
drop role elsewhere4;
drop role elsewhere5;
\c elsewhere_b
create function f() returns int language sql as 'select 1';
grant execute on function f() to elsewhere2;
create foreign data wrapper w;
create server sv foreign data wrapper w;
create user mapping for elsewhere3 server sv;
select lo_create(5);
grant select on large object 5 to elsewhere5;
drop role elsewhere2;
drop role elsewhere3;
drop role elsewhere5;
drop owned by elsewhere1, elsewhere2, elsewhere3, elsewhere4, elsewhere5;
\c elsewhere_a
drop owned by elsewhere1, elsewhere2, elsewhere4, elsewhere5;
drop role elsewhere1, elsewhere2, elsewhere4, elsewhere5;
\c :home
drop database elsewhere_a;
drop database elsewhere_b;
drop role elsewhere3;

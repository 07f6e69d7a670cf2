-- Rules as psql shows and pg_dump asks for them.
create schema logs;
create table kept (id int primary key, note text, at date);
create table logs.changes (what text, id int, n int default 1);
create view shown as select id, note from kept where at is null;
create rule added as on insert to kept do also insert into logs.changes values ('added', new.id);
create rule removed as on delete to kept where old.at is null do instead update kept set at = '2020-01-01' where kept.id = old.id;
create rule nothing as on update to kept where new.id <> old.id do instead nothing;
create rule several as on update to kept do also (
  insert into logs.changes select 'changed', old.id, c.n from logs.changes c where c.id = new.id;
  delete from logs.changes using kept k where k.id = changes.id and k.id = old.id and changes.n > 100;
  update only logs.changes as c set n = c.n + 1, what = default from (select max(x.id) as top from kept x) m where c.id = m.top and exists (select 1 from kept where kept.id = c.id);
  select new.*, old.note);
create rule shown_in as on insert to shown do instead insert into kept as k (id, note) values (new.id, coalesce(new.note, 'x')) returning k.id, k.note;
create rule shown_up as on update to shown do instead update kept set (id, note) = (new.id, upper(new.note)) where kept.id = old.id returning kept.id, kept.note;
create rule shown_del as on delete to shown do instead with x as (select 5 as five) delete from kept using x where kept.id = old.id and kept.id <> x.five;
create rule shown_default as on insert to shown do also insert into logs.changes default values;
create rule many as on insert to shown do also insert into logs.changes values ('a', new.id), ('b', new.id + 1);
comment on rule added on kept is 'remembers';
alter table kept disable rule added;
alter table kept enable always rule nothing;
alter table kept enable replica rule removed;
\d kept
\d+ shown
\dd added
select * from pg_rules where schemaname = 'public' order by tablename, rulename;
select tablename, rulename, pg_get_ruledef(r.oid, true) from pg_rules join pg_rewrite r using (rulename) join pg_class c on c.oid = ev_class and relname = tablename where schemaname = 'public' and rulename <> 'several' order by 1, 2;
set search_path = logs;
select pg_get_ruledef(oid, true) from pg_rewrite where rulename in ('added', 'shown_up') order by rulename;
reset search_path;
insert into shown values (1, 'one'), (2, null) returning *;
update shown set note = note || '!' returning *;
update shown set note = note || '!';
delete from shown where id = 1;
insert into kept values (9);
alter table kept enable rule added;
insert into kept values (10);
select * from kept order by id;
select * from logs.changes order by id, what, n;
update kept set note = 'n' where id = 10;
delete from kept;
select * from kept order by id;
prepare in_view(int) as insert into shown(id) values ($1) returning id;
execute in_view(20);
execute in_view(21);
drop view shown;
drop table kept;
drop schema logs cascade;

-- Policies as psql shows and pg_dump asks for them.
create role psql_policies;
create table guarded (id int primary key, owner name, level int);
create table lookup (x int);
create function is_high(int) returns bool language sql immutable as 'select $1 > 0';
create policy a on guarded using (owner = current_user);
create policy b on guarded as restrictive for select to psql_policies using (level in (select x from lookup where lookup.x < guarded.id));
create policy c on guarded for insert to psql_policies with check (is_high(level));
create policy d on guarded for update using (is_high(level)) with check (guarded.level > 1 and guarded is not null);
comment on policy a on guarded is 'own rows';
\d guarded
alter table guarded enable row level security;
\d guarded
alter table guarded force row level security;
\d guarded
select pol.polname, pol.polcmd, pol.polpermissive,
  case when pol.polroles = '{0}' then null else pg_catalog.array_to_string(array(select pg_catalog.quote_ident(rolname) from pg_catalog.pg_roles where oid = any(pol.polroles) order by 1), ', ') end as polroles,
  pg_catalog.pg_get_expr(pol.polqual, pol.polrelid) as polqual, pg_catalog.pg_get_expr(pol.polwithcheck, pol.polrelid) as polwithcheck
  from pg_catalog.pg_policy pol order by 1;
drop policy a on guarded; drop policy b on guarded; drop policy c on guarded;
\dp guarded
drop policy d on guarded;
\d guarded
drop table guarded;
drop role psql_policies;

// refint 1.0 of contrib/spi: triggers that keep references between tables. In C in PostgreSQL, programs here. The rows' columns
// are reached through the row's own type, so that values are compared as what they are.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function check_primary_key() returns trigger language plpgsql as $program$
declare
  keys int := tg_nargs / 2;
  condition text := '';
  row_type text := tg_relid::pg_catalog.regclass::text;
  found_one int;
  name text;
begin
  if tg_level <> 'ROW' then
    raise exception using errcode = 'XX000', message = 'check_primary_key: must be fired for row';
  end if;
  if tg_op = 'DELETE' then
    raise exception using errcode = 'XX000', message = 'check_primary_key: cannot process DELETE events';
  end if;
  if tg_nargs % 2 <> 1 then
    raise exception using errcode = 'XX000',
      message = 'check_primary_key: odd number of arguments should be specified';
  end if;
  for i in 0 .. keys - 1 loop
    name := tg_argv[i];
    if not exists (select from pg_catalog.pg_attribute a
                   where a.attrelid = tg_relid and a.attname = name and a.attnum > 0 and not a.attisdropped) then
      raise exception using errcode = '42703',
        message = pg_catalog.format('there is no attribute "%s" in relation "%s"', name, tg_table_name);
    end if;
    if pg_catalog.row_to_json(new) ->> name is null then return new; end if;
    condition := condition || case when i > 0 then ' and ' else '' end ||
      pg_catalog.format('%s = ($1::%s).%I', tg_argv[keys + 1 + i], row_type, name);
  end loop;
  execute 'select 1 from ' || tg_argv[keys] || ' where ' || condition || ' limit 1' into found_one using new;
  if found_one is null then
    raise exception using errcode = '09000', message = 'tuple references non-existent key',
      detail = pg_catalog.format('Trigger "%s" found tuple referencing non-existent key in "%s".', tg_name,
                                 tg_argv[keys]);
  end if;
  return new;
end
$program$;

create function check_foreign_key() returns trigger language plpgsql as $program$
declare
  row_type text := tg_relid::pg_catalog.regclass::text;
  refs int;
  keys int;
  action text;
  unchanged bool := true;
  before pg_catalog.json;
  after pg_catalog.json;
  at int;
  referencing text;
  condition text;
  changes text;
  count bigint;
begin
  if tg_level <> 'ROW' then
    raise exception using errcode = 'XX000', message = 'check_foreign_key: must be fired for row';
  end if;
  if tg_op = 'INSERT' then
    raise exception using errcode = 'XX000', message = 'check_foreign_key: cannot process INSERT events';
  end if;
  if tg_nargs < 5 then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('check_foreign_key: too short %s (< 5) list of arguments', tg_nargs);
  end if;
  refs := tg_argv[0]::int;
  if refs < 1 then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('check_foreign_key: %s (< 1) number of references specified', refs);
  end if;
  action := pg_catalog.lower(pg_catalog.left(tg_argv[1], 1));
  if action not in ('r', 'c', 's') then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('check_foreign_key: invalid action %s', tg_argv[1]);
  end if;
  keys := (tg_nargs - 2 - refs) / (refs + 1);
  if keys <= 0 or tg_nargs - 2 <> refs + keys * (refs + 1) then
    raise exception using errcode = 'XX000', message = pg_catalog.format(
      'check_foreign_key: invalid number of arguments %s for %s references', tg_nargs, refs);
  end if;
  before := pg_catalog.row_to_json(old);
  if tg_op = 'UPDATE' then after := pg_catalog.row_to_json(new); end if;
  for i in 2 .. keys + 1 loop
    if not exists (select from pg_catalog.pg_attribute a
                   where a.attrelid = tg_relid and a.attname = tg_argv[i] and a.attnum > 0 and not a.attisdropped) then
      raise exception using errcode = '42703',
        message = pg_catalog.format('there is no attribute "%s" in relation "%s"', tg_argv[i], tg_table_name);
    end if;
    if before ->> tg_argv[i] is null then
      if tg_op = 'UPDATE' then return new; end if;
      return old;
    end if;
    unchanged := unchanged and before ->> tg_argv[i] is not distinct from after ->> tg_argv[i];
  end loop;
  if tg_op = 'UPDATE' and unchanged then return new; end if;
  at := keys + 2;
  for r in 1 .. refs loop
    referencing := tg_argv[at];
    condition := '';
    changes := '';
    for i in 1 .. keys loop
      condition := condition || case when i > 1 then ' and ' else '' end ||
        pg_catalog.format('%s = ($1::%s).%I', tg_argv[at + i], row_type, tg_argv[i + 1]);
      changes := changes || case when i > 1 then ', ' else '' end || tg_argv[at + i] || ' = ' ||
        case action when 's' then 'null' else pg_catalog.format('($2::%s).%I', row_type, tg_argv[i + 1]) end;
    end loop;
    if action = 'r' then
      execute 'select 1 from ' || referencing || ' where ' || condition || ' limit 1' into count using old;
      if count is not null then
        raise exception using errcode = '09000',
          message = pg_catalog.format('"%s": tuple is referenced in "%s"', tg_name, referencing);
      end if;
    elsif action = 's' then
      execute 'update ' || referencing || ' set ' || changes || ' where ' || condition using old;
    elsif tg_op = 'UPDATE' then
      execute 'update ' || referencing || ' set ' || changes || ' where ' || condition using old, new;
    else
      execute 'delete from ' || referencing || ' where ' || condition using old;
    end if;
    if action <> 'r' then
      get diagnostics count = row_count;
      raise notice '%: % tuple(s) of % are %', tg_name, count, referencing,
        case action when 'c' then 'deleted' else 'set to null' end;
    end if;
    at := at + keys + 1;
  end loop;
  if tg_op = 'UPDATE' then return new; end if;
  return old;
end
$program$;
)sql";

}  // namespace

const Extension& refint_extension() {
  static constexpr Extension kExtension{.name = "refint",
                                        .version = "1.0",
                                        .comment = "functions for implementing referential integrity (obsolete)",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = {}};
  return kExtension;
}

}  // namespace indigo::types

// The trigger functions of contrib/spi: autoinc, insert_username and moddatetime 1.0. PostgreSQL has them in C; here they are
// programs in PL/pgSQL, which a column that is named by an argument reaches by way of json.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kAutoinc = R"sql(
create function autoinc() returns trigger language plpgsql as $program$
declare
  i int := 0;
  kind oid;
  value int;
begin
  if tg_level <> 'ROW' then raise exception using errcode = 'XX000', message = 'must be fired for row'; end if;
  if tg_when <> 'BEFORE' then raise exception using errcode = 'XX000', message = 'must be fired before event'; end if;
  if tg_op = 'DELETE' then raise exception using errcode = 'XX000', message = 'cannot process DELETE events'; end if;
  if tg_nargs <= 0 or tg_nargs % 2 <> 0 then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('autoinc (%s): even number gt 0 of arguments was expected', tg_table_name);
  end if;
  while i < tg_nargs loop
    select a.atttypid into kind from pg_catalog.pg_attribute a
      where a.attrelid = tg_relid and a.attname = tg_argv[i] and a.attnum > 0 and not a.attisdropped;
    if kind is null then
      raise exception using errcode = '09000',
        message = pg_catalog.format('"%s" has no attribute "%s"', tg_table_name, tg_argv[i]);
    end if;
    if kind <> 'pg_catalog.int4'::pg_catalog.regtype then
      raise exception using errcode = '09000',
        message = pg_catalog.format('attribute "%s" of "%s" must be type INT4', tg_argv[i], tg_table_name);
    end if;
    value := pg_catalog.row_to_json(new) ->> tg_argv[i];
    if value is null or value = 0 then
      value := pg_catalog.nextval(tg_argv[i + 1]::pg_catalog.regclass);
      if value = 0 then value := pg_catalog.nextval(tg_argv[i + 1]::pg_catalog.regclass); end if;
      new := pg_catalog.json_populate_record(new, pg_catalog.json_build_object(tg_argv[i], value));
    end if;
    i := i + 2;
  end loop;
  return new;
end
$program$;
)sql";

constexpr std::string_view kInsertUsername = R"sql(
create function insert_username() returns trigger language plpgsql as $program$
declare
  kind oid;
begin
  if tg_level <> 'ROW' then
    raise exception using errcode = 'XX000', message = 'insert_username: must be fired for row';
  end if;
  if tg_when <> 'BEFORE' then
    raise exception using errcode = 'XX000', message = 'insert_username: must be fired before event';
  end if;
  if tg_op = 'DELETE' then
    raise exception using errcode = 'XX000', message = 'insert_username: cannot process DELETE events';
  end if;
  if tg_nargs <> 1 then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('insert_username (%s): one argument was expected', tg_table_name);
  end if;
  select a.atttypid into kind from pg_catalog.pg_attribute a
    where a.attrelid = tg_relid and a.attname = tg_argv[0] and a.attnum > 0 and not a.attisdropped;
  if kind is null then
    raise exception using errcode = '09000',
      message = pg_catalog.format('"%s" has no attribute "%s"', tg_table_name, tg_argv[0]);
  end if;
  if kind <> 'pg_catalog.text'::pg_catalog.regtype then
    raise exception using errcode = '09000',
      message = pg_catalog.format('attribute "%s" of "%s" must be type TEXT', tg_argv[0], tg_table_name);
  end if;
  return pg_catalog.json_populate_record(new, pg_catalog.json_build_object(tg_argv[0], current_user));
end
$program$;
)sql";

constexpr std::string_view kModdatetime = R"sql(
create function moddatetime() returns trigger language plpgsql as $program$
declare
  kind oid;
begin
  if tg_level <> 'ROW' then
    raise exception using errcode = 'XX000', message = 'moddatetime: must be fired for row';
  end if;
  if tg_when <> 'BEFORE' then
    raise exception using errcode = 'XX000', message = 'moddatetime: must be fired before event';
  end if;
  if tg_op = 'INSERT' then
    raise exception using errcode = 'XX000', message = 'moddatetime: cannot process INSERT events';
  end if;
  if tg_op = 'DELETE' then
    raise exception using errcode = 'XX000', message = 'moddatetime: cannot process DELETE events';
  end if;
  if tg_nargs <> 1 then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('moddatetime (%s): A single argument was expected', tg_table_name);
  end if;
  select a.atttypid into kind from pg_catalog.pg_attribute a
    where a.attrelid = tg_relid and a.attname = tg_argv[0] and a.attnum > 0 and not a.attisdropped;
  if kind is null then
    raise exception using errcode = '09000',
      message = pg_catalog.format('"%s" has no attribute "%s"', tg_table_name, tg_argv[0]);
  end if;
  if kind not in ('pg_catalog.timestamp'::pg_catalog.regtype, 'pg_catalog.timestamptz'::pg_catalog.regtype) then
    raise exception using errcode = '09000', message = pg_catalog.format(
      'attribute "%s" of "%s" must be type TIMESTAMP or TIMESTAMPTZ', tg_argv[0], tg_table_name);
  end if;
  return pg_catalog.json_populate_record(new, pg_catalog.json_build_object(tg_argv[0], pg_catalog.now()));
end
$program$;
)sql";

constexpr Extension extension_of(std::string_view name, std::string_view comment, std::string_view definitions) {
  return {.name = name,
          .version = "1.0",
          .comment = comment,
          .trusted = false,
          .schema = {},
          .required = {},
          .definitions = definitions,
          .functions = {}};
}

}  // namespace

const Extension& autoinc_extension() {
  static constexpr Extension kExtension = extension_of("autoinc", "functions for autoincrementing fields", kAutoinc);
  return kExtension;
}

const Extension& insert_username_extension() {
  static constexpr Extension kExtension =
      extension_of("insert_username", "functions for tracking who changed a table", kInsertUsername);
  return kExtension;
}

const Extension& moddatetime_extension() {
  static constexpr Extension kExtension =
      extension_of("moddatetime", "functions for tracking last modification time", kModdatetime);
  return kExtension;
}

}  // namespace indigo::types

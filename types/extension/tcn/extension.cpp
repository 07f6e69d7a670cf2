// tcn 1.0: a trigger that notifies a channel of changed rows. It is in C in PostgreSQL, a program here.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function triggered_change_notification() returns pg_catalog.trigger language plpgsql as $program$
declare
  subject pg_catalog.json;
  payload text;
  columns text;
begin
  if tg_when <> 'AFTER' then
    raise exception using errcode = '39P01', message = 'triggered_change_notification: must be called after the change';
  end if;
  if tg_level <> 'ROW' then
    raise exception using errcode = '39P01', message = 'triggered_change_notification: must be called on each row';
  end if;
  if tg_nargs > 1 then
    raise exception using errcode = '39P01',
      message = 'triggered_change_notification: must not be called with more than one parameter';
  end if;
  subject := case when tg_op = 'INSERT' then pg_catalog.row_to_json(new) else pg_catalog.row_to_json(old) end;
  select pg_catalog.string_agg(
           ',"' || pg_catalog.replace(a.attname::text, '"', '""') || '"=''' ||
           pg_catalog.replace(subject ->> a.attname::text, '''', '''''') || '''', '' order by k.position)
    into columns
    from pg_catalog.pg_index i, pg_catalog.unnest(i.indkey) with ordinality k(number, position), pg_catalog.pg_attribute a
    where i.indrelid = tg_relid and i.indisprimary and i.indisvalid and a.attrelid = tg_relid and a.attnum = k.number;
  if columns is null then
    raise exception using errcode = '39P01',
      message = 'triggered_change_notification: must be called on a table with a primary key';
  end if;
  payload := '"' || pg_catalog.replace(tg_table_name::text, '"', '""') || '",' || pg_catalog.left(tg_op, 1) || columns;
  perform pg_catalog.pg_notify(case when tg_nargs = 0 then 'tcn' else tg_argv[0] end, payload);
  return null;
end
$program$;
)sql";

}  // namespace

const Extension& tcn_extension() {
  static constexpr Extension kExtension{.name = "tcn",
                                        .version = "1.0",
                                        .comment = "Triggered change notifications",
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = {}};
  return kExtension;
}

}  // namespace indigo::types

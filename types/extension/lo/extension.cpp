// lo 1.1: large objects that go with the rows that refer to them. The trigger is in C in PostgreSQL, a program here.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create domain lo as pg_catalog.oid;
create function lo_oid(lo) returns pg_catalog.oid as 'SELECT $1::pg_catalog.oid'
  language sql strict immutable parallel safe;
create function lo_manage() returns pg_catalog.trigger language plpgsql as $program$
declare
  before pg_catalog.oid;
  after pg_catalog.oid;
begin
  if tg_level <> 'ROW' then
    raise exception using errcode = 'XX000', message = tg_name || ': must be fired for row';
  end if;
  if tg_nargs = 0 then
    raise exception using errcode = 'XX000', message = tg_name || ': no column name provided in the trigger definition';
  end if;
  if not exists (select from pg_catalog.pg_attribute a
                 where a.attrelid = tg_relid and a.attname = tg_argv[0] and a.attnum > 0 and not a.attisdropped) then
    raise exception using errcode = 'XX000',
      message = pg_catalog.format('%s: column "%s" does not exist', tg_name, tg_argv[0]);
  end if;
  if tg_op = 'INSERT' then return new; end if;
  before := pg_catalog.row_to_json(old) ->> tg_argv[0];
  if tg_op = 'UPDATE' then after := pg_catalog.row_to_json(new) ->> tg_argv[0]; end if;
  if before is not null and before is distinct from after then perform pg_catalog.lo_unlink(before); end if;
  if tg_op = 'UPDATE' then return new; end if;
  return old;
end
$program$;
)sql";

}  // namespace

const Extension& lo_extension() {
  static constexpr Extension kExtension{.name = "lo",
                                        .version = "1.1",
                                        .comment = "Large Object maintenance",
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = {}};
  return kExtension;
}

}  // namespace indigo::types

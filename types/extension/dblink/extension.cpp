// dblink 1.2. What speaks to other servers is in engine/remote/dblink.cpp.
#include "types/extension/extension.h"

#include <algorithm>
#include <vector>

#include "types/extension/libpq_options.h"
#include "types/extension/script.h"
#include "types/function/kernel.h"
#include "types/system/delegate.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr std::string_view kRestricted = "volatile strict parallel restricted";
constexpr std::string_view kDefiner = "volatile strict parallel restricted security definer";
constexpr ScriptFunction kFunctions[] = {
    {"dblink_connect(text)", "text", "dblink_connect", kRestricted},
    {"dblink_connect(text, text)", "text", "dblink_connect", kRestricted},
    {"dblink_connect_u(text)", "text", "dblink_connect", kDefiner},
    {"dblink_connect_u(text, text)", "text", "dblink_connect", kDefiner},
    {"dblink_disconnect()", "text", "dblink_disconnect", kRestricted},
    {"dblink_disconnect(text)", "text", "dblink_disconnect", kRestricted},
    {"dblink_open(text, text)", "text", "dblink_open", kRestricted},
    {"dblink_open(text, text, boolean)", "text", "dblink_open", kRestricted},
    {"dblink_open(text, text, text)", "text", "dblink_open", kRestricted},
    {"dblink_open(text, text, text, boolean)", "text", "dblink_open", kRestricted},
    {"dblink_fetch(text, int)", "setof record", "dblink_fetch", kRestricted},
    {"dblink_fetch(text, int, boolean)", "setof record", "dblink_fetch", kRestricted},
    {"dblink_fetch(text, text, int)", "setof record", "dblink_fetch", kRestricted},
    {"dblink_fetch(text, text, int, boolean)", "setof record", "dblink_fetch", kRestricted},
    {"dblink_close(text)", "text", "dblink_close", kRestricted},
    {"dblink_close(text, boolean)", "text", "dblink_close", kRestricted},
    {"dblink_close(text, text)", "text", "dblink_close", kRestricted},
    {"dblink_close(text, text, boolean)", "text", "dblink_close", kRestricted},
    {"dblink(text, text)", "setof record", "dblink_record", kRestricted},
    {"dblink(text, text, boolean)", "setof record", "dblink_record", kRestricted},
    {"dblink(text)", "setof record", "dblink_record", kRestricted},
    {"dblink(text, boolean)", "setof record", "dblink_record", kRestricted},
    {"dblink_exec(text, text)", "text", "dblink_exec", kRestricted},
    {"dblink_exec(text, text, boolean)", "text", "dblink_exec", kRestricted},
    {"dblink_exec(text)", "text", "dblink_exec", kRestricted},
    {"dblink_exec(text, boolean)", "text", "dblink_exec", kRestricted},
    {"dblink_send_query(text, text)", "int4", "dblink_send_query", kRestricted},
    {"dblink_is_busy(text)", "int4", "dblink_is_busy", kRestricted},
    {"dblink_get_result(text)", "setof record", "dblink_get_result", kRestricted},
    {"dblink_get_result(text, bool)", "setof record", "dblink_get_result", kRestricted},
    {"dblink_get_connections()", "text[]", "dblink_get_connections", "volatile parallel restricted"},
    {"dblink_cancel_query(text)", "text", "dblink_cancel_query", kRestricted},
    {"dblink_error_message(text)", "text", "dblink_error_message", kRestricted},
    {"dblink_get_notify(out notify_name text, out be_pid int4, out extra text)", "setof record", "dblink_get_notify",
     kRestricted},
    {"dblink_get_notify(conname text, out notify_name text, out be_pid int4, out extra text)", "setof record",
     "dblink_get_notify", kRestricted},
    {"dblink_fdw_validator(options text[], catalog oid)", "void", "dblink_fdw_validator", "volatile strict"},
};

// Those that make statements out of local rows are in C in PostgreSQL.
constexpr std::string_view kPrograms = R"sql(
revoke all on function dblink_connect_u(text) from public;
revoke all on function dblink_connect_u(text, text) from public;
create foreign data wrapper dblink_fdw validator dblink_fdw_validator;
create function dblink_current_query() returns text language sql volatile parallel restricted as
  'select pg_catalog.current_query()';
create type dblink_pkey_results as (position int, colname text);
)sql";

// What the functions begin with.
constexpr std::string_view kMayRead = R"sql(
  if not pg_catalog.has_table_privilege(relation, 'SELECT') then
    raise insufficient_privilege using message = (select 'permission denied for ' ||
      case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' when 'S' then 'sequence'
        when 'i' then 'index' else 'table' end || ' ' || relname from pg_catalog.pg_class where oid = relation);
  end if;
)sql";

constexpr std::string_view kKey = R"sql(
create function dblink_get_pkey(text) returns setof dblink_pkey_results language plpgsql volatile strict parallel restricted as $program$
declare
  relation constant pg_catalog.regclass := $1;
begin
MAY_READ
  return query select k.position::pg_catalog.int4, a.attname::pg_catalog.text
    from pg_catalog.pg_index i, pg_catalog.pg_attribute a, pg_catalog.unnest(i.indkey) with ordinality k(number, position)
    where i.indrelid = relation and i.indisprimary and k.position <= i.indnkeyatts
      and a.attrelid = i.indrelid and a.attnum = k.number order by k.position;
end
$program$;
)sql";

// Then: the columns that are there, and which of them are the key.
constexpr std::string_view kPrepare = R"sql(
  select pg_catalog.array_agg(a.attname::pg_catalog.text order by a.attnum) into columns
    from pg_catalog.pg_attribute a where a.attrelid = relation and a.attnum > 0 and not a.attisdropped;
  select pg_catalog.array_agg(k.number::pg_catalog.int4 order by k.position) into keys
    from pg_catalog.unnest($2) with ordinality k(number, position) where k.position <= $3;
  if keys is null then
    raise exception using errcode = '22023', message = 'number of key attributes must be > 0';
  end if;
  for i in 1 .. pg_catalog.cardinality(keys) loop
    if keys[i] < 1 or keys[i] > pg_catalog.cardinality(columns) then
      raise exception using errcode = '22023', message = 'invalid attribute number ' || keys[i];
    end if;
  end loop;
)sql";

// ROLE is source or target, $N its array.
constexpr std::string_view kLength = R"sql(
  if pg_catalog.cardinality($N) <> pg_catalog.cardinality(keys) then
    raise exception using errcode = '2202E', message = 'ROLE key array length must match number of key attributes';
  end if;
)sql";

// "f1 = 'a' AND f2 IS NULL" into `condition`, of the array $N.
constexpr std::string_view kCondition = R"sql(
  select pg_catalog.string_agg(pg_catalog.quote_ident(columns[keys[i]]) ||
           case when ($N)[i] is null then ' IS NULL' else ' = ' || pg_catalog.quote_literal(($N)[i]) end,
           ' AND ' order by i) into condition
    from pg_catalog.generate_series(1, pg_catalog.cardinality(keys)) i;
)sql";

// The texts of the source row's values, the key's replaced by the target's.
constexpr std::string_view kRow = R"sql(
  begin
    execute 'select array[' || (select pg_catalog.string_agg('case when ' || pg_catalog.quote_ident(c) ||
              ' is not null then pg_catalog.format(''%s'', ' || pg_catalog.quote_ident(c) || ') end', ', ' order by n)
              from pg_catalog.unnest(columns) with ordinality u(c, n)) ||
            ']::pg_catalog.text[] from ' || relation::pg_catalog.text || ' where ' || condition into strict texts;
  exception
    when no_data_found then
      raise exception using errcode = '21000', message = 'source row not found';
    when too_many_rows then
      raise exception using errcode = '21000', message = 'source criteria matched more than one record';
  end;
  for i in 1 .. pg_catalog.cardinality(keys) loop
    texts[keys[i]] := ($5)[i];
  end loop;
)sql";

std::string with_array(std::string_view program, std::string_view array, std::string_view role = {}) {
  std::string out(program);
  for (size_t at = 0; (at = out.find("$N", at)) != std::string::npos;) out.replace(at, 2, array);
  if (const size_t at = out.find("ROLE"); at != std::string::npos) out.replace(at, 4, role);
  return out;
}

std::string builder(std::string_view name, bool of_row, std::string_view answer) {
  std::string out =
      "create function " + std::string(name) + "(text, int2vector, int, _text" + (of_row ? ", _text" : "");
  out += R"sql() returns text language plpgsql volatile strict parallel restricted as $program$
declare
  relation constant pg_catalog.regclass := $1;
  columns pg_catalog.text[];
  keys pg_catalog.int4[];
  texts pg_catalog.text[];
  condition pg_catalog.text;
begin
)sql";
  out += kMayRead;
  out += kPrepare;
  out += with_array(kLength, "$4", of_row ? "source" : "target");
  if (of_row) out += with_array(kLength, "$5", "target");
  out += with_array(kCondition, "$4");
  if (of_row) {
    out += kRow;
    out += with_array(kCondition, "$5");
  }
  return out.append(answer).append("end\n$program$;\n");
}

std::string key_function() {
  constexpr std::string_view kMark = "MAY_READ\n";
  std::string out(kKey);
  return out.replace(out.find(kMark), kMark.size(), kMayRead);
}

constexpr std::string_view kInsert = R"sql(
  return 'INSERT INTO ' || relation::pg_catalog.text || '(' ||
    (select pg_catalog.string_agg(pg_catalog.quote_ident(c), ',' order by n)
       from pg_catalog.unnest(columns) with ordinality u(c, n)) || ') VALUES(' ||
    (select pg_catalog.string_agg(pg_catalog.quote_nullable(t), ',' order by n)
       from pg_catalog.unnest(texts) with ordinality u(t, n)) || ')';
)sql";
constexpr std::string_view kUpdate = R"sql(
  return 'UPDATE ' || relation::pg_catalog.text || ' SET ' ||
    (select pg_catalog.string_agg(pg_catalog.quote_ident(c) || ' = ' || pg_catalog.quote_nullable(texts[n]), ', ' order by n)
       from pg_catalog.unnest(columns) with ordinality u(c, n)) || ' WHERE ' || condition;
)sql";
constexpr std::string_view kDelete =
    "  return 'DELETE FROM ' || relation::pg_catalog.text || ' WHERE ' || condition;\n";

std::vector<std::string_view> server_options() {
  std::vector<std::string_view> out;
  for (const std::string_view name : kLibpqServerOptions) {
    out.push_back(name);
    if (name == "application_name") out.emplace_back("fallback_application_name");
  }
  return out;
}
constexpr std::string_view kOfMapping[] = {"user", "password", "sslpassword"};

std::optional<std::string> check_options(FuncContext& context, Str options, int32_t class_id) {
  constexpr int32_t kForeignServer = 1417, kUserMapping = 1418;  // the system tables
  std::vector<std::string_view> known;
  if (class_id == kForeignServer) known = server_options();
  if (class_id == kUserMapping) known.assign(std::begin(kOfMapping), std::end(kOfMapping));
  for (const std::string& option : read_texts(options)) {
    const std::string name = option.substr(0, option.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string valid;
    for (const std::string_view one : known) valid += (valid.empty() ? "" : ", ") + std::string(one);
    context.fail(Error(SqlState("HV00J"), "invalid option \"" + name + "\"")
                     .with_hint(known.empty() ? "There are no valid options in this context."
                                              : "Valid options in this context are: " + valid));
    return std::nullopt;
  }
  return std::string();
}

constexpr ScalarEntry kScalars[] = {
    {"dblink_connect", system_value<"dblink_connect">},
    {"dblink_disconnect", system_value<"dblink_disconnect">},
    {"dblink_exec", system_value<"dblink_exec">},
    {"dblink_open", system_value<"dblink_open">},
    {"dblink_close", system_value<"dblink_close">},
    {"dblink_send_query", system_value<"dblink_send_query">},
    {"dblink_is_busy", system_value<"dblink_is_busy">},
    {"dblink_cancel_query", system_value<"dblink_cancel_query">},
    {"dblink_error_message", system_value<"dblink_error_message">},
    {"dblink_get_connections", system_value<"dblink_get_connections">},
    {"dblink_fdw_validator", kernel<check_options>},
};

constexpr SetEntry kSets[] = {
    {"dblink_record", system_rows<"dblink_record">},
    {"dblink_fetch", system_rows<"dblink_fetch">},
    {"dblink_get_result", system_rows<"dblink_get_result">},
    {"dblink_get_notify", system_rows<"dblink_get_notify">},
};

}  // namespace

const Extension& dblink_extension() {
  static const std::string script = function_script(kFunctions) + std::string(kPrograms) + key_function() +
                                    builder("dblink_build_sql_insert", true, kInsert) +
                                    builder("dblink_build_sql_update", true, kUpdate) +
                                    builder("dblink_build_sql_delete", false, kDelete);
  static const Extension extension{.name = "dblink",
                                   .version = "1.2",
                                   .comment = "connect to other PostgreSQL databases from within a database",
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = kScalars,
                                   .sets = kSets,
                                   .shaped_sets = true};
  return extension;
}

}  // namespace indigo::types

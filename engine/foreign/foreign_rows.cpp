#include "engine/foreign/foreign_rows.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/foreign/file_table.h"
#include "engine/foreign/remote_table.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"
#include "types/function/context.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

// The condition with values in the places of its marks, written as every server reads them.
std::string with_values(SessionParts& session, Str text, std::span<const Datum> values,
                        std::span<const types::TypeRef> types) {
  constexpr char kMark = '\1';
  if (values.empty()) return std::string(text);
  Settings& settings = session.settings();
  const uint32_t mark = settings.mark();
  const Status iso = settings.set("DateStyle", "ISO", Settings::Scope::kLocal, false);
  types::FuncContext context(session.context());
  Arena arena;
  context.set_arena(&arena);
  std::string out;
  while (!text.empty()) {
    const size_t begin = text.find(kMark);
    out += text.substr(0, begin);
    if (begin == Str::npos) break;
    const size_t end = text.find(kMark, begin + 1);
    const size_t n = std::stoul(std::string(text.substr(begin + 1, end - begin - 1)));
    std::string value = "NULL";
    if (!values[n].null) {
      std::string written;
      types::type_output(context, types[n], values[n], written);
      value = types::quote_literal(written);
    }
    out += value + "::" + types::format_type(session.session_catalog(), types[n].oid, std::nullopt);
    text.remove_prefix(end + 1);
  }
  settings.rollback_to(mark);
  return iso.ok() && !context.failed() ? out : std::string();
}

}  // namespace

Result<std::unique_ptr<types::SetProducer>> open_foreign_rows(SessionParts& session, const types::CallInfo& call,
                                                              std::span<const Datum> arguments) {
  const Oid oid = arguments[0].oid();
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto relation = catalog.relation(oid);
  if (relation == nullptr) {
    return Error(sqlstate::kUndefinedTable, "relation with OID " + std::to_string(oid) + " does not exist");
  }
  INDIGO_TRY(catalog::check_reachable(*relation));
  const Str condition = arguments[1].str;
  for (const char change : {catalog::kForeignUpdate, catalog::kForeignDelete}) {
    if (condition != Str(&change, 1)) continue;
    return Error(sqlstate::kFeatureNotSupported, std::string("cannot ") +
                                                     (change == catalog::kForeignDelete ? "delete from" : "update") +
                                                     " foreign table \"" + relation->name + "\"");
  }
  const auto handler = catalog.function(relation->foreign->handler);
  if (handler != nullptr && handler->language == "c" && handler->source == "file_fdw_handler")
    return open_file_table(session, relation);
  if (handler != nullptr && handler->language == "c" && handler->source == "postgres_fdw_handler") {
    const std::span<const types::TypeRef> types(call.arguments);
    return open_remote_table(session, relation,
                             with_values(session, arguments[1].str, arguments.subspan(2), types.subspan(2)));
  }
  return Error(sqlstate::kFeatureNotSupported,
               "reading tables of foreign-data wrapper \"" + relation->foreign->wrapper + "\" is not supported");
}

}  // namespace indigo::engine

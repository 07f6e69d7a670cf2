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

constexpr char kMark = '\1';

// 0A000 where rows are to be changed that cannot be.
Status check_unchanged(const catalog::RelationInfo& relation, char mode) {
  if (mode == catalog::kForeignMerge) {
    return Error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + relation.name + "\"")
        .with_detail("This operation is not supported for foreign tables.");
  }
  const char* verb = mode == catalog::kForeignDelete   ? "delete from"
                     : mode == catalog::kForeignUpdate ? "update"
                                                       : nullptr;
  if (verb == nullptr) return {};
  return Error(sqlstate::kFeatureNotSupported,
               std::string("cannot ") + verb + " foreign table \"" + relation.name + "\"");
}

// The condition with values in the places of its marks, written as every server reads them.
std::string with_values(SessionParts& session, Str text, std::span<const Datum> values,
                        std::span<const types::TypeRef> types) {
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
  Str condition = arguments[1].str;
  const char mode =
      condition.empty() || condition[0] > catalog::kForeignLockUpdate || condition[0] == kMark ? '\0' : condition[0];
  if (mode != '\0') condition.remove_prefix(1);
  const auto handler = catalog.function(relation->foreign->handler);
  const bool built_in = handler != nullptr && handler->language == "c";
  if (built_in && handler->source == "file_fdw_handler") {
    INDIGO_TRY(check_unchanged(*relation, mode));
    return open_file_table(session, relation);
  }
  if (built_in && handler->source == "postgres_fdw_handler") {
    if (mode == catalog::kForeignMerge) INDIGO_TRY(check_unchanged(*relation, mode));
    const std::span<const types::TypeRef> types(call.arguments);
    RemoteQuery query;
    query.condition = with_values(session, condition, arguments.subspan(2), types.subspan(2));
    query.with_key = mode == catalog::kForeignUpdate || mode == catalog::kForeignDelete;
    if (query.with_key || mode == catalog::kForeignLockUpdate) query.lock = " FOR UPDATE";
    if (mode == catalog::kForeignLockShare) query.lock = " FOR SHARE";
    return open_remote_table(session, relation, query);
  }
  return Error(sqlstate::kFeatureNotSupported,
               "reading tables of foreign-data wrapper \"" + relation->foreign->wrapper + "\" is not supported");
}

}  // namespace indigo::engine

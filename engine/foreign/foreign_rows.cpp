#include "engine/foreign/foreign_rows.h"

#include <charconv>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/foreign/file_table.h"
#include "engine/foreign/remote_relation.h"
#include "engine/foreign/remote_table.h"
#include "engine/session/session_parts.h"
#include "sql/expr.h"

namespace indigo::engine {

namespace {

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

// What stands before the conditions (catalog/descriptor/foreign_source.h).
struct Purpose {
  char mode = '\0';
  bool places = false;
};
Purpose take_purpose(Str& condition) {
  Purpose out;
  out.places = condition.starts_with(catalog::kForeignPlaces);
  if (out.places) condition.remove_prefix(1);
  if (condition.empty() || condition[0] < catalog::kForeignUpdate || condition[0] > catalog::kForeignLockUpdate)
    return out;
  out.mode = condition[0];
  condition.remove_prefix(1);
  return out;
}

RemoteQuery query_of(const Purpose& purpose) {
  RemoteQuery out;
  out.with_place = purpose.places;
  out.with_key = purpose.mode == catalog::kForeignUpdate || purpose.mode == catalog::kForeignDelete;
  if (out.with_key || purpose.mode == catalog::kForeignLockUpdate) out.lock = " FOR UPDATE";
  if (purpose.mode == catalog::kForeignLockShare) out.lock = " FOR SHARE";
  return out;
}

// As catalog::kForeignRows has them.
std::optional<std::vector<size_t>> columns_in(Str text) {
  if (text == "*") return std::nullopt;
  std::vector<size_t> out;
  for (size_t at = 0; at < text.size();) {
    size_t number = 0;
    const auto end = std::from_chars(text.data() + at + 1, text.data() + text.size(), number).ptr;
    out.push_back(number);
    at = static_cast<size_t>(end - text.data());
  }
  return out;
}

bool is_remote(catalog::SessionCatalog& catalog, const catalog::RelationInfo& relation) {
  const auto handler = catalog.function(relation.foreign->handler);
  return handler != nullptr && handler->language == "c" && handler->source == "postgres_fdw_handler";
}

}  // namespace

std::string shown_foreign_statement(SessionParts& session, const sql::CallExpr& call) {
  const auto argument = [&](size_t i) { return sql::as<sql::ConstExpr>(*call.arguments[i]).value.get(); };
  const auto relation = session.session_catalog().relation(argument(0).oid());
  if (relation == nullptr || !is_remote(session.session_catalog(), *relation)) return {};
  Str condition = argument(1).str;
  RemoteQuery query = query_of(take_purpose(condition));
  query.columns = columns_in(argument(3).str);
  std::vector<types::TypeRef> types;
  for (size_t i = catalog::kForeignRowsValues; i < call.arguments.size(); i++) types.push_back(call.arguments[i]->type);
  query.condition = {condition, {}, types};
  auto statement = remote_statement(session, RemoteRelation(session, relation), query);
  return statement.ok() ? std::move(*statement) : std::string();
}

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
  const Purpose purpose = take_purpose(condition);
  const auto handler = catalog.function(relation->foreign->handler);
  const bool built_in = handler != nullptr && handler->language == "c";
  if (built_in && handler->source == "file_fdw_handler") {
    INDIGO_TRY(check_unchanged(*relation, purpose.mode));
    return open_file_table(session, relation);
  }
  if (is_remote(catalog, *relation)) {
    if (purpose.mode == catalog::kForeignMerge) INDIGO_TRY(check_unchanged(*relation, purpose.mode));
    const std::span<const types::TypeRef> types(call.arguments);
    RemoteQuery query = query_of(purpose);
    query.condition = {condition, arguments.subspan(catalog::kForeignRowsValues),
                       types.subspan(catalog::kForeignRowsValues)};
    query.role = arguments[2].oid();
    query.columns = columns_in(arguments[3].str);
    return open_remote_table(session, relation, query);
  }
  return Error(sqlstate::kFeatureNotSupported,
               "reading tables of foreign-data wrapper \"" + relation->foreign->wrapper + "\" is not supported");
}

}  // namespace indigo::engine

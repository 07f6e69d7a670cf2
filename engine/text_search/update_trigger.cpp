#include "engine/text_search/update_trigger.h"

#include <algorithm>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "engine/session/session_functions.h"
#include "engine/session/session_parts.h"
#include "types/function/context.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/textsearch/document.h"

namespace indigo::engine {

namespace {

using types::ColumnInfo;

Error refused(const char* why) { return {sqlstate::kInternalError, std::string("tsvector_update_trigger: ") + why}; }

Status check_call(const exec::TriggerCall& call) {
  if (!call.trigger->for_row()) return refused("must be fired for row");
  if (call.trigger->timing() != catalog::kTriggerBefore) return refused("must be fired BEFORE event");
  if (call.event != catalog::kTriggerInsert && call.event != catalog::kTriggerUpdate) {
    return refused("must be fired for INSERT or UPDATE");
  }
  if (call.trigger->arguments.size() < 3) {
    return refused("arguments must be tsvector_field, ts_config, text_field1, ...)");
  }
  return {};
}

Error missing(const char* what, const std::string& name) {
  return {sqlstate::kUndefinedColumn, std::string(what) + " \"" + name + "\" does not exist"};
}
Error mistyped(const std::string& name, const char* wanted) {
  return {sqlstate::kDatatypeMismatch, "column \"" + name + "\" is not of " + wanted};
}

bool is_text(SessionParts& session, Oid type) {
  const auto info = session.context().catalog().type(type);
  const Oid base = info != nullptr && info->base != kInvalidOid ? info->base : type;
  return base == oid::kText || base == oid::kVarchar || base == oid::kBpchar;
}

// The configuration that the trigger's second argument names.
Result<Oid> configuration_of(SessionParts& session, const exec::TriggerCall& call, bool by_column) {
  const std::string& name = call.trigger->arguments[1];
  auto& objects = dynamic_cast<types::TextSearchSession&>(session.context());
  if (by_column) {
    const ColumnInfo* column = call.relation->find_column(name);
    if (column == nullptr) return missing("configuration column", name);
    if (column->type.oid != oid::kRegConfig) return mistyped(name, "regconfig type");
    const Datum value = call.relation->layout.column(call.new_row, static_cast<size_t>(column->number) - 1);
    if (!value.null) return value.oid();
    return Error(sqlstate::kNullValueNotAllowed, "configuration column \"" + name + "\" must not be null");
  }
  INDIGO_ASSIGN(const std::vector<std::string> parts, types::parse_qualified_name(name));
  if (parts.size() < 2) {
    return Error(sqlstate::kInvalidParameterValue,
                 "text search configuration name \"" + name + "\" must be schema-qualified");
  }
  const Oid oid =
      objects.find_text_search(types::TextSearchKind::kConfiguration, parts[parts.size() - 2], parts.back());
  if (oid != kInvalidOid) return oid;
  return Error(sqlstate::kUndefinedObject, "text search configuration \"" + name + "\" does not exist");
}

}  // namespace

Result<std::optional<std::string>> update_tsvector(SessionParts& session, const exec::TriggerCall& call,
                                                   bool by_column) {
  INDIGO_TRY(check_call(call));
  const catalog::RelationInfo& relation = *call.relation;
  const std::vector<std::string>& arguments = call.trigger->arguments;
  const ColumnInfo* target = relation.find_column(arguments[0]);
  if (target == nullptr) return missing("tsvector column", arguments[0]);
  if (target->type.oid != oid::kTsVector) return mistyped(arguments[0], "tsvector type");
  INDIGO_ASSIGN(const Oid oid, configuration_of(session, call, by_column));
  auto& objects = dynamic_cast<types::TextSearchSession&>(session.context());
  INDIGO_ASSIGN(const types::ConfigurationPtr configuration, objects.text_search_configuration(oid));

  types::FuncContext context(session.context());
  Arena arena;
  context.set_arena(&arena);
  types::Document document(context, configuration);
  bool wanted = call.event == catalog::kTriggerInsert;
  for (size_t i = 2; i < arguments.size(); i++) {
    const ColumnInfo* column = relation.find_column(arguments[i]);
    if (column == nullptr) return missing("column", arguments[i]);
    if (!is_text(session, column->type.oid)) return mistyped(arguments[i], "a character type");
    wanted = wanted || call.updates(column->number);
    const Datum text = relation.layout.column(call.new_row, static_cast<size_t>(column->number) - 1);
    if (!text.null) document.add(text.str);
  }
  if (!wanted) return std::optional<std::string>(std::string(call.new_row));
  const Datum vector = document.vector();
  if (context.failed()) return context.take_error();
  std::vector<Datum> values(relation.layout.column_count());
  for (size_t c = 0; c < values.size(); c++) values[c] = relation.layout.column(call.new_row, c);
  values[static_cast<size_t>(target->number) - 1] = vector;
  std::string image;
  relation.layout.encode(values, image);
  return std::optional<std::string>(std::move(image));
}

}  // namespace indigo::engine

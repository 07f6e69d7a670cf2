// Triggers as statements: pg_get_triggerdef.
#include "catalog/descriptor/trigger_info.h"
#include "engine/system/catalog_rows.h"
#include "sql/analyze/trigger_condition.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

namespace pg_trigger = catalog::pg_trigger;

const catalog::TriggerInfo* trigger_of(const catalog::RelationInfo& relation, Oid oid) {
  if (relation.triggers == nullptr) return nullptr;
  for (const catalog::TriggerInfo& t : relation.triggers->triggers) {
    if (t.oid == oid) return &t;
  }
  return nullptr;
}

std::string events_text(const catalog::RelationInfo& relation, const catalog::TriggerInfo& t) {
  std::string out;
  const auto add = [&](int16_t event, const char* name) {
    if (t.has_event(event)) out += (out.empty() ? " " : " OR ") + std::string(name);
  };
  add(catalog::kTriggerInsert, "INSERT");
  add(catalog::kTriggerDelete, "DELETE");
  add(catalog::kTriggerUpdate, "UPDATE");
  for (size_t i = 0; i < t.columns.size(); i++) {
    out += (i == 0 ? " OF " : ", ") +
           types::quote_identifier(relation.columns[static_cast<size_t>(t.columns[i]) - 1].name);
  }
  add(catalog::kTriggerTruncate, "TRUNCATE");
  return out;
}

std::string function_text(SessionParts& session, Oid function) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto info = catalog.function(function);
  if (info == nullptr) return std::to_string(function);
  bool visible = false;
  for (const auto& f : catalog.functions_named("", info->name)) visible |= f->oid == function;
  const std::string name = types::quote_identifier(info->name);
  return visible ? name : types::quote_identifier(catalog.schema_name(info->schema)) + "." + name;
}

Result<OwnedDatum> trigger_definition(SessionParts& session, std::span<const Datum> arguments) {
  Oid table = kInvalidOid;
  CatalogRows(session).find(pg_trigger::kOid, arguments[0].oid(),
                            [&](catalog::RowReader row) { table = row.oid(pg_trigger::c_tgrelid); });
  const auto relation = table == kInvalidOid ? nullptr : session.session_catalog().relation(table);
  const catalog::TriggerInfo* t = relation == nullptr ? nullptr : trigger_of(*relation, arguments[0].oid());
  if (t == nullptr) return text_null();
  const bool pretty = arguments.size() > 1 && arguments[1].b;
  NameContext names(session);
  std::string out = t->constraint != kInvalidOid ? "CREATE CONSTRAINT TRIGGER " : "CREATE TRIGGER ";
  out += types::quote_identifier(t->name);
  out += t->timing() == catalog::kTriggerBefore    ? " BEFORE"
         : t->timing() == catalog::kTriggerInstead ? " INSTEAD OF"
                                                   : " AFTER";
  out += events_text(*relation, *t) + " ON ";
  out += pretty ? types::relation_name(names.context, relation->oid)
                : types::qualified_relation_name(names.context, relation->oid);
  out += " ";
  if (t->constraint != kInvalidOid) {
    if (t->constraint_relation != kInvalidOid) {
      out += "FROM " + types::relation_name(names.context, t->constraint_relation) + " ";
    }
    if (!t->deferrable) out += "NOT ";
    out += t->deferred ? "DEFERRABLE INITIALLY DEFERRED " : "DEFERRABLE INITIALLY IMMEDIATE ";
  }
  if (t->uses_transition_tables()) out += "REFERENCING ";
  if (!t->old_table.empty()) out += "OLD TABLE AS " + types::quote_identifier(t->old_table) + " ";
  if (!t->new_table.empty()) out += "NEW TABLE AS " + types::quote_identifier(t->new_table) + " ";
  out += t->for_row() ? "FOR EACH ROW " : "FOR EACH STATEMENT ";
  if (!t->condition.empty()) {
    out += "WHEN (" + sql::print_trigger_condition(session.context(), t->condition, *relation, pretty) + ") ";
  }
  out += "EXECUTE FUNCTION " + function_text(session, t->function) + "(";
  for (size_t i = 0; i < t->arguments.size(); i++)
    out += (i == 0 ? "" : ", ") + types::standard_literal(t->arguments[i]);
  return text_value(out + ")");
}

constexpr SystemValue kTriggerDefinitionValues[] = {
    {"pg_get_triggerdef", trigger_definition},
    {"pg_get_triggerdef_ext", trigger_definition},
};

}  // namespace

std::span<const SystemValue> trigger_definition_values() { return kTriggerDefinitionValues; }

}  // namespace indigo::engine

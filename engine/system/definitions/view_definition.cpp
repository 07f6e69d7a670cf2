// Views and rules as statements; the rest of pg_get_*def.
#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "sql/rule/rule_tree.h"
#include "sql/view_text.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

// Laid out from the analyzed query; a definition that no longer can be analyzed is shown as it is stored.
std::optional<std::string> view_text(SessionParts& session, Oid view, bool pretty) {
  const auto info = session.session_catalog().relation(view);
  if (info == nullptr || info->view_definition.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const ColumnInfo& c : info->columns) names.push_back(c.name);
  if (auto text = sql::print_view(session.context(), info->view_definition, names, pretty)) return *text + ";";
  return " " + info->view_definition + ";";
}

// The second argument: a boolean, or the width to wrap at, which makes it pretty too.
bool is_pretty(std::span<const Datum> arguments) {
  return arguments.size() > 1 && (arguments[1].phys != Phys::kBool || arguments[1].b);
}

Result<OwnedDatum> view_by_oid(SessionParts& session, std::span<const Datum> arguments) {
  return text_or_null(view_text(session, arguments[0].oid(), is_pretty(arguments)));
}
Result<OwnedDatum> view_by_name(SessionParts& session, std::span<const Datum> arguments) {
  NameContext names(session);
  INDIGO_ASSIGN(const Oid view, types::find_relation_oid(names.context, arguments[0].str));
  return text_or_null(view_text(session, view, is_pretty(arguments)));
}

Result<OwnedDatum> rule_definition(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<std::string> out;
  Oid view = kInvalidOid;
  std::string name;
  CatalogRows(session).find(pg_rewrite::kOid, arguments[0].oid(), [&](RowReader row) {
    view = row.oid(pg_rewrite::c_ev_class);
    name = row.str(pg_rewrite::c_rulename);
    out = "CREATE RULE " + types::quote_identifier(name);
  });
  if (!out) return text_null();
  const auto info = session.session_catalog().relation(view);
  if (const RuleInfo* rule = info == nullptr || info->rules == nullptr ? nullptr : info->rules->find(name)) {
    INDIGO_ASSIGN(std::string text, sql::print_rule(session.context(), *rule, *info, is_pretty(arguments)));
    return text_value(std::move(text));
  }
  NameContext names(session);
  const auto text = view_text(session, view, is_pretty(arguments));
  if (!text) return text_null();
  const bool plain = is_pretty(arguments) && info != nullptr;
  const auto found = plain ? session.session_catalog().find_relation("", info->name) : nullptr;
  return text_value(*out + " AS\n    ON SELECT TO " +
                    (found != nullptr && found->oid == view ? types::quote_identifier(info->name)
                                                            : types::qualified_relation_name(names.context, view)) +
                    " DO INSTEAD " + *text);
}

Result<OwnedDatum> user_by_id(SessionParts& session, std::span<const Datum> arguments) {
  const std::string name = session.session_catalog().role_name(arguments[0].oid());
  return text_value(name.empty() ? "unknown (OID=" + std::to_string(arguments[0].oid()) + ")" : name);
}

// The sequence that a serial or identity column owns.
Result<OwnedDatum> serial_sequence(SessionParts& session, std::span<const Datum> arguments) {
  NameContext names(session);
  INDIGO_ASSIGN(const Oid table, types::find_relation_oid(names.context, arguments[0].str));
  const auto info = session.session_catalog().relation(table);
  const ColumnInfo* column = info == nullptr ? nullptr : info->find_column(arguments[1].str);
  if (column == nullptr)
    return Error(sqlstate::kUndefinedColumn, "column \"" + std::string(arguments[1].str) + "\" of relation \"" +
                                                 (info == nullptr ? std::string() : info->name) + "\" does not exist");
  std::vector<Oid> dependents;
  CatalogRows rows(session);
  rows.scan_index(pg_depend::kOid, system_index::kDependReference,
                  {Datum::of_oid(pg_class::kOid), Datum::of_oid(table), Datum::of(int32_t{column->number})},
                  [&](RowReader row) {
                    const char type = row.chr(pg_depend::c_deptype);
                    if (row.oid(pg_depend::c_classid) == pg_class::kOid && (type == 'a' || type == 'i'))
                      dependents.push_back(row.oid(pg_depend::c_objid));
                    return true;
                  });
  for (const Oid oid : dependents) {
    const auto relation = session.session_catalog().relation(oid);
    if (relation != nullptr && relation->kind == RelationKind::kSequence)
      return text_value(types::qualified_relation_name(names.context, oid));
  }
  return text_null();
}

Result<OwnedDatum> no_oid(SessionParts&, std::span<const Datum>) { return null_value(Phys::kI32); }

constexpr SystemValue kViewDefinitionValues[] = {
    {"pg_get_viewdef", view_by_oid},
    {"pg_get_viewdef_ext", view_by_oid},
    {"pg_get_viewdef_wrap", view_by_oid},
    {"pg_get_viewdef_name", view_by_name},
    {"pg_get_viewdef_name_ext", view_by_name},
    {"pg_get_ruledef", rule_definition},
    {"pg_get_ruledef_ext", rule_definition},
    {"pg_get_userbyid", user_by_id},
    {"pg_get_serial_sequence", serial_sequence},
    {"pg_get_replica_identity_index", no_oid},
};

}  // namespace

std::span<const SystemValue> view_definition_values() { return kViewDefinitionValues; }

}  // namespace indigo::engine

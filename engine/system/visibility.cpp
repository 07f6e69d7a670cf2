// pg_*_is_visible: would the bare name find this object along search_path?
#include "engine/system/catalog_rows.h"
#include "engine/system/object_kinds.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

template <Oid kTable>
Result<OwnedDatum> is_visible(SessionParts& session, std::span<const Datum> arguments) {
  const auto visible = is_found_by_name(session, *schema_kind(kTable), arguments[0].oid());
  return visible ? value_of(*visible) : null_value(Phys::kBool);
}

Result<OwnedDatum> table_is_visible(SessionParts& session, std::span<const Datum> arguments) {
  std::string name;
  Oid schema = kInvalidOid;
  if (!CatalogRows(session).find(pg_class::kOid, arguments[0].oid(), [&](RowReader row) {
        name = row.str(pg_class::c_relname);
        schema = row.oid(pg_class::c_relnamespace);
      }))
    return null_value(Phys::kBool);
  SessionCatalog& view = session.session_catalog();
  for (const Oid candidate : view.search_path()) {
    if (candidate == schema) return value_of(true);
    if (view.relation_oid(candidate, name) != kInvalidOid) return value_of(false);
  }
  return value_of(false);
}

Result<OwnedDatum> type_is_visible(SessionParts& session, std::span<const Datum> arguments) {
  SessionCatalog& view = session.session_catalog();
  const auto type = view.type(arguments[0].oid());
  if (type == nullptr) return null_value(Phys::kBool);
  const auto found = view.find_type("", type->name);
  return value_of(found != nullptr && found->oid == type->oid);
}

Result<OwnedDatum> function_is_visible(SessionParts& session, std::span<const Datum> arguments) {
  SessionCatalog& view = session.session_catalog();
  const auto function = view.function(arguments[0].oid());
  if (function == nullptr) return null_value(Phys::kBool);
  for (const auto& f : view.functions_named("", function->name))
    if (f->arguments == function->arguments) return value_of(f->oid == function->oid);
  return value_of(false);
}

Result<OwnedDatum> operator_is_visible(SessionParts& session, std::span<const Datum> arguments) {
  SessionCatalog& view = session.session_catalog();
  const auto* op = view.operator_by_oid(arguments[0].oid());
  if (op == nullptr) return null_value(Phys::kBool);
  for (const auto* o : view.operators_named("", op->name))
    if (o->left == op->left && o->right == op->right) return value_of(o->oid == op->oid);
  return value_of(false);
}

constexpr SystemValue kVisibilityValues[] = {
    {"pg_table_is_visible", table_is_visible},
    {"pg_type_is_visible", type_is_visible},
    {"pg_function_is_visible", function_is_visible},
    {"pg_operator_is_visible", operator_is_visible},
    {"pg_opclass_is_visible", is_visible<pg_opclass::kOid>},
    {"pg_opfamily_is_visible", is_visible<pg_opfamily::kOid>},
    {"pg_conversion_is_visible", is_visible<pg_conversion::kOid>},
    {"pg_collation_is_visible", is_visible<pg_collation::kOid>},
    {"pg_statistics_obj_is_visible", is_visible<pg_statistic_ext::kOid>},
    {"pg_ts_parser_is_visible", is_visible<pg_ts_parser::kOid>},
    {"pg_ts_dict_is_visible", is_visible<pg_ts_dict::kOid>},
    {"pg_ts_template_is_visible", is_visible<pg_ts_template::kOid>},
    {"pg_ts_config_is_visible", is_visible<pg_ts_config::kOid>},
};

}  // namespace

std::span<const SystemValue> visibility_values() { return kVisibilityValues; }

}  // namespace indigo::engine

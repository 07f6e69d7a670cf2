// pg_*_is_visible: would the bare name find this object along search_path?
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

// A kind of named object: its table, and the columns that make its name.
struct Kind {
  Oid table;
  int name, schema;
  int same = -1;  // names are apart when this column differs (an operator family's access method)
};

constexpr Kind kOpclass{pg_opclass::kOid, pg_opclass::c_opcname, pg_opclass::c_opcnamespace, pg_opclass::c_opcmethod};
constexpr Kind kOpfamily{pg_opfamily::kOid, pg_opfamily::c_opfname, pg_opfamily::c_opfnamespace,
                         pg_opfamily::c_opfmethod};
constexpr Kind kConversion{pg_conversion::kOid, pg_conversion::c_conname, pg_conversion::c_connamespace};
constexpr Kind kCollation{pg_collation::kOid, pg_collation::c_collname, pg_collation::c_collnamespace};
constexpr Kind kStatistics{pg_statistic_ext::kOid, pg_statistic_ext::c_stxname, pg_statistic_ext::c_stxnamespace};
constexpr Kind kParser{pg_ts_parser::kOid, pg_ts_parser::c_prsname, pg_ts_parser::c_prsnamespace};
constexpr Kind kDictionary{pg_ts_dict::kOid, pg_ts_dict::c_dictname, pg_ts_dict::c_dictnamespace};
constexpr Kind kTemplate{pg_ts_template::kOid, pg_ts_template::c_tmplname, pg_ts_template::c_tmplnamespace};
constexpr Kind kConfiguration{pg_ts_config::kOid, pg_ts_config::c_cfgname, pg_ts_config::c_cfgnamespace};

template <const Kind& kKind>
Result<OwnedDatum> is_visible(SessionParts& session, std::span<const Datum> arguments) {
  CatalogRows rows(session);
  std::string name;
  Oid schema = kInvalidOid, same = kInvalidOid;
  const auto same_of = [](const RowReader& row) { return kKind.same < 0 ? kInvalidOid : row.oid(kKind.same); };
  const bool exists = rows.find(kKind.table, arguments[0].oid(), [&](RowReader row) {
    name = row.str(kKind.name);
    schema = row.oid(kKind.schema);
    same = same_of(row);
  });
  if (!exists) return null_value(Phys::kBool);
  SessionCatalog& view = session.session_catalog();
  for (const Oid candidate : view.search_path()) {
    if (candidate == view.temp_schema()) continue;  // nobody looks there for such objects
    if (candidate == schema) return value_of(true);
    bool hidden = false;
    rows.scan(kKind.table, {}, [&](RowReader row) {
      hidden = row.oid(kKind.schema) == candidate && row.str(kKind.name) == name && same_of(row) == same;
      return !hidden;
    });
    if (hidden) return value_of(false);
  }
  return value_of(false);
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
    {"pg_opclass_is_visible", is_visible<kOpclass>},
    {"pg_opfamily_is_visible", is_visible<kOpfamily>},
    {"pg_conversion_is_visible", is_visible<kConversion>},
    {"pg_collation_is_visible", is_visible<kCollation>},
    {"pg_statistics_obj_is_visible", is_visible<kStatistics>},
    {"pg_ts_parser_is_visible", is_visible<kParser>},
    {"pg_ts_dict_is_visible", is_visible<kDictionary>},
    {"pg_ts_template_is_visible", is_visible<kTemplate>},
    {"pg_ts_config_is_visible", is_visible<kConfiguration>},
};

}  // namespace

std::span<const SystemValue> visibility_values() { return kVisibilityValues; }

}  // namespace indigo::engine

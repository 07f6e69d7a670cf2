#include "catalog/descriptor/text_search_names.h"

#include <vector>

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"

namespace indigo::catalog {

namespace {

using types::TextSearchKind;

struct TableOfNames {
  Oid table;
  int name, schema;
};
TableOfNames names_of(TextSearchKind kind) {
  switch (kind) {
    case TextSearchKind::kConfiguration:
      return {pg_ts_config::kOid, pg_ts_config::c_cfgname, pg_ts_config::c_cfgnamespace};
    case TextSearchKind::kDictionary: return {pg_ts_dict::kOid, pg_ts_dict::c_dictname, pg_ts_dict::c_dictnamespace};
    case TextSearchKind::kParser: return {pg_ts_parser::kOid, pg_ts_parser::c_prsname, pg_ts_parser::c_prsnamespace};
    case TextSearchKind::kTemplate: break;
  }
  return {pg_ts_template::kOid, pg_ts_template::c_tmplname, pg_ts_template::c_tmplnamespace};
}

}  // namespace

Oid find_text_search(CatalogView& view, TextSearchKind kind, std::string_view schema, std::string_view name) {
  const TableOfNames of = names_of(kind);
  std::vector<std::pair<Oid, Oid>> named;  // schema, object
  view.system_table_rows(of.table, -1, {}, [&](const RowReader& row) {
    if (row.str(of.name) == name) named.emplace_back(row.oid(of.schema), row.oid(0));
    return true;
  });
  if (named.empty()) return kInvalidOid;
  const auto in = [&](Oid where) {
    for (const auto& [of_schema, oid] : named)
      if (of_schema == where) return oid;
    return kInvalidOid;
  };
  if (!schema.empty()) {
    const Oid where = view.schema_named(schema);
    return where == kInvalidOid ? kInvalidOid : in(where);
  }
  for (const Oid where : view.search_path())
    if (const Oid oid = in(where); oid != kInvalidOid) return oid;
  return kInvalidOid;
}

std::optional<types::TextSearchName> text_search_name(CatalogView& view, TextSearchKind kind, Oid oid) {
  const TableOfNames of = names_of(kind);
  types::TextSearchName out;
  Oid schema = kInvalidOid;
  const Datum key = Datum::of_oid(oid);
  view.system_table_rows(of.table, -1, {&key, 1}, [&](const RowReader& row) {
    out.name = row.str(of.name);
    schema = row.oid(of.schema);
    return false;
  });
  if (out.name.empty()) return std::nullopt;
  out.schema = view.schema_name(schema);
  out.visible = find_text_search(view, kind, "", out.name) == oid;
  return out;
}

}  // namespace indigo::catalog

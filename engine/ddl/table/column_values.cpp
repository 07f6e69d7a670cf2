#include "engine/ddl/table/column_values.h"

#include <algorithm>

#include "engine/row_sink.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

Result<std::vector<OwnedDatum>> values_for_rows(DdlContext& c, const RelationInfo& relation, const std::string& sql,
                                                bool once) {
  std::vector<OwnedDatum> out;
  const std::string query = "SELECT " + sql + (once ? std::string() : " FROM ONLY " + qualified(relation));
  INDIGO_TRY(c.host.run_query(query, [&](const ResultShape&, const Chunk& chunk) -> Status {
    for (uint32_t i = 0; i < chunk.rows(); i++) out.emplace_back(chunk.columns[0].datum(chunk.selection[i]));
    return {};
  }));
  return out;
}

Status rewrite_with_column(DdlContext& c, const RelationPtr& old, int16_t number, const std::vector<OwnedDatum>& values,
                           const Datum& otherwise) {
  return rewrite_table(c, old, [&](const RowWriter& write) -> Status {
    std::vector<Datum> row(std::max(old->columns.size(), static_cast<size_t>(number)));
    size_t at = 0;
    return for_each_row(c, *old, [&](Bytes, Bytes image) -> Status {
      for (size_t i = 0; i < old->columns.size(); i++) row[i] = old->layout.column(image, i);
      const size_t from = values.size() == 1 ? 0 : at;
      row[static_cast<size_t>(number) - 1] = from < values.size() ? values[from].get() : otherwise;
      at++;
      return write(row);
    });
  });
}

Status check_type_not_stored(DdlContext& c, const RelationInfo& altered, Oid type) {
  std::vector<Oid> types{type};
  if (const TypePtr info = c.catalog.type(type); info && info->array != kInvalidOid)
    types.insert(types.begin(), info->array);
  for (const Oid used : types) {
    for (const Dependent& d : dependents_of(c, {pg_type::kOid, used, 0})) {
      if (d.address.class_id == pg_type::kOid && d.type == 'n') {  // a domain over it
        INDIGO_TRY(check_type_not_stored(c, altered, d.address.object));
      }
      if (d.address.class_id != pg_class::kOid) continue;
      const RelationPtr other = current(c, d.address.object);
      if (other == nullptr || other->oid == altered.oid) continue;
      size_t at = static_cast<size_t>(d.address.sub) - 1;
      if (d.address.sub == 0) {  // an index depends as a whole on what its keys are computed by
        const auto key = std::find_if(other->columns.begin(), other->columns.end(),
                                      [&](const ColumnInfo& column) { return column.type.oid == used; });
        if (other->kind != RelationKind::kIndex || key == other->columns.end()) continue;
        at = static_cast<size_t>(key - other->columns.begin());
      }
      if (other->kind == RelationKind::kComposite) {
        INDIGO_TRY(check_type_not_stored(c, altered, other->row_type));
      } else if (other->kind == RelationKind::kTable || other->kind == RelationKind::kIndex) {
        const ColumnInfo& column = other->columns[at];
        const bool is_type = altered.kind == RelationKind::kComposite;
        return Error(sqlstate::kFeatureNotSupported, "cannot alter " + std::string(kind_name(altered.kind)) + " " +
                                                         quoted(altered.name) + " because column " +
                                                         quoted(other->name + "." + column.name) +
                                                         (is_type ? " uses it" : " uses its row type"));
      }
    }
  }
  return {};
}

}  // namespace indigo::engine::ddl

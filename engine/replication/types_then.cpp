#include "engine/replication/types_then.h"

#include <algorithm>

#include "base/fiber/stack_exhausted.h"
#include "types/oids.h"

namespace indigo::engine::replication {

void TypesThen::keep(catalog::CatalogView& catalog, Oid oid) {
  if (oid < oid::kFirstUserOid || types.contains(oid)) return;
  require_stack();
  const auto info = catalog.type(oid);
  if (info == nullptr) return;
  types.emplace(oid, info);
  schemas.try_emplace(info->schema, catalog.schema_name(info->schema));
  if (info->is_array()) keep(catalog, info->element);
  for (const Oid part : {info->base, info->like, info->range_subtype, info->range_partner}) keep(catalog, part);
  if (info->kind != 'c' || info->relation == kInvalidOid) return;
  const auto row = catalog.relation(info->relation);
  if (row == nullptr || !rows.try_emplace(info->relation, row).second) return;
  for (const types::ColumnInfo& column : row->columns) {
    if (!column.dropped) keep(catalog, column.type.oid);
  }
}

std::shared_ptr<const types::TypeInfo> CatalogThen::type(Oid oid) {
  const auto kept = then_.types.find(oid);
  return kept == then_.types.end() ? now_.type(oid) : kept->second;
}

std::shared_ptr<const catalog::RelationInfo> CatalogThen::relation(Oid oid) {
  const auto kept = then_.rows.find(oid);
  return kept == then_.rows.end() ? now_.relation(oid) : kept->second;
}

std::string CatalogThen::schema_name(Oid schema) {
  const auto kept = then_.schemas.find(schema);
  return kept == then_.schemas.end() ? now_.schema_name(schema) : kept->second;
}

std::shared_ptr<const types::TypeInfo> CatalogThen::find_type(std::string_view schema, std::string_view name) {
  const auto named = [&](Oid where) -> std::shared_ptr<const types::TypeInfo> {
    for (const auto& [oid, type] : then_.types) {
      if (type->schema == where && type->name == name) return type;
    }
    return now_.find_type(schema_name(where), name);
  };
  if (!schema.empty()) return named(schema_named(schema));
  for (const Oid where : search_path()) {
    if (auto found = named(where)) return found;
  }
  return nullptr;
}

}  // namespace indigo::engine::replication

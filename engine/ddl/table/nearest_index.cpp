#include "engine/ddl/table/nearest_index.h"

#include "engine/ddl/table/storage_options.h"
#include "types/extension/vector/vector.h"

namespace indigo::engine::ddl {

namespace {

// In the room of one vector of the method's greatest: twice as many halves, 32 times as many bits; of what is sparse only elements
// that are not zero count, and those are not known here.
int64_t most_dimensions(const catalog::AccessMethod& method, const types::TypeInfo& type) {
  constexpr int kHalves = 2, kBits = 32;
  if (type.oid == oid::kBit) return int64_t{method.most_dimensions} * kBits;
  if (type.definition == &types::vectors::kHalfvecForms) return int64_t{method.most_dimensions} * kHalves;
  if (type.definition == &types::vectors::kSparsevecForms) return types::vectors::kMostSparseDimensions;
  return method.most_dimensions;
}

}  // namespace

Status check_nearest_column(DdlContext& c, const catalog::AccessMethod& method, const IndexColumnSpec& column,
                            std::span<const std::string> options) {
  TypePtr type = c.catalog.type(column.type.oid);
  int32_t dimensions = column.type.typmod;
  while (type != nullptr && type->kind == 'd') {
    dimensions = type->base_typmod;
    type = c.catalog.type(type->base);
  }
  if (type == nullptr || dimensions < 0)
    return Error(sqlstate::kInvalidParameterValue, "column does not have dimensions");
  if (const int64_t most = most_dimensions(method, *type); dimensions > most) {
    return Error(sqlstate::kProgramLimitExceeded, "column cannot have more than " + std::to_string(most) +
                                                      " dimensions for " + std::string(method.name) + " index");
  }
  const storage::GraphShape graph = index_graph(options);
  if (graph.candidates < 2 * graph.degree)
    return Error(sqlstate::kInvalidParameterValue, "ef_construction must be greater than or equal to 2 * m");
  return {};
}

}  // namespace indigo::engine::ddl

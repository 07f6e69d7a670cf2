// Definitions of indexes that find the nearest (catalog::AccessMethod::nearest).
#pragma once

#include "catalog/access_method.h"
#include "engine/ddl/table/index.h"

namespace indigo::engine::ddl {

// 22023 for a column whose type does not say how many dimensions it has, or options that do not go together; 54000 for one
// with more dimensions than the method takes.
Status check_nearest_column(DdlContext& c, const catalog::AccessMethod& method, const IndexColumnSpec& column,
                            std::span<const std::string> options);

}  // namespace indigo::engine::ddl

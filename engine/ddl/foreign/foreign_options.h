// OPTIONS (...) of foreign data: texts "name=value", which the wrapper's validator is asked about.
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/object_lookup.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

using ForeignOptions = std::vector<std::string>;

// Those of the row as the statement changes them: ADD (42710 when it is there), SET and DROP (42704 when it is not). 22023 for
// a name with "=" in it. `validator` (kInvalidOid: none) is called with all of them and the system table of their object.
Result<ForeignOptions> changed_options(DdlContext& c, ForeignOptions options, NodeList changes, Oid validator,
                                       Oid class_id);
ForeignOptions read_options(const RowReader& row, int column);
void write_options(RowValues& row, int column, const ForeignOptions& options);  // none: null

// Of the wrapper that a server uses; kInvalidOid: it has none.
Oid validator_of_wrapper(DdlContext& c, Oid wrapper);
Oid validator_of_server(DdlContext& c, Oid server);

}  // namespace indigo::engine::ddl

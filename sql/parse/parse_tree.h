// libpg_query's parse tree (protobuf-c structs). Only the parser adapter calls libpg_query; the analyzer and the
// definition statements read the tree; headers name its structs by sql/parse/tree_names.h.
#pragma once

#include <pg_query/pg_query.pb-c.h>

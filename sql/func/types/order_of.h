// The order of any type, user-defined ones through the catalog, and the error when there is none.
// Thread safety: as the context's catalog view.
#pragma once

#include "sql/func/registry.h"

namespace indigo::sql {

const TypeOrder* order_of(FuncContext& context, Oid type);  // null when the type has none
void fail_no_comparison(FuncContext& context, Oid type);    // 42883

}  // namespace indigo::sql

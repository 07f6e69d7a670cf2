// The order of any type, user-defined ones through the catalog, and the error when there is none.
// Thread safety: as the context's catalog view.
#pragma once

#include "types/function/registry.h"

namespace indigo::types {

const TypeOrder* order_of(FuncContext& context, Oid type);  // null when the type has none
void fail_no_comparison(FuncContext& context, Oid type);    // 42883
void fail_no_equality(FuncContext& context, Oid type);      // 42883, where only equality is asked for

}  // namespace indigo::types

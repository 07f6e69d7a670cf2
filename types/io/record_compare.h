// The walk that comparisons of composite values share: field by field; nulls equal each other and are above all.
// Thread safety: one call belongs to one session.
#pragma once

#include <algorithm>
#include <string>

#include "base/sqlstate.h"
#include "types/function/kernel.h"
#include "types/io/record.h"
#include "types/system/type_name.h"

namespace indigo::types {

// compare(a, b, type) answers below, at or above 0 for two values that are not null; it may fail the context.
template <class Compare>
int compare_fields(FuncContext& context, Str x, Str y, Compare compare) {
  CatalogContext& catalog = context.session().catalog();
  const RecordFields a = live_fields(catalog, x), b = live_fields(catalog, y);
  for (size_t i = 0; i < std::min(a.values.size(), b.values.size()); i++) {
    const Oid type = a.types[i].oid;
    if (type != b.types[i].oid) {
      context.fail(sqlstate::kDatatypeMismatch, "cannot compare dissimilar column types " + format_type(context, type) +
                                                    " and " + format_type(context, b.types[i].oid) +
                                                    " at record column " + std::to_string(i + 1));
      return 0;
    }
    if (a.values[i].null || b.values[i].null) {
      if (a.values[i].null != b.values[i].null) return a.values[i].null ? 1 : -1;
      continue;
    }
    if (const int c = compare(a.values[i], b.values[i], type); c != 0 || context.failed()) return c;
  }
  if (a.values.size() != b.values.size())
    context.fail(sqlstate::kDatatypeMismatch, "cannot compare record types with different numbers of columns");
  return 0;
}

}  // namespace indigo::types

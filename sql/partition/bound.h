// The bound of one partition: what FOR VALUES says, as values of the partition key's types.
//
// pg_class.relpartbound keeps it as text that depends on no setting and no name: values are # and their bytes in hex, as stored
// trees hold constants (sql/stored/stored_tree.h); so an enum's label may be renamed, and a type needs no binary form.
//   range    r lower,...|upper,...     a value, - (MINVALUE) or + (MAXVALUE) for each key column
//   list     l value,...               a value or n (NULL)
//   hash     h modulus remainder
//   default  d
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "types/function/context.h"

namespace indigo::sql::partition {

struct BoundValue {
  enum class Kind : uint8_t { kValue, kMin, kMax, kNull } kind = Kind::kValue;
  OwnedDatum value;
};

struct Bound {
  char strategy = 'd';            // r, l, h as the key's; d: the default partition
  std::vector<BoundValue> lower;  // list: the values
  std::vector<BoundValue> upper;
  int32_t modulus = 0, remainder = 0;
};

std::string store_bound(const Bound& bound);
Result<Bound> read_bound(types::FuncContext& context, const catalog::PartitionKey& key, std::string_view stored);
// "FOR VALUES FROM (1) TO (10)", as pg_get_expr shows it.
std::string bound_text(types::FuncContext& context, const catalog::PartitionKey& key, const Bound& bound);
// One value as in bound_text.
std::string bound_value_text(types::FuncContext& context, const types::TypeRef& type, const BoundValue& value);

}  // namespace indigo::sql::partition

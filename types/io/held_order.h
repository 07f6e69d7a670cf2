// The order of what is inside of an array, a record or a range: by its type and how it is held, without the catalog.
// Thread safety: pure.
#pragma once

#include "types/function/registry.h"

namespace indigo::types {

// Null: the type has none.
const TypeOrder* order_of_held(Oid type, Phys phys);

// What a member of a value that is compared under `collator` is compared by.
struct HeldOrder {
  const TypeOrder* order;
  const Collator* collator;
};
HeldOrder order_of_member(Oid type, Phys phys, const Collator* collator);

}  // namespace indigo::types

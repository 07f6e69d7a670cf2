// Comparison, equality and hash of the built-in types, for their definitions. Equal values have equal hashes, also across
// integer widths and across float widths.
// Thread safety: constants.
#pragma once

#include "types/function/registry.h"

namespace indigo::types {

extern const TypeOrder kBoolOrder, kI16Order, kI32Order, kI64Order, kF32Order, kF64Order;
extern const TypeOrder kOidOrder, kU64Order;  // unsigned
extern const TypeOrder kNumericOrder, kIntervalOrder, kTimeTzOrder, kUuidOrder, kJsonbOrder, kNetworkOrder, kBitsOrder;
extern const TypeOrder kBytesOrder;
extern const TypeOrder kCollatedOrder;  // text
extern const TypeOrder kPaddedOrder;    // text whose trailing blanks do not count
extern const TypeOrder kArrayOrder;     // element by element

}  // namespace indigo::types

// The collator of a call that compares arrays.
// Thread safety: as the context's catalog view.
#pragma once

#include "types/function/kernel.h"
#include "types/value/collator.h"

namespace indigo::types {

// The elements' own order where an extension's type has one (citext), else the call's collation (types/function/collation.h).
const Collator* element_collator(FuncContext& context, const CallInfo& call);

}  // namespace indigo::types

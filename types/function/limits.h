// For functions whose work or result may be large: a statement can be cancelled meanwhile, and a value has a limit.
// Thread safety: as the context.
#pragma once

#include <cstddef>

#include "base/sqlstate.h"
#include "types/function/context.h"

namespace indigo::types {

// Lets others run, and looks for a cancel request or a timeout. True: the context has an error (57014). Call it every
// millisecond or so; the function may continue in its fiber later, so it must hold no latch.
bool interrupted(FuncContext& context);
// False, with 54000, when a text of that many bytes would be too long (kMaxTextBytes).
bool check_text_bytes(FuncContext& context, size_t bytes);

// PostgreSQL's limit of a function's arguments, and the SQLSTATE of more.
inline constexpr size_t kMaxArguments = 100;
inline constexpr SqlState kTooManyArguments{"54023"};

}  // namespace indigo::types

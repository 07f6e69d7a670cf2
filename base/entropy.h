// Unpredictable random bytes, from the kernel.
// Thread safety: any thread.
#pragma once

#include <cstddef>

namespace indigo {

// False when the kernel gives none; `to` must not be used then. Callers answer an error: a salt, a nonce or a seed that
// can be guessed is worse than none.
[[nodiscard]] bool fill_random(void* to, size_t bytes);

}  // namespace indigo

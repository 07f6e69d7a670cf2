// Text in values' binary form, which is in the client's encoding, as text form is: what send and receive functions write and read
// their text by. (Text form is converted as a whole, by who has the connection.)
// Thread safety: the session's fiber.
#pragma once

#include <string>

#include "types/function/context.h"

namespace indigo::types {

// Appends. Fails with 22P05 when the client's encoding does not have a character.
void send_text(FuncContext& context, Str text, std::string& out);
// As UTF-8, checked or to be checked by who asked; in the context's arena where it was converted. On failure (22021) empty.
Str receive_text(FuncContext& context, Str bytes);

}  // namespace indigo::types

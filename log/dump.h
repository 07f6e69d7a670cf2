// A log directory as text for people: `indigo log dump`.
// Thread safety: pure, but for the files it reads.
#pragma once

#include <functional>
#include <string_view>

#include "log/device.h"

namespace indigo::log {

// Every file, its header, and every record and operation that is needed after its end; `line` gets one line at a time.
// Goes on as far as the files make sense, and says what does not.
Status dump(Directory& directory, const std::function<void(std::string_view)>& line);

}  // namespace indigo::log

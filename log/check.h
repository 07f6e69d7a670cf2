// `indigo check`: reads a data directory as a start would, every checkpoint and every record of the logs with their checksums,
// and changes nothing (what an unfinished checkpoint left is removed). Whether rows make sense under their definitions only a
// start tells.
// Thread safety: one user at a time.
#pragma once

#include <functional>
#include <string_view>

#include "log/device.h"

namespace indigo::log {

// Calls `line` for each thing that was looked at. An error is what a start would answer; a damaged checkpoint that a start can do
// without is an error, too (XX001), after the rest was looked at.
Status check_directory(Directory& directory, const std::function<void(std::string_view)>& line);

}  // namespace indigo::log

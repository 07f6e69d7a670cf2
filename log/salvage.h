// `indigo salvage`: what can be read of a damaged data directory, as a new one.
//
// It begins with the newest checkpoint that is whole. When none is, it takes the newest whose header can be read, without the
// chunks that are damaged. Then follow the logs' records up to the first that is missing or damaged: what comes out of a whole
// checkpoint is everything as of one moment; what lies behind the damage is left out, though it might be readable. The old
// directory is not changed.
//
// Rows are taken as they are: a directory that lost rows of system tables may not start.
// Thread safety: one user at a time. All rows are in memory meanwhile.
#pragma once

#include <functional>
#include <string_view>

#include "log/device.h"
#include "log/format.h"

namespace indigo::log {

// `to` is new or empty. `line` is called for each thing that is lost, and for what was saved. An error when nothing could be
// read, or `to` not be written; `to` is then marked as unfinished.
Status salvage_directory(Directory& from, Directory& to, const std::function<void(std::string_view)>& line,
                         const Geometry& geometry = {});

}  // namespace indigo::log

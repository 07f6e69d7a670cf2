// Files of the server that statements and functions read and write.
// Thread safety: one call belongs to one session.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "engine/copy/server_stream.h"

namespace indigo::engine {

inline constexpr unsigned kServerFileMode = 0644;  // of a new one

// "what: No such file or directory", under the SQLSTATE of the errno.
Error file_error(int error, std::string what);

enum class ServerFileUse : uint8_t { kRead, kWrite };
// kWrite: made new. `failure`: what an error says before the name.
Result<std::unique_ptr<ServerStream>> open_server_file(const std::string& path, ServerFileUse use,
                                                       std::string_view failure);

}  // namespace indigo::engine

#include "engine/copy/server_file.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

#include "base/sqlstate.h"

namespace indigo::engine {

namespace {

SqlState file_access_state(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
    case EROFS: return sqlstate::kInsufficientPrivilege;
    case ENOENT: return SqlState("58P01");
    case EEXIST: return SqlState("58P02");
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY: return sqlstate::kWrongObjectType;
    case ENOSPC: return SqlState("53100");
    case ENOMEM: return sqlstate::kOutOfMemory;
    case ENFILE:
    case EMFILE: return sqlstate::kInsufficientResources;
    case EIO: return SqlState("58030");
    default: return sqlstate::kInternalError;
  }
}

}  // namespace

Error file_error(int error, std::string what) {
  return Error(file_access_state(error), std::move(what) + ": " + std::generic_category().message(error));
}

Result<std::unique_ptr<ServerStream>> open_server_file(const std::string& path, ServerFileUse use,
                                                       std::string_view failure) {
  const int flags = use == ServerFileUse::kRead ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
  const int file = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC, kServerFileMode);
  if (file < 0) return file_error(errno, std::string(failure) + " \"" + path + "\"");
  return std::make_unique<ServerStream>(file, use == ServerFileUse::kRead, std::nullopt);
}

}  // namespace indigo::engine

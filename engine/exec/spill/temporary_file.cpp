#include "engine/exec/spill/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "log/file_error.h"

namespace indigo::engine::exec {

namespace {

constexpr size_t kWaitingBytesMax = size_t{64} << 10;
constexpr SqlState kConfigurationLimitExceeded{"53400"};

Error failed(const SpillSpace& space, const char* what) {
  return log::file_error(space.directory + "/(temporary)", what, errno);
}

int open_unnamed(const std::string& directory) {
  const int unnamed = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  std::string name = directory + "/indigo-temporary-XXXXXX";  // the file system knows no files without names
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

TemporaryFile::TemporaryFile(SpillSpace& space, int descriptor)
    : space_(space.shared_from_this()), descriptor_(descriptor) {}

Result<std::unique_ptr<TemporaryFile>> TemporaryFile::make(SpillSpace& space) {
  const int descriptor = open_unnamed(space.directory);
  if (descriptor < 0) return failed(space, "could not create");
  return std::unique_ptr<TemporaryFile>(new TemporaryFile(space, descriptor));
}

TemporaryFile::~TemporaryFile() {
  const uint64_t bytes = std::max(most_, written_);
  space_->used_bytes -= written_;
  close(descriptor_);
  const MustNotFail scope;
  if (space_->statistics != nullptr) space_->statistics->ended(space_->database, bytes);
  if (space_->logged_bytes >= 0 && bytes >= static_cast<uint64_t>(space_->logged_bytes)) {
    log_info("temporary file: path \"" + space_->directory + "/(temporary)\", size " + std::to_string(bytes));
  }
}

Status TemporaryFile::append(Bytes bytes) {
  waiting_.append(bytes);
  return waiting_.size() < kWaitingBytesMax ? Status() : flush();
}

Status TemporaryFile::flush() {
  if (space_->used_bytes + waiting_.size() > space_->limit_bytes) {
    return Error(kConfigurationLimitExceeded,
                 "temporary file size exceeds temp_file_limit (" + std::to_string(space_->limit_bytes / 1024) + "kB)");
  }
  size_t done = 0;
  while (done < waiting_.size()) {
    const ssize_t n = pwrite(descriptor_, waiting_.data() + done, waiting_.size() - done, static_cast<off_t>(written_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed(*space_, "could not write to");
    done += static_cast<size_t>(n);
    written_ += static_cast<uint64_t>(n);
    space_->used_bytes += static_cast<uint64_t>(n);
  }
  waiting_.clear();
  return {};
}

Status TemporaryFile::read(uint64_t offset, char* to, size_t count) const {
  while (count > 0) {
    const ssize_t n = pread(descriptor_, to, count, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;  // somebody has cut it
    if (n <= 0) return failed(*space_, "could not read from");
    to += n;
    offset += static_cast<uint64_t>(n);
    count -= static_cast<size_t>(n);
  }
  return {};
}

Status TemporaryFile::clear() {
  waiting_.clear();
  if (ftruncate(descriptor_, 0) != 0) return failed(*space_, "could not truncate");
  space_->used_bytes -= written_;
  most_ = std::max(most_, written_);
  written_ = 0;
  return {};
}

}  // namespace indigo::engine::exec

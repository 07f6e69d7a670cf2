#include "storage/image/mapped_blocks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/raised_error.h"
#include "log/crc32c.h"
#include "log/file_error.h"

namespace indigo::storage {

uint32_t crc_of_block(const BlockHead& head, const void* block, uint64_t place) {
  uint32_t crc = log::crc32c(&place, sizeof place);
  crc = log::crc32c(&head.bytes, sizeof head - offsetof(BlockHead, bytes), crc);
  return log::crc32c(block, head.bytes, crc);
}

MappedBlocks::~MappedBlocks() {
  if (bytes_ > 0) munmap(reinterpret_cast<void*>(base_), bytes_);
}

const MappedBlocks& MappedBlocks::none() {
  static const MappedBlocks nothing;
  return nothing;
}

Status MappedBlocks::map(const std::string& path, MemoryAccount& account) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return log::file_error(path, "could not open", errno);
  struct stat found {};
  int failed = fstat(file, &found) != 0 ? errno : 0;
  void* at = MAP_FAILED;
  if (failed == 0 && found.st_size > 0) {
    at = mmap(nullptr, static_cast<size_t>(found.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) failed = errno;
  }
  close(file);
  if (failed != 0) return log::file_error(path, "could not map", failed);
  if (at == MAP_FAILED) return Error(sqlstate::kDataCorrupted, "file \"" + path + "\" is empty");
  base_ = reinterpret_cast<uintptr_t>(at);
  bytes_ = static_cast<size_t>(found.st_size);
  examined_ = std::make_unique<std::atomic<uint64_t>[]>(bytes_ / kLeastBytes / 64 + 1);
  account_ = &account;
  path_ = path;
  return {};
}

uint64_t MappedBlocks::examined() const {
  uint64_t count = 0;
  for (size_t i = 0; bytes_ > 0 && i < bytes_ / kLeastBytes / 64 + 1; i++) {
    count += static_cast<uint64_t>(std::popcount(examined_[i].load(std::memory_order_relaxed)));
  }
  return count;
}

// Two threads may look at the same block: both find the same.
void MappedBlocks::look(const void* block) const {
  const uint64_t place = reinterpret_cast<uintptr_t>(block) - base_;
  BlockHead head;
  bool whole = place >= sizeof head;
  if (whole) {
    std::memcpy(&head, static_cast<const char*>(block) - sizeof head, sizeof head);
    whole = head.bytes <= bytes_ - place && crc_of_block(head, block, place) == head.crc;
  }
  if (whole) {
    const uint64_t piece = place / kLeastBytes;
    examined_[piece / 64].fetch_or(uint64_t{1} << piece % 64, std::memory_order_relaxed);
    return;
  }
  const auto behind =
      std::upper_bound(names_.begin(), names_.end(), place, [](uint64_t at, const Name& n) { return at < n.begin; });
  const std::string whose = behind == names_.begin() ? "something" : std::prev(behind)->name;
  throw RaisedError(Error(sqlstate::kDataCorrupted, whose + " is damaged in file \"" + path_ + "\"")
                        .with_detail("The block at byte " + std::to_string(place) + " is not what was written.")
                        .with_hint("Remove the file's directory: the next run makes it again."));
}

}  // namespace indigo::storage

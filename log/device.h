// What the log lies on: a file of equal blocks, mapped into memory. Two kinds of granularity decide how bytes become durable:
//
//   cacheline   persistent memory: write() streams and flushes, fence() makes this thread's earlier writes durable
//   page        files on disks: write() only stores; sync() makes everything durable that was written before the call
//
// Thread safety: write, fence and sync from any thread at once, on separate bytes; grow from one thread at a time.
// Invariants: 1. block() addresses stay valid for the Device's life. 2. A block that grow() has added is zeroed and allocated on
// the device: writing to it cannot fail for want of space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace indigo::log {

enum class Granularity : uint8_t { kCacheLine, kPage };

class Device {
 public:
  virtual ~Device() = default;
  virtual Granularity granularity() const = 0;
  virtual uint32_t block_count() const = 0;
  virtual char* block(uint32_t index) = 0;
  virtual Status grow() = 0;  // by one block; 53100 when the device is full, 58030 otherwise
  virtual void write(char* to, const void* from, size_t size) = 0;
  virtual void fence() = 0;
  // 58030: the device has failed, and nothing is known of what was written since the last sync. Never try again.
  virtual Status sync() = 0;
  // The same bytes once more. After a sync that failed the kernel shows pages that it holds for written and that are not on
  // the disk: no later sync writes them unless they are stored to again.
  virtual void rewrite(char* at, size_t size) = 0;
  // As sync, for everything that can be read, also what a process that has died wrote.
  virtual Status sync_all() = 0;
  // Something that was written or read has not reached the device: the same as a sync that failed.
  virtual bool faulted() const { return false; }
};

// A plain file that is written from its beginning to its end, once.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual Status append(Bytes bytes) = 0;
  virtual Status sync() = 0;
};

class InputFile {
 public:
  virtual ~InputFile() = default;
  virtual uint64_t size() const = 0;
  // Exactly `size` bytes, or an error.
  virtual Status read(uint64_t offset, char* to, size_t size) = 0;
};

// The directory that log and checkpoints lie in. Names are plain file names. What rename, remove and creation did
// survives a crash only after sync().
class Directory {
 public:
  virtual ~Directory() = default;
  virtual std::string path(const std::string& name) const = 0;  // for messages
  virtual Result<std::vector<std::string>> list() = 0;          // sorted
  virtual Result<std::unique_ptr<Device>> create_device(const std::string& name, uint32_t block_bytes) = 0;
  virtual Result<std::unique_ptr<Device>> open_device(const std::string& name, uint32_t block_bytes) = 0;
  virtual Result<std::unique_ptr<OutputFile>> create_file(const std::string& name) = 0;
  virtual Result<std::unique_ptr<InputFile>> open_file(const std::string& name) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& name) = 0;
  virtual Status sync() = 0;
};

}  // namespace indigo::log

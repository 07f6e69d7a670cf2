// A log file, a checkpoint and operations of any bytes: an error, an end, or something that makes sense; never a crash.
// The first byte chooses: a whole file, or a sound log whose bytes are overwritten in places.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/record_stream.h"
#include "log/recovery.h"
#include "log/simulated_directory.h"
#include "log/write_ahead_log.h"

namespace {

using namespace indigo;
using namespace indigo::log;

class Counter final : public OperationSink {
 public:
  size_t bytes = 0;
  void put(DurableId, Bytes key, Bytes row) override { bytes += key.size() + row.size(); }
  void erase(DurableId, Bytes key) override { bytes += key.size(); }
  void sequence(DurableId, int64_t, bool) override { bytes++; }
  void oids(uint64_t) override { bytes++; }
  void clone(DurableId, DurableId) override { bytes++; }
};

// A log with a few transactions.
SimulatedDirectory& sample() {
  static SimulatedDirectory* directory = [] {
    auto* d = new SimulatedDirectory(Granularity::kPage);
    WriteAheadLog log(*d, Durability::kPower, {.block_bytes = 32 << 10, .segment_bits = 6});
    if (!log.start({}).ok() || !write_data_format(*d, {}).ok()) abort();
    for (uint64_t i = 1; i <= 8; i++) {
      RecordStream stream(log);
      if (stream.put(DurableId{i}, "key", std::string(i * 100, 'r')) != Log::Outcome::kOk) abort();
      if (stream.prepare() != Log::Outcome::kOk) abort();
      stream.append(CommitStamp{i + 1});
    }
    log.stop();
    return d;
  }();
  return *directory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const char choice = input[0];
  input.remove_prefix(1);
  Counter counter;
  if (choice % 3 == 0) {
    decode_operations(input, counter);
    if (counter.bytes > input.size()) abort();
    return 0;
  }
  auto directory = sample().process_killed();
  if (choice % 3 == 1) {
    auto file = directory->create_file(CheckpointWriter::file_name(1));
    if (!file.ok() || !(*file)->append(input).ok()) abort();
  } else {
    // Pairs of a place and a byte.
    const std::string name = WriteAheadLog::file_name(1);
    const size_t length = directory->read_all(name).size();
    for (; input.size() >= 4; input.remove_prefix(4)) {
      uint32_t place =
          static_cast<uint8_t>(input[0]) | static_cast<uint8_t>(input[1]) << 8 | static_cast<uint8_t>(input[2]) << 16;
      directory->overwrite(name, place % length, input.substr(3, 1));
    }
  }
  (void)recover(*directory, counter).ok();
  return 0;
}

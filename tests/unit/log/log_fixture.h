// A log on the simulated directory, and what it holds after a recovery, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "log/data_format.h"
#include "log/record_stream.h"
#include "log/recovery.h"
#include "log/simulated_directory.h"
#include "log/write_ahead_log.h"

namespace indigo::log {

inline constexpr Geometry kSmall{.block_bytes = 64 << 10, .segment_bits = 8};

// The newest row of every key.
class MapSink final : public OperationSink {
 public:
  std::map<std::pair<uint64_t, std::string>, std::string> rows;
  std::map<uint64_t, int64_t> sequences;
  uint64_t oid = 0;
  uint64_t operations = 0;

  void put(DurableId table, Bytes key, Bytes row) override {
    rows[{table.value, std::string(key)}] = row;
    operations++;
  }
  void erase(DurableId table, Bytes key) override {
    rows.erase({table.value, std::string(key)});
    operations++;
  }
  void sequence(DurableId id, int64_t last_value, bool) override { sequences[id.value] = last_value; }
  void oids(uint64_t below) override { oid = std::max(oid, below); }
  void clone(DurableId clone, DurableId source) override {
    std::erase_if(rows, [&](const auto& row) { return row.first.first == clone.value; });
    for (auto at = rows.lower_bound({source.value, ""}); at != rows.end() && at->first.first == source.value; ++at) {
      rows[{clone.value, at->first.second}] = at->second;
    }
    operations++;
  }
  std::string row(uint64_t table, const std::string& key) const {
    auto at = rows.find({table, key});
    return at == rows.end() ? "" : at->second;
  }
};

// One life of a database: recovery, then a log of the next epoch.
struct Life {
  MapSink state;
  Recovered recovered;
  std::unique_ptr<WriteAheadLog> log;
  std::string error;

  explicit Life(Directory& directory, Durability level = Durability::kPower) {
    auto result = recover(directory, state);
    if (!result.ok()) {
      error = result.error().message;
      return;
    }
    recovered = *result;
    log = std::make_unique<WriteAheadLog>(directory, level, kSmall);
    Status started = log->start(recovered.next);
    if (started.ok() && recovered.fresh) started = write_data_format(directory, {});
    if (!started.ok()) {
      error = started.error().message;
      log.reset();
    }
  }
};

// One transaction that sets one row; its LSN, zero when it could not be written.
inline Lsn put_row(Log& log, uint64_t stamp, uint64_t table, const std::string& key, const std::string& row) {
  RecordStream stream(log);
  if (stream.put(DurableId{table}, key, row) != Log::Outcome::kOk) return {};
  if (stream.prepare() != Log::Outcome::kOk) return {};
  return stream.append(CommitStamp{stamp});
}

}  // namespace indigo::log

// ALTER SYSTEM: settings that are kept beside the data (postgresql.auto.conf), or for the life of the server when there is no
// data directory. They are read when the server starts and when it is told to reload; sessions take over what has changed with
// their next message outside of a transaction.
//
// Invariants:
// 1. What the command line says counts more.
// 2. A reload changes no setting that is read at the start alone: it waits for a restart.
// Thread safety: all functions, from any thread. An Applied is immutable.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace indigo::engine {

class SystemSettings {
 public:
  struct Line {
    std::string name, value;
    int32_t number = 0;    // in the file
    bool applied = false;  // it is in force, or would be after a reload
    const char* error = "";
  };
  // What is in force, by the setting's index; and those that wait for a restart.
  struct Applied {
    std::map<uint32_t, std::string> values;
    std::map<uint32_t, int32_t> lines;
    std::set<uint32_t> pending;
  };

  // At the start. `directory` empty: nothing is kept. Puts what the file says into `defaults`, but for what is `given` on the
  // command line. An error: the file cannot be read, or has something that the server does not know.
  Status start(const std::string& directory, std::vector<std::string>& defaults, std::set<uint32_t> given);

  // ALTER SYSTEM: nothing puts the setting back. The value has been checked.
  Status set(std::string_view name, std::optional<std::string_view> value);
  Status reset_all();
  // pg_reload_conf() and SIGHUP. A file that cannot be read, or with an error, changes nothing.
  void reload();

  std::shared_ptr<const Applied> applied() const;
  // Grows with each change of applied().
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  std::vector<Line> lines();
  // As pg_file_settings names it.
  const std::string& path() const { return path_; }

 private:
  struct Entry {
    std::string name, value;
  };
  // Of the file, where there is one.
  Result<std::vector<Entry>> read() const;
  Status write(std::vector<Entry> entries);
  void use_log_destination() const;
  std::vector<Line> judge(const std::vector<Entry>& entries, Applied& applied) const;

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Entry> entries_;
  std::shared_ptr<const Applied> applied_ = std::make_shared<Applied>();
  // Constant after start():
  bool kept_ = false;
  std::string path_ = "postgresql.auto.conf";
  std::vector<std::string> started_with_;
  std::set<uint32_t> given_;
  std::atomic<uint64_t> generation_{0};  // readers of applied() look again when it has grown
};

}  // namespace indigo::engine

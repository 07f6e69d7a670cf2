// The commands that a replication connection understands beside SQL (PostgreSQL's documentation, chapter 55.4).
// Thread safety: plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace indigo::engine::replication {

struct ReplicationCommand {
  enum class Kind : uint8_t {
    kIdentifySystem,
    kReadSlot,
    kCreateSlot,
    kDropSlot,
    kStart,
    kTimelineHistory,
    kBaseBackup
  };
  Kind kind = Kind::kIdentifySystem;
  std::string slot, plugin;
  bool physical = false, temporary = false, wait = false;
  uint64_t position = 0;
  // (SNAPSHOT 'export'), or a word alone.
  std::vector<std::pair<std::string, std::optional<std::string>>> options;

  // Whether the text begins as one of them does; otherwise it is SQL.
  static bool is_one(std::string_view text);
  // 42601.
  static Result<ReplicationCommand> parse(std::string_view text);
};

}  // namespace indigo::engine::replication

// The order of versions of every key, from what the writers found: the first thing that a check needs.
//
// An update or delete names the value that it replaced; an insert begins a new life of the key. Lives of one key do not
// overlap, so they are in the order in which their inserts' statements ended.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/history/history.h"

namespace indigo::history {

struct Version {
  const Transaction* writer = nullptr;  // null: the beginning
  int64_t v = 0;                        // 0: the key is missing
  int64_t g = 0;
};

class Versions {
 public:
  Versions(const History& history, int64_t keys, std::vector<std::string>& violations);

  // Oldest first; [0] is the missing key of the beginning.
  const std::vector<Version>& of(int64_t key) const { return chains_[static_cast<size_t>(key)]; }
  // Where a value stands in its key's chain.
  struct Place {
    int64_t key = 0;
    int32_t index = -1;                   // -1: never a committed version of its own
    const Transaction* writer = nullptr;  // also of intermediate and rolled-back values
    bool undone = false;
  };
  const Place* find(int64_t v) const;
  // The newest version of `key` that was surely there for a snapshot taken after `time`, and the newest that can have
  // been there for one taken before `time`.
  int32_t surely_by(int64_t key, uint64_t time) const;
  int32_t perhaps_by(int64_t key, uint64_t time) const;
  uint64_t count() const { return count_; }

 private:
  std::vector<std::vector<Version>> chains_;
  std::unordered_map<int64_t, Place> places_;
  uint64_t count_ = 0;
};

}  // namespace indigo::history
